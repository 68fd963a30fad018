import type { ServerKey } from '../../config/index.js';
import type { Database } from '../database.js';
import type { Queryable, SqlValue } from '../queryable.js';
import { fromPlainText, plainText, type TenantSeal, UnreadableContent } from './content-seals.js';
import { DataKeyStore } from './key-store.js';
import { CONTENT_TABLES, type ContentColumn, type ContentRow, type ContentTable } from './sealed-columns.js';
import { isSealedText } from './tenant-seals.js';

/** Rows of one transaction: few, because servers that are running wait for them. */
const ROWS_AT_ONCE = 50;
const EMPTY = '{}';

/** Rows that were rewritten, and rows whose content cannot be decrypted: its key was destroyed, or it was changed. */
export interface Rewritten {
  readonly rows: number;
  readonly unreadable: number;
}

/** Returns whether a row was changed. @throws UnreadableContent */
type RewriteRow = (tx: Queryable, table: ContentTable, row: ContentRow, tenantId: string) => Promise<boolean>;

/**
 * Encrypts what was stored before encryption was switched on, or decrypts what was stored before it was switched off, next to
 * servers that are running.
 */
export class Reencryption {
  /** @param database whose content is encrypted */
  constructor(private readonly database: Database) {}

  /** Wraps the data keys again that another key than the first of the ring has wrapped. Returns how many. */
  rewrap(ring: readonly ServerKey[]): Promise<number> {
    return this.database.write((tx) => new DataKeyStore(ring).rewrapAll(tx));
  }

  /**
   * Encrypts all rows that are not encrypted yet, in small transactions: it may be stopped at any time and started
   * again. What a server changes meanwhile is left as the server wrote it, which is encrypted.
   *
   * @yields the name of each table and how many of its rows were encrypted
   */
  async *seal(): AsyncGenerator<readonly [table: string, rows: number]> {
    for (const table of CONTENT_TABLES) {
      const { rows } = await this.rewrite(table, isPlain, (...row) => this.sealRow(...row));
      yield [table.name, rows];
    }
  }

  /**
   * Stores all encrypted rows as they are in the clear, as `seal` does: what cannot be decrypted stays. To be called with a
   * database that encrypts nothing, while all servers encrypt nothing.
   *
   * @yields the name of each table and what became of its encrypted rows
   */
  async *open(): AsyncGenerator<readonly [table: string, Rewritten]> {
    for (const table of CONTENT_TABLES)
      yield [table.name, await this.rewrite(table, isSealed, (...row) => this.openRow(...row))];
  }

  /** Removes the data keys of all tenants. Returns how many. @param tx in which no content is encrypted any more */
  forgetKeys(tx: Queryable): Promise<number> {
    return tx.run('DELETE FROM tenant_data_keys');
  }

  /** @param isWanted whether a column of a row has to be rewritten */
  private async rewrite(
    table: ContentTable,
    isWanted: (row: ContentRow, column: ContentColumn) => boolean,
    rewriteRow: RewriteRow,
  ): Promise<Rewritten> {
    const { columns } = table;
    const all = { rows: 0, unreadable: 0 };
    for await (const some of this.pages(table)) {
      const wanted = some.filter((row) => columns.some((column) => isWanted(row, column)));
      if (wanted.length === 0) continue;
      const { rows, unreadable } = await this.database.write((tx) => rewriteRows(tx, table, wanted, rewriteRow));
      all.rows += rows;
      all.unreadable += unreadable;
    }
    return all;
  }

  private async *pages(table: ContentTable): AsyncGenerator<readonly ContentRow[]> {
    const { name, key, read, tenant, columns } = table;
    const names = [
      ...key,
      ...read,
      ...columns.flatMap(({ name: one, sealedIn }) => [one, ...(sealedIn ? [sealedIn] : [])]),
    ];
    const select = `SELECT ${names.join(', ')}, ${tenant} AS of_tenant FROM ${name}`;
    const order = `ORDER BY ${key.join(', ')} LIMIT ${ROWS_AT_ONCE}`;
    let rows = await this.database.read.all<ContentRow>(`${select} ${order}`);
    while (rows.length > 0) {
      yield rows;
      const last = rows.at(-1) as ContentRow;
      const after = `WHERE (${key.join(', ')}) > (${key.map(() => '?').join(', ')})`;
      rows = await this.database.read.all<ContentRow>(`${select} ${after} ${order}`, valuesOf(last, key));
    }
  }

  /** False if nothing was changed: somebody has changed the row. */
  private async sealRow(tx: Queryable, table: ContentTable, row: ContentRow, tenantId: string): Promise<boolean> {
    const seal = await this.database.content.of(tenantId, tx);
    let isChanged = false;
    for (const column of table.columns) {
      const text = row[column.name];
      if (!isPlain(row, column) || typeof text !== 'string') continue;
      const changed = await changeRow(tx, table, row, column.name, change(column, text, row, seal));
      isChanged ||= changed;
    }
    return isChanged;
  }

  /** As `sealRow`. @throws UnreadableContent */
  private async openRow(tx: Queryable, table: ContentTable, row: ContentRow, tenantId: string): Promise<boolean> {
    const { content } = this.database;
    let isChanged = false;
    for (const column of table.columns) {
      if (!isSealed(row, column)) continue;
      const { name, kind, place, sealedIn } = column;
      const stored = row[sealedIn ?? name];
      if (typeof stored !== 'string') continue;
      const text = await content.reading(() => content.json(tenantId, place(row), stored));
      const set: Change =
        sealedIn === undefined
          ? [`${name} = ?`, [kind === 'json' ? text : plainText(text)]]
          : [`${name} = ?, ${sealedIn} = NULL`, [text]];
      const changed = await changeRow(tx, table, row, sealedIn ?? name, set);
      isChanged ||= changed;
    }
    return isChanged;
  }
}

/** What a statement sets, and to what. */
type Change = readonly [set: string, values: readonly SqlValue[]];

async function rewriteRows(
  tx: Queryable,
  table: ContentTable,
  some: readonly ContentRow[],
  rewriteRow: RewriteRow,
): Promise<Rewritten> {
  let [rows, unreadable] = [0, 0];
  for (const row of some) {
    const tenantId = row['of_tenant'];
    // Its tenant is gone.
    if (typeof tenantId !== 'string') continue;
    try {
      if (await rewriteRow(tx, table, row, tenantId)) rows += 1;
    } catch (error) {
      if (!(error instanceof UnreadableContent)) throw error;
      unreadable += 1;
    }
  }
  return { rows, unreadable };
}

/** Changes a row unless somebody has changed one of its columns meanwhile. Returns whether it did. */
async function changeRow(
  tx: Queryable,
  { name, key }: ContentTable,
  row: ContentRow,
  column: string,
  [set, values]: Change,
): Promise<boolean> {
  const where = [...key, column].map((one) => `${one} = ?`).join(' AND ');
  const parameters = [...values, ...valuesOf(row, [...key, column])];
  return (await tx.run(`UPDATE ${name} SET ${set} WHERE ${where}`, parameters)) > 0;
}

function change(
  { name, kind, sealedIn, place }: ContentColumn,
  text: string,
  row: ContentRow,
  seal: TenantSeal,
): Change {
  if (sealedIn !== undefined) return [`${name} = '', ${sealedIn} = ?`, [seal.json(place(row), text)]];
  const sealed = kind === 'json' ? seal.json(place(row), text) : seal.text(place(row), fromPlainText(text));
  return [`${name} = ?`, [sealed]];
}

function isPlain(row: ContentRow, { name, sealedIn }: ContentColumn): boolean {
  const text = row[name];
  if (typeof text !== 'string' || text === EMPTY) return false;
  if (sealedIn !== undefined) return text !== '' && (row[sealedIn] ?? null) === null;
  return !isSealedText(text);
}

function isSealed(row: ContentRow, { name, sealedIn }: ContentColumn): boolean {
  const text = row[sealedIn ?? name];
  return typeof text === 'string' && isSealedText(text);
}

function valuesOf(row: ContentRow, columns: readonly string[]): SqlValue[] {
  return columns.map((column) => row[column] ?? null);
}

import type { ServerKey } from '../../config/index.js';
import type { Database } from '../database.js';
import type { Queryable, SqlValue } from '../queryable.js';
import type { TenantSeal } from './content-seals.js';
import { fromPlainText } from './content-seals.js';
import { DataKeyStore } from './key-store.js';
import { CONTENT_TABLES, type ContentColumn, type ContentRow, type ContentTable } from './sealed-columns.js';
import { isSealedText } from './tenant-seals.js';

/** Rows of one transaction: few, because servers that are running wait for them. */
const ROWS_AT_ONCE = 50;
const EMPTY = '{}';

/** Encrypts what was stored before encryption was switched on, next to servers that are running. */
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
      let sealed = 0;
      for await (const count of this.sealTable(table)) sealed += count;
      yield [table.name, sealed];
    }
  }

  private async *sealTable(table: ContentTable): AsyncGenerator<number> {
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
      const plain = rows.filter((row) => columns.some((column) => isPlain(row, column)));
      if (plain.length > 0)
        yield await this.database.write(async (tx) => {
          let sealed = 0;
          for (const row of plain) if (await this.sealRow(tx, table, row)) sealed += 1;
          return sealed;
        });
      const last = rows.at(-1) as ContentRow;
      const after = `WHERE (${key.join(', ')}) > (${key.map(() => '?').join(', ')})`;
      rows = await this.database.read.all<ContentRow>(`${select} ${after} ${order}`, valuesOf(last, key));
    }
  }

  /** False if nothing was changed: its tenant is gone, or somebody has changed the row. */
  private async sealRow(tx: Queryable, { name, key, columns }: ContentTable, row: ContentRow): Promise<boolean> {
    const tenantId = row['of_tenant'];
    if (typeof tenantId !== 'string') return false;
    const seal = await this.database.content.of(tenantId, tx);
    const isRow = key.map((column) => `${column} = ?`).join(' AND ');
    let isChanged = false;
    for (const column of columns) {
      const text = row[column.name];
      if (!isPlain(row, column) || typeof text !== 'string') continue;
      const [set, values] = change(column, text, row, seal);
      const where = `${isRow} AND ${column.name} = ?`;
      const changed = await tx.run(`UPDATE ${name} SET ${set} WHERE ${where}`, [
        ...values,
        ...valuesOf(row, key),
        text,
      ]);
      isChanged ||= changed > 0;
    }
    return isChanged;
  }
}

function change(
  { name, kind, sealedIn, place }: ContentColumn,
  text: string,
  row: ContentRow,
  seal: TenantSeal,
): readonly [set: string, values: readonly SqlValue[]] {
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

function valuesOf(row: ContentRow, columns: readonly string[]): SqlValue[] {
  return columns.map((column) => row[column] ?? null);
}

import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/index.js';
import {
  contentColumnsOf,
  contentKeyOf,
  openedContent,
  readable,
  RequestDatabase,
  withoutContentOf,
} from '../../database/index.js';
import { type FoundRow, plain, type StoredRow, UserRows, type UserTable } from '../ports/user-rows.js';

const PAGE = 100;

/** Bytes of content of a page: one row may have more. */
const PAGE_BYTES = 1_048_576;

/** A rename changes the id and the second time; a tenant that gets the id afterwards differs in the first. */
const TENANT = 'SELECT created_at, updated_at FROM tenants WHERE id = ?';

/**
 * Pages of rows in the order of their keys, as many as they may have or less if they are large. They are read as other
 * requests read: leases and runs have connections of their own.
 */
@Injectable()
export class SqlUserRows extends UserRows {
  constructor(private readonly database: RequestDatabase) {
    super();
  }

  async *list(
    user: Principal,
    table: UserTable,
    values: readonly (string | number)[] = [user.tenantId, user.userId],
  ): AsyncGenerator<FoundRow, void, void> {
    const { from, where, key, page = PAGE } = table;
    const [name = ''] = from.split(' ');
    const columns = [...new Set([...columnsOf(table), ...contentKeyOf(name)])];
    const rest = `FROM ${from} WHERE (${where})`;
    const after = ` AND (${key.join(', ')}) > (${key.map(() => '?').join(', ')})`;
    // Of joined tables, the names have an alias in front.
    const select = `SELECT ${columns.map((column) => `${column} AS "${column}"`).join(', ')} ${rest}`;
    const lengths = contentColumnsOf(name).map((column) => `COALESCE(OCTET_LENGTH(${column}), 0)`);
    const measure = lengths.length > 0 ? `SELECT ${lengths.join(' + ')} AS bytes ${rest}` : undefined;
    for (let last: readonly (string | number)[] = []; ;) {
      const read = <Row>(what: string, limit: number): Promise<Row[]> => {
        const sql = `${what}${last.length > 0 ? after : ''} ORDER BY ${key.join(', ')} LIMIT ${limit}`;
        return this.database.read.all<Row>(sql, [...values, ...last]);
      };
      const measured = measure === undefined ? undefined : await read<Measured>(measure, page);
      const limit = measured ? fitting(measured) : page;
      const rows = limit === 0 ? [] : await read<StoredRow>(select, limit);
      yield* await this.found(user, table, name, rows);
      const end = rows.at(-1);
      const isShortened = measured !== undefined && limit < measured.length;
      if (!end || (!isShortened && (measured ?? rows).length < page)) return;
      last = key.map((column) => end[column] ?? '');
    }
  }

  async tenantMark(tenantId: string): Promise<string | undefined> {
    const [row] = await this.database.read.all<StoredRow>(TENANT, [tenantId]);
    return row && `${row['created_at']}/${row['updated_at']}`;
  }

  private found(
    user: Principal,
    table: UserTable,
    name: string,
    rows: readonly StoredRow[],
  ): Promise<readonly FoundRow[]> {
    const { content } = this.database;
    const opened = (row: StoredRow): FoundRow =>
      foundRow(user, table, openedContent(content, name, user.tenantId, row));
    const otherwise = (row: StoredRow): FoundRow => ({
      ...foundRow(user, table, withoutContentOf(name, row)),
      isUnreadable: true,
    });
    return readable(content, rows, opened, otherwise);
  }
}

/** The length of the content of a row, which PostgreSQL returns as a text if it may be large. */
interface Measured {
  readonly bytes: number | string;
}

/** How many of the rows make a page; one at least, if there is any. */
function fitting(rows: readonly Measured[]): number {
  let total = 0;
  const over = rows.findIndex(({ bytes }, index) => (total += Number(bytes)) > PAGE_BYTES && index > 0);
  return over === -1 ? rows.length : over;
}

/** The columns that are read of a table, each once. */
function columnsOf({ key, members, leftOut = [] }: UserTable): readonly string[] {
  const read = Object.values(members).map((member) => (typeof member === 'string' ? member : member[0]));
  return [...key, ...read, ...leftOut];
}

function foundRow(user: Principal, { kind, members }: UserTable, row: StoredRow): FoundRow {
  const texts = Object.entries(members).map(([name, member]) => {
    const [column, reading] = typeof member === 'string' ? ([member, plain] as const) : member;
    return `${JSON.stringify(name)}:${reading(row[column] ?? null, row, user)}`;
  });
  return { kind, data: `{${texts.join(',')}}`, row };
}

import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/index.js';
import { contentKeyOf, openedContent, readable, RequestDatabase, withoutContentOf } from '../../database/index.js';
import { type FoundRow, plain, type StoredRow, UserRows, type UserTable } from '../ports/user-rows.js';

const PAGE = 100;

/** A rename changes the id and the second time; a tenant that gets the id afterwards differs in the first. */
const TENANT = 'SELECT created_at, updated_at FROM tenants WHERE id = ?';

/** Pages of rows in the order of their keys, read as other requests read: leases and runs have connections of their own. */
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
    // Of joined tables, the names have an alias in front.
    const select = `SELECT ${columns.map((column) => `${column} AS "${column}"`).join(', ')} FROM ${from} WHERE (${where})`;
    const after = ` AND (${key.join(', ')}) > (${key.map(() => '?').join(', ')})`;
    const order = ` ORDER BY ${key.join(', ')} LIMIT ${page}`;
    for (let last: readonly (string | number)[] = []; ;) {
      const sql = `${select}${last.length > 0 ? after : ''}${order}`;
      const rows = await this.database.read.all<StoredRow>(sql, [...values, ...last]);
      yield* await this.found(user, table, name, rows);
      const end = rows.at(-1);
      if (!end || rows.length < page) return;
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

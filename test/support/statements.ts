import pg from 'pg';
import type { Database } from '../../src/database/index.js';
import { SqliteConnection } from '../../src/database/sqlite-connection.js';

/** The statements that all connections of this process have sent. */
export interface StatementCount {
  readonly sent: string[];
  /** Only on PostgreSQL. */
  roundTrips: number;
}

/** Counts the statements of this process from now on, until `jest.restoreAllMocks()`. */
export function countStatements(dialect: Database['dialect']): StatementCount {
  const count: StatementCount = { sent: [], roundTrips: 0 };
  if (dialect === 'sqlite') countSqlite(count);
  else countPostgres(count);
  return count;
}

/** Counts what the connections execute, apart from the pragmas that ask whether to wait for the disk. */
function countSqlite({ sent }: StatementCount): void {
  const connection = SqliteConnection.prototype as unknown as Record<string, (...values: unknown[]) => unknown>;
  for (const name of ['all', 'run', 'send', 'exec']) {
    const original = connection[name];
    jest.spyOn(connection, name).mockImplementation(function (this: SqliteConnection, ...values: unknown[]) {
      sent.push(String(values[0]));
      return original?.apply(this, values);
    });
  }
}

/** Counts statements, and round trips: a statement that is sent while another one waits for its answer costs none. */
function countPostgres(count: StatementCount): void {
  const { query } = pg.Client.prototype as unknown as { query: (...values: unknown[]) => unknown };
  const waiting = new WeakMap<object, number>();
  jest.spyOn(pg.Client.prototype as unknown as { query: typeof query }, 'query').mockImplementation(function (
    this: object,
    ...values: unknown[]
  ) {
    const before = waiting.get(this) ?? 0;
    if (before === 0) count.roundTrips += 1;
    waiting.set(this, before + 1);
    const text = textOf(values[0]);
    // Once for each connection, not for each run.
    if (!text.includes('pg_backend_pid')) count.sent.push(text);
    const answered = (): void => void waiting.set(this, (waiting.get(this) ?? 1) - 1);
    const callback = values.at(-1);
    if (typeof callback === 'function') {
      return query.apply(this, [
        ...values.slice(0, -1),
        (...results: unknown[]) => {
          answered();
          (callback as (...args: unknown[]) => void)(...results);
        },
      ]);
    }
    const result = query.apply(this, values) as Promise<unknown>;
    result.then(answered, answered);
    return result;
  });
}

/** The text of a statement: as such, or with its name. */
function textOf(statement: unknown): string {
  return typeof statement === 'string' ? statement : (statement as { readonly text: string }).text;
}

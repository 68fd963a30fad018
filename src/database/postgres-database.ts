import { DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import { Database, isDeadlock } from './database.js';
import type { Queryable, SqlValue } from './queryable.js';
import { type Transaction, transactionOn } from './transaction.js';

/** Attempts of a write that is chosen as a deadlock's victim. */
const DEADLOCK_TRIES = 4;

/** PostgreSQL: every write is a transaction on a pooled connection. */
export class PostgresDatabase extends Database {
  /** SQL that depends on the database is chosen by this name. */
  readonly dialect = 'postgres';
  /** Each statement on a pooled connection of its own, outside of a transaction. */
  readonly read: Queryable;

  /** The data source is initialised, migrations applied. */
  constructor(private readonly source: DataSource) {
    super();
    this.read = new PostgresQueryable(source, source.manager);
  }

  /** Runs `work` again after a deadlock, so it must have no effect outside of the transaction. */
  async write<T>(work: (tx: Queryable & Transaction) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.attempt(work);
      } catch (error) {
        // The database chose this write to break a deadlock: nothing of it was written.
        if (!isDeadlock(error) || tries === DEADLOCK_TRIES) throw error;
      }
    }
  }

  /** One attempt. The connection returns to the pool in every case. */
  private async attempt<T>(work: (tx: Queryable & Transaction) => Promise<T>): Promise<T> {
    const runner = this.source.createQueryRunner();
    try {
      await runner.startTransaction();
      const value = await work(transactionOn(new PostgresQueryable(runner, runner.manager)));
      await runner.commitTransaction();
      return value;
    } catch (error) {
      if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
      throw error;
    } finally {
      await runner.release();
    }
  }

  /** @throws the driver's error if the server does not answer */
  async ping(): Promise<void> {
    await this.source.query('SELECT 1');
  }

  /** Closes the pool. Statements fail afterwards. */
  async close(): Promise<void> {
    await this.source.destroy();
  }
}

/** Statements with `?` placeholders on the pool or in one transaction. */
class PostgresQueryable implements Queryable {
  readonly dialect = 'postgres';

  constructor(
    private readonly executor: DataSource | QueryRunner,
    readonly manager: EntityManager,
  ) {}

  /** @throws the driver's error */
  async all<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row[]> {
    return (await this.query(sql, parameters)).records as Row[];
  }

  /** The number of rows that were changed. @throws the driver's error */
  async run(sql: string, parameters: readonly SqlValue[] = []): Promise<number> {
    return (await this.query(sql, parameters)).affected ?? 0;
  }

  /** A data source has no query with the number of changed rows: it needs a runner for the time of the statement. */
  private async query(
    sql: string,
    parameters: readonly SqlValue[],
  ): Promise<{ records: unknown[]; affected?: number }> {
    if (!(this.executor instanceof DataSource)) return this.executor.query(numbered(sql), [...parameters], true);
    const runner = this.executor.createQueryRunner();
    try {
      return await runner.query(numbered(sql), [...parameters], true);
    } finally {
      await runner.release();
    }
  }
}

/** Translated statements, by their text with `?`. */
const NUMBERED = new Map<string, string>();

/** Replaces `?` by `$1`, `$2` … for PostgreSQL. */
function numbered(sql: string): string {
  let text = NUMBERED.get(sql);
  if (text === undefined) {
    let count = 0;
    text = sql.replace(/\?/g, () => `$${(count += 1)}`);
    NUMBERED.set(sql, text);
  }
  return text;
}

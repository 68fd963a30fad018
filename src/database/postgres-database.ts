import { DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import { Database, isDeadlock } from './database.js';
import type { Queryable, SqlValue } from './queryable.js';
import { type Transaction, transactionOn } from './transaction.js';

/** Attempts of a write that is chosen as a deadlock's victim. */
const DEADLOCK_TRIES = 4;

/** PostgreSQL: every write is a transaction on a pooled connection. */
export class PostgresDatabase extends Database {
  readonly dialect = 'postgres';
  readonly read: Queryable;

  /** The data source is initialised, migrations applied. */
  constructor(private readonly source: DataSource) {
    super();
    this.read = new PostgresQueryable(source, source.manager);
  }

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

  async ping(): Promise<void> {
    await this.source.query('SELECT 1');
  }

  async close(): Promise<void> {
    await this.source.destroy();
  }
}

class PostgresQueryable implements Queryable {
  readonly dialect = 'postgres';

  constructor(
    private readonly executor: DataSource | QueryRunner,
    readonly manager: EntityManager,
  ) {}

  async all<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row[]> {
    return (await this.query(sql, parameters)).records as Row[];
  }

  async run(sql: string, parameters: readonly SqlValue[] = []): Promise<number> {
    return (await this.query(sql, parameters)).affected ?? 0;
  }

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

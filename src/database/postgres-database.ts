import type pg from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { Database, isDatabaseFailure, isDeadlock } from './database.js';
import type { DatabaseMetrics } from './database.metrics.js';
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
  /** What PostgreSQL returns is on the disk. */
  readonly readUnsynced: Queryable;

  /**
   * The data source is initialised, migrations applied.
   *
   * @param isRelaxed true if commits do not wait for the disk
   */
  constructor(
    private readonly source: DataSource,
    private readonly isRelaxed: boolean,
    private readonly metrics: DatabaseMetrics,
  ) {
    super();
    const pool = (source.driver as PostgresDriver).master as pg.Pool;
    metrics.watch(pool, pool.options.max ?? 0);
    this.read = new PostgresReads(source, pool, metrics);
    this.readUnsynced = this.read;
  }

  /** Runs `work` again after a deadlock, so it must have no effect outside of the transaction. */
  async write<T>(work: (tx: Queryable & Transaction) => Promise<T>, committed?: (value: T) => void): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        const value = await this.attempt(work);
        committed?.(value);
        return value;
      } catch (error) {
        if (isDatabaseFailure(error)) this.metrics.errors.add();
        // The database chose this write to break a deadlock: nothing of it was written.
        if (!isDeadlock(error) || tries === DEADLOCK_TRIES) throw error;
      }
    }
  }

  /** One attempt. The connection returns to the pool in every case. */
  private async attempt<T>(work: (tx: Queryable & Transaction) => Promise<T>): Promise<T> {
    const runner = this.source.createQueryRunner();
    try {
      const askedAt = performance.now();
      const client = (await runner.connect()) as pg.PoolClient;
      this.metrics.poolWait.observe((performance.now() - askedAt) / 1000);
      const tx = new PostgresTransaction(client, runner.manager);
      // Not once per connection: behind a pooler the next transaction may have another one.
      if (this.isRelaxed) tx.send('SET LOCAL synchronous_commit TO off');
      try {
        const value = await work(transactionOn(tx));
        await tx.commit();
        return value;
      } catch (error) {
        await tx.rollback();
        throw error;
      }
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

/** Single statements with `?` placeholders, each on a connection of the pool. */
class PostgresReads implements Queryable {
  readonly dialect = 'postgres';
  readonly manager: EntityManager;

  /** @param pool below TypeORM, whose query runner costs more than the statement */
  constructor(
    source: DataSource,
    private readonly pool: pg.Pool,
    private readonly metrics: DatabaseMetrics,
  ) {
    this.manager = source.manager;
  }

  /** @throws the driver's error */
  async all<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row[]> {
    return (await this.query(sql, parameters)).rows as Row[];
  }

  /** The number of rows that were changed. @throws the driver's error */
  async run(sql: string, parameters: readonly SqlValue[] = []): Promise<number> {
    return (await this.query(sql, parameters)).rowCount ?? 0;
  }

  private async query(sql: string, parameters: readonly SqlValue[]): Promise<pg.QueryResult> {
    try {
      return await this.pool.query(numbered(sql), [...parameters]);
    } catch (error) {
      if (isDatabaseFailure(error)) this.metrics.errors.add();
      throw error;
    }
  }

  /** @throws Error always: outside of a transaction nobody would get the error of the statement */
  send(): void {
    throw new Error('Only a transaction can send statements');
  }
}

/**
 * A transaction on one connection. Statements are pipelined: what is sent without waiting for an answer, such as
 * BEGIN, shares the round trip of the next statement.
 */
class PostgresTransaction implements Queryable {
  readonly dialect = 'postgres';
  /** The statements whose answers nobody has waited for. */
  private readonly sent: Promise<unknown>[] = [];

  constructor(
    private readonly client: pg.PoolClient,
    readonly manager: EntityManager,
  ) {
    this.send('BEGIN');
  }

  /** @throws the driver's error */
  async all<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row[]> {
    return (await this.query(sql, parameters)).rows as Row[];
  }

  /** The number of rows that were changed. @throws the driver's error */
  async run(sql: string, parameters: readonly SqlValue[] = []): Promise<number> {
    return (await this.query(sql, parameters)).rowCount ?? 0;
  }

  send(sql: string, parameters: readonly SqlValue[] = []): void {
    const answer = this.query(sql, parameters);
    // The commit throws the error.
    answer.catch(() => undefined);
    this.sent.push(answer);
  }

  /** @throws the error of a statement that was sent: PostgreSQL has then undone the transaction; the driver's error */
  async commit(): Promise<void> {
    this.send('COMMIT');
    await Promise.all(this.sent);
  }

  /** Undoes the transaction. Without effect if the connection is lost. */
  async rollback(): Promise<void> {
    await this.query('ROLLBACK', []).catch(() => undefined);
    await Promise.allSettled(this.sent);
  }

  private query(sql: string, parameters: readonly SqlValue[]): Promise<pg.QueryResult> {
    return this.client.query(numbered(sql), [...parameters]);
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

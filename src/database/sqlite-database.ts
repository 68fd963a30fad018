import type BetterSqlite3 from 'better-sqlite3';
import { DataSource, type EntityManager } from 'typeorm';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import { Database } from './database.js';
import type { Queryable, SqlValue } from './queryable.js';
import { type Transaction, transactionOn } from './transaction.js';

interface PendingWrite {
  readonly work: (tx: Queryable & Transaction) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** SQLite in one file: one connection writes, group by group; another, read-only one reads at the same time. */
export class SqliteDatabase extends Database {
  readonly dialect = 'sqlite';
  readonly read: Queryable;
  private readonly writer: SqliteConnection;
  private pending: PendingWrite[] = [];
  private flushing: Promise<void> | undefined;

  /** Both data sources are initialised, migrations applied. */
  constructor(
    private readonly writerSource: DataSource,
    private readonly readerSource: DataSource,
  ) {
    super();
    this.writer = new SqliteConnection(writerSource);
    this.read = new CommittedReads(this.writer, new SqliteConnection(readerSource));
  }

  write<T>(work: (tx: Queryable & Transaction) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.pending.push({ work, resolve: resolve as (value: unknown) => void, reject });
      this.flushing ??= this.flush();
    });
  }

  async ping(): Promise<void> {
    await this.read.all('SELECT 1 AS one');
  }

  async close(): Promise<void> {
    await this.flushing;
    await this.readerSource.destroy();
    await this.writerSource.destroy();
  }

  /** Collects what is written in this turn of the event loop, then commits group by group. */
  private async flush(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.pending.length > 0) {
      const group = this.pending;
      this.pending = [];
      await this.commit(group);
    }
    this.flushing = undefined;
  }

  private async commit(group: readonly PendingWrite[]): Promise<void> {
    const settle: (() => void)[] = [];
    try {
      this.writer.exec('BEGIN IMMEDIATE');
      if (group.length === 1) settle.push(await answerOf(group[0] as PendingWrite, transactionOn(this.writer)));
      else for (const write of group) settle.push(await this.attempt(write));
      this.writer.exec('COMMIT');
    } catch (error) {
      if (this.writer.inTransaction) this.writer.exec('ROLLBACK');
      for (const write of group) write.reject(error);
      return;
    }
    for (const done of settle) done();
  }

  /** Runs one write behind a savepoint. Returns a function that settles its promise, called after the commit. */
  private async attempt(write: PendingWrite): Promise<() => void> {
    this.writer.exec('SAVEPOINT one_write');
    try {
      const value = await write.work(transactionOn(this.writer));
      this.writer.exec('RELEASE one_write');
      return () => write.resolve(value);
    } catch (error) {
      this.writer.exec('ROLLBACK TO one_write');
      this.writer.exec('RELEASE one_write');
      return () => write.reject(error);
    }
  }
}

/** Runs the only write of a transaction: its error rolls the transaction back. */
async function answerOf({ work, resolve }: PendingWrite, tx: Queryable & Transaction): Promise<() => void> {
  const value = await work(tx);
  return () => resolve(value);
}

/**
 * Reads on the writing connection between two transactions: it then sees only what is committed, and its
 * pages are still in memory. The reading connection drops all its pages after every commit; it serves the
 * reads that arrive during a transaction, and the entity manager.
 */
class CommittedReads implements Queryable {
  readonly dialect = 'sqlite';

  constructor(
    private readonly writer: SqliteConnection,
    private readonly reader: SqliteConnection,
  ) {}

  get manager(): EntityManager {
    return this.reader.manager;
  }

  all<Row>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]> {
    // The reading connection rejects writes.
    const isIdle = !this.writer.inTransaction && this.writer.isRead(sql);
    return (isIdle ? this.writer : this.reader).all(sql, parameters);
  }

  run(sql: string, parameters?: readonly SqlValue[]): Promise<number> {
    return this.reader.run(sql, parameters);
  }
}

/** Prepared statements on the driver below TypeORM, ten times cheaper than its query runner. */
class SqliteConnection implements Queryable {
  readonly dialect = 'sqlite';
  readonly manager: EntityManager;
  private readonly handle: BetterSqlite3.Database;
  private readonly statements = new Map<string, BetterSqlite3.Statement>();

  constructor(source: DataSource) {
    this.handle = (source.driver as BetterSqlite3Driver).databaseConnection as BetterSqlite3.Database;
    this.manager = source.createQueryRunner().manager;
  }

  get inTransaction(): boolean {
    return this.handle.inTransaction;
  }

  /** True for a statement that changes nothing, and for an invalid one. */
  isRead(sql: string): boolean {
    try {
      return this.prepare(sql).readonly;
    } catch {
      return true;
    }
  }

  exec(sql: string): void {
    this.prepare(sql).run();
  }

  all<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row[]> {
    try {
      return Promise.resolve(this.prepare(sql).all(parameters) as Row[]);
    } catch (error) {
      return rejected(error);
    }
  }

  run(sql: string, parameters: readonly SqlValue[] = []): Promise<number> {
    try {
      return Promise.resolve(this.prepare(sql).run(parameters).changes);
    } catch (error) {
      return rejected(error);
    }
  }

  private prepare(sql: string): BetterSqlite3.Statement {
    let statement = this.statements.get(sql);
    if (!statement) {
      statement = this.handle.prepare(sql);
      this.statements.set(sql, statement);
    }
    return statement;
  }
}

/** The driver is synchronous: its errors become rejections, as on PostgreSQL. */
function rejected(error: unknown): Promise<never> {
  // The driver's error is passed on unchanged.
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
  return Promise.reject(error);
}

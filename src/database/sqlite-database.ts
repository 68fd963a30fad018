import type BetterSqlite3 from 'better-sqlite3';
import { DataSource, type EntityManager } from 'typeorm';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import { Database } from './database.js';
import type { Queryable, SqlValue } from './queryable.js';
import { type Transaction, transactionOn } from './transaction.js';

/** A write that waits for its group. */
interface PendingWrite {
  /** Runs inside the group's transaction. */
  readonly work: (tx: Queryable & Transaction) => Promise<unknown>;
  /** Called with the value of `work` after the commit. */
  readonly resolve: (value: unknown) => void;
  /** Called when the write or the group's transaction has failed. */
  readonly reject: (error: unknown) => void;
}

/** SQLite in one file: one connection writes, group by group; another, read-only one reads at the same time. */
export class SqliteDatabase extends Database {
  /** SQL that depends on the database is chosen by this name. */
  readonly dialect = 'sqlite';
  /** Reads see only committed data, also while a group is being written. */
  readonly read: Queryable;
  /** The only connection that writes. */
  private readonly writer: SqliteConnection;
  /** The writes of the next group. */
  private pending: PendingWrite[] = [];
  /** The loop that commits the groups; undefined while nothing waits. */
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

  /** Resolves after the commit of the write's group. An error rolls back this write alone, not its group. */
  write<T>(work: (tx: Queryable & Transaction) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.pending.push({ work, resolve: resolve as (value: unknown) => void, reject });
      this.flushing ??= this.flush();
    });
  }

  /** @throws the driver's error if the file cannot be read */
  async ping(): Promise<void> {
    await this.read.all('SELECT 1 AS one');
  }

  /** Waits for the writes that were accepted, then closes both connections. */
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

  /** One transaction for the group: the write to disk is paid once. A failed commit rejects every write of it. */
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
  /** SQL that depends on the database is chosen by this name. */
  readonly dialect = 'sqlite';

  constructor(
    private readonly writer: SqliteConnection,
    private readonly reader: SqliteConnection,
  ) {}

  /** The entity manager of the reading connection. */
  get manager(): EntityManager {
    return this.reader.manager;
  }

  /** @throws the driver's error */
  all<Row>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]> {
    // The reading connection rejects writes.
    const isIdle = !this.writer.inTransaction && this.writer.isRead(sql);
    return (isIdle ? this.writer : this.reader).all(sql, parameters);
  }

  /** Always on the reading connection, which rejects it if it writes. */
  run(sql: string, parameters?: readonly SqlValue[]): Promise<number> {
    return this.reader.run(sql, parameters);
  }
}

/** Prepared statements on the driver below TypeORM, ten times cheaper than its query runner. */
class SqliteConnection implements Queryable {
  /** SQL that depends on the database is chosen by this name. */
  readonly dialect = 'sqlite';
  /** For entities; its statements do not use the cache below. */
  readonly manager: EntityManager;
  /** The driver's connection, shared with TypeORM. */
  private readonly handle: BetterSqlite3.Database;
  /** Prepared statements, by their text. */
  private readonly statements = new Map<string, BetterSqlite3.Statement>();

  constructor(source: DataSource) {
    this.handle = (source.driver as BetterSqlite3Driver).databaseConnection as BetterSqlite3.Database;
    this.manager = source.createQueryRunner().manager;
  }

  /** True between BEGIN and COMMIT or ROLLBACK. */
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

  /** @throws the driver's error, synchronously */
  exec(sql: string): void {
    this.prepare(sql).run();
  }

  /** Runs synchronously; errors are rejections. */
  all<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row[]> {
    try {
      return Promise.resolve(this.prepare(sql).all(parameters) as Row[]);
    } catch (error) {
      return rejected(error);
    }
  }

  /** The number of rows that were changed. */
  run(sql: string, parameters: readonly SqlValue[] = []): Promise<number> {
    try {
      return Promise.resolve(this.prepare(sql).run(parameters).changes);
    } catch (error) {
      return rejected(error);
    }
  }

  /** @throws the driver's error for invalid SQL */
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

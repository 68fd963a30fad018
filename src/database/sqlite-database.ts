import type { DataSource, EntityManager } from 'typeorm';
import { Checkpointer } from './checkpointer.js';
import type { ContentSeals } from './content/content-seals.js';
import { Database, isDatabaseFailure, type RunDatabase } from './database.js';
import type { DatabaseMetrics } from './database.metrics.js';
import { SeparateLooks } from './looks.js';
import type { Queryable, SqlValue } from './queryable.js';
import { rewriteFile } from './rewrite-file.js';
import { SqliteConnection } from './sqlite-connection.js';
import { type Transaction, transactionOn } from './transaction.js';
import { WriteAheadLog } from './write-ahead-log.js';

/** A write that waits for its group. */
interface PendingWrite {
  /** Runs inside the group's transaction. */
  readonly work: (tx: Queryable & Transaction) => Promise<unknown>;
  /** Called with the value of `work` after the commit, before it is on the disk. */
  readonly committed: ((value: unknown) => void) | undefined;
  /** Called with the value of `work` when the commit is on the disk. */
  readonly resolve: (value: unknown) => void;
  /** Called when the write or the group's transaction has failed. */
  readonly reject: (error: unknown) => void;
}

/** How a write is answered once its group is committed. */
interface Answer {
  /** Called after the commit, before it is on the disk. */
  readonly committed?: (() => void) | undefined;
  /** Settles the promise of the write, when the commit is on the disk. */
  readonly settle: () => void;
}

/** SQLite in one file: one connection writes, group by group; another, read-only one reads at the same time. */
export class SqliteDatabase extends Database {
  /** SQL that depends on the database is chosen by this name. */
  readonly dialect = 'sqlite';
  /** Reads see only committed data, also while a group is being written. */
  readonly read: Queryable;
  readonly forRuns: RunDatabase;
  /** The only connection that writes. */
  private readonly writer: SqliteConnection;
  /** Undefined when commits do not wait for the disk. */
  private readonly log: WriteAheadLog | undefined;
  private readonly checkpointer: Checkpointer;
  /** The changes of the writer at the last commit. */
  private changes = 0;
  /** The writes of the next group. */
  private pending: PendingWrite[] = [];
  /** The loop that commits the groups; undefined while nothing waits. */
  private flushing: Promise<void> | undefined;

  /**
   * Both data sources are initialised, migrations applied.
   *
   * @param file the database file
   * @param isStrict whether writes, and reads of what was written, wait for the disk
   */
  constructor(
    private readonly writerSource: DataSource,
    private readonly readerSource: DataSource,
    private readonly file: string,
    isStrict: boolean,
    private readonly metrics: DatabaseMetrics,
  ) {
    super();
    this.writer = new SqliteConnection(writerSource);
    this.log = isStrict ? new WriteAheadLog(file, this.writer) : undefined;
    this.checkpointer = new Checkpointer(file);
    const reader = new SqliteConnection(readerSource);
    this.read = new CommittedReads(this.writer, reader, this.log);
    const content = (): ContentSeals => this.content;
    this.forRuns = {
      dialect: 'sqlite',
      get content() {
        return content();
      },
      read: this.read,
      readUnsynced: new CommittedReads(this.writer, reader, undefined),
      looks: new SeparateLooks(this.read),
      write: (work) => this.writeAtOnce(work),
    };
  }

  /** Resolves after the commit of the write's group. An error rolls back this write alone, not its group. */
  write<T>(work: (tx: Queryable & Transaction) => Promise<T>, committed?: (value: T) => void): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.pending.push({ work, committed, resolve, reject } as PendingWrite);
      this.flushing ??= this.flush();
    });
  }

  /**
   * As `write`, because writers do not wait for locks of each other; but without waiting for what else is written in this
   * turn of the event loop: such work is rare, or gathered already.
   */
  private writeAtOnce<T>(work: (tx: Queryable & Transaction) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.pending.push({ work, committed: undefined, resolve, reject } as PendingWrite);
      this.flushing ??= this.commitPending();
    });
  }

  /** Writes wait until it is done; reads go on. @throws the driver's error */
  async clearRemoved(): Promise<void> {
    while (this.flushing) await this.flushing;
    const cleared = rewriteFile(this.file);
    const rest = (): Promise<void> => this.commitPending();
    this.flushing = cleared.then(rest, rest);
    await cleared;
  }

  /** @throws the driver's error if the file cannot be read */
  async ping(): Promise<void> {
    await this.read.all('SELECT 1 AS one');
  }

  /** Waits for the writes that were accepted, then closes both connections. */
  async close(): Promise<void> {
    await this.flushing;
    await this.log?.close();
    await this.checkpointer.close();
    await this.readerSource.destroy();
    await this.writerSource.destroy();
  }

  /** Collects what is written in this turn of the event loop, then commits group by group. */
  private async flush(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    await this.commitPending();
  }

  private async commitPending(): Promise<void> {
    while (this.pending.length > 0) {
      const group = this.pending;
      this.pending = [];
      await this.commit(group);
    }
    this.flushing = undefined;
  }

  /**
   * One transaction for the group: the write to disk is paid once. A failed commit rejects every write of it, and so
   * does a disk that reports an error, after which it is unknown whether the group is committed.
   */
  private async commit(group: readonly PendingWrite[]): Promise<void> {
    const answers: Answer[] = [];
    try {
      this.writer.exec('BEGIN IMMEDIATE');
      if (group.length === 1) answers.push(await answerOf(group[0] as PendingWrite, transactionOn(this.writer)));
      else for (const write of group) answers.push(await this.attempt(write));
      this.writer.exec('COMMIT');
      this.noticeChanges();
      const synced = this.log?.durable();
      for (const { committed } of answers) committed?.();
      await synced;
    } catch (error) {
      if (isDatabaseFailure(error)) this.metrics.errors.add();
      if (this.writer.inTransaction) this.writer.exec('ROLLBACK');
      for (const write of group) write.reject(error);
      return;
    }
    for (const { settle } of answers) settle();
  }

  /** Also counts what was rolled back since the last commit. */
  private noticeChanges(): void {
    const { changes } = this.writer;
    const rows = changes - this.changes;
    this.changes = changes;
    if (rows === 0) return;
    this.log?.committed();
    this.checkpointer.committed(rows);
  }

  /** Runs one write behind a savepoint. */
  private async attempt(write: PendingWrite): Promise<Answer> {
    this.writer.exec('SAVEPOINT one_write');
    try {
      const answer = await answerOf(write, transactionOn(this.writer));
      this.writer.exec('RELEASE one_write');
      return answer;
    } catch (error) {
      this.writer.exec('ROLLBACK TO one_write');
      this.writer.exec('RELEASE one_write');
      return { settle: () => write.reject(error) };
    }
  }
}

/** Runs a write. @throws what its work throws */
async function answerOf({ work, committed, resolve }: PendingWrite, tx: Queryable & Transaction): Promise<Answer> {
  const value = await work(tx);
  return { committed: committed && (() => committed(value)), settle: () => resolve(value) };
}

/**
 * Reads on the writing connection between two transactions: it then sees only what is committed, and its
 * pages are still in memory. The reading connection drops all its pages after every commit; it serves the
 * reads that arrive during a transaction, and the entity manager. A result that may hold commits which are not on the
 * disk yet is returned when they are.
 */
class CommittedReads implements Queryable {
  /** SQL that depends on the database is chosen by this name. */
  readonly dialect = 'sqlite';

  constructor(
    private readonly writer: SqliteConnection,
    private readonly reader: SqliteConnection,
    private readonly log: WriteAheadLog | undefined,
  ) {
    if (log) reader.afterManagerQueries(() => log.durable());
  }

  /** The entity manager of the reading connection. */
  get manager(): EntityManager {
    return this.reader.manager;
  }

  /** @throws the driver's error; that of `WriteAheadLog.durable` */
  all<Row>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]> {
    // The reading connection rejects writes.
    const isIdle = !this.writer.inTransaction && this.writer.isRead(sql);
    const rows = (isIdle ? this.writer : this.reader).all<Row>(sql, parameters);
    const sync = this.log?.durable();
    return sync ? Promise.all([rows, sync]).then(([found]) => found) : rows;
  }

  /** Always on the reading connection, which rejects it if it writes. */
  send(sql: string, parameters?: readonly SqlValue[]): void {
    this.reader.send(sql, parameters);
  }

  /** Always on the reading connection, which rejects it if it writes. */
  run(sql: string, parameters?: readonly SqlValue[]): Promise<number> {
    return this.reader.run(sql, parameters);
  }
}

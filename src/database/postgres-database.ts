import type pg from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import type { ContentSeals } from './content/content-seals.js';
import { searchPath } from './database-schema.js';
import { Database, isDatabaseFailure, isDeadlock, type RunDatabase } from './database.js';
import type { DatabaseMetrics } from './database.metrics.js';
import type { DatabaseSettings } from './database.settings.js';
import { KeyedTurns } from './keyed-turns.js';
import { JoinedLooks } from './looks.js';
import { PooledReads, RequestReads } from './postgres-reads.js';
import { PostgresTransaction } from './postgres-transaction.js';
import { PreparedStatements } from './prepared-statements.js';
import type { Queryable } from './queryable.js';
import { cut, PATIENT_MS, type RequestWait, RequestWaits, ignoreError } from './request-waits.js';
import { type Transaction, transactionOn } from './transaction.js';

/** Attempts of a write that is chosen as a deadlock's victim. */
const DEADLOCK_TRIES = 4;

/**
 * How long a statement that no request waits for may wait for a lock, in milliseconds: longer than PostgreSQL lets a
 * transaction of a paused process hold one, shorter than its connection is kept.
 */
const PATIENT_LOCK_MS = 25_000;

const MOST_RESERVED = 3;

/** PostgreSQL: every write is a transaction on a pooled connection. */
export class PostgresDatabase extends Database {
  /** SQL that depends on the database is chosen by this name. */
  readonly dialect = 'postgres';
  /** Each statement on a pooled connection of its own, outside of a transaction. */
  readonly read: Queryable;
  readonly forRuns: RunDatabase;
  private readonly waits: RequestWaits;
  private readonly joined: JoinedLooks;
  private readonly statements: PreparedStatements;
  private readonly turns = new KeyedTurns();
  private readonly lockWaitMs: number;
  /** What each transaction begins with, except for its longest wait for a lock. */
  private readonly opening: string;

  /**
   * The data source is initialised, migrations applied.
   *
   * @param settings whether commits wait for the disk, how long requests wait for a connection and for a lock, how long a
   *   transaction may be idle, and whether statements are kept prepared
   */
  constructor(
    private readonly source: DataSource,
    settings: Pick<
      DatabaseSettings,
      'durability' | 'poolSize' | 'waitMs' | 'lockWaitMs' | 'idleTransactionMs' | 'preparedStatements' | 'schema'
    >,
    private readonly metrics: DatabaseMetrics,
  ) {
    super();
    this.lockWaitMs = settings.lockWaitMs;
    const pool = (source.driver as PostgresDriver).master as pg.Pool;
    const { poolSize } = settings;
    this.waits = new RequestWaits(settings.waitMs, poolSize - reserved(poolSize), (withinMs) => probe(pool, withinMs));
    metrics.watch(pool, poolSize, () => this.waits.queuedCount);
    this.statements = new PreparedStatements(settings.preparedStatements);
    this.opening = opening(settings);
    this.read = new RequestReads(source, pool, metrics, this.waits, settings.schema);
    const patientRead = new PooledReads(source, pool, metrics, this.waits, settings.schema);
    this.joined = new JoinedLooks((statements) => patientRead.together(statements));
    const content = (): ContentSeals => this.content;
    this.forRuns = {
      dialect: 'postgres',
      get content() {
        return content();
      },
      read: patientRead,
      // PostgreSQL shows a commit only once it is as durable as DURABILITY asks for.
      readUnsynced: patientRead,
      looks: this.joined,
      write: (work, { lockWaitMs = PATIENT_LOCK_MS } = {}) => this.repeat(() => this.attempt(work, lockWaitMs)),
    };
  }

  async write<T>(
    work: (tx: Queryable & Transaction) => Promise<T>,
    committed?: (value: T) => void,
    lockKey?: string,
  ): Promise<T> {
    const turn = lockKey === undefined ? undefined : this.turns.take(lockKey, this.lockWaitMs);
    if (turn) await turn;
    try {
      const value = await this.repeat(() => this.promptly(work));
      committed?.(value);
      return value;
    } finally {
      if (lockKey !== undefined) this.turns.release(lockKey);
    }
  }

  /** Runs an attempt again after a deadlock, so it must have no effect outside of the transaction. */
  private async repeat<T>(attempt: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (isDatabaseFailure(error)) this.metrics.errors.add();
        // The database chose this write to break a deadlock: nothing of it was written.
        if (!isDeadlock(error) || tries === DEADLOCK_TRIES) throw error;
      }
    }
  }

  /** An attempt of a request. */
  private async promptly<T>(work: (tx: Queryable & Transaction) => Promise<T>): Promise<T> {
    const wait = this.waits.begin();
    try {
      return await this.attempt(work, this.lockWaitMs, wait);
    } finally {
      wait.end();
    }
  }

  /** One attempt. The connection returns to the pool in every case. */
  private async attempt<T>(
    work: (tx: Queryable & Transaction) => Promise<T>,
    lockWaitMs: number,
    wait?: RequestWait,
  ): Promise<T> {
    const runner = this.source.createQueryRunner();
    // TypeORM locks rows in transactions only, and does not see the BEGIN below.
    Object.assign(runner, { isTransactionActive: true });
    const askedAt = performance.now();
    const connect = (): Promise<pg.PoolClient> => runner.connect() as Promise<pg.PoolClient>;
    // A runner that is released before it has its connection would keep it.
    const client = await (wait ? wait.connected(connect, () => void runner.release()) : connect());
    this.metrics.poolWait.observe((performance.now() - askedAt) / 1000);
    const begin = `${this.opening}; SET LOCAL lock_timeout = ${lockWaitMs}`;
    const { waits, statements } = this;
    const tx = new PostgresTransaction({ client, manager: runner.manager, waits, statements, begin });
    const limit = wait ? undefined : setTimeout(() => cut(client, { cancels: !tx.isCommitting }), PATIENT_MS);
    try {
      const value = await work(transactionOn(tx));
      await tx.commit();
      return value;
    } catch (error) {
      await tx.rollback();
      throw error;
    } finally {
      clearTimeout(limit);
      await runner.release();
    }
  }

  /** Rows are removed: the rest is `VACUUM`. */
  clearRemoved(): Promise<void> {
    return Promise.resolve();
  }

  /** @throws the driver's error if the server does not answer */
  async ping(): Promise<void> {
    await this.read.all('SELECT 1');
  }

  /** Closes the pool. Statements fail afterwards. */
  async close(): Promise<void> {
    this.joined.close();
    await this.source.destroy();
  }
}

/** Connections of a pool that requests leave to heartbeats, sweeps and the commits of running runs. */
function reserved(poolSize: number): number {
  return Math.min(MOST_RESERVED, Math.max(1, Math.floor(poolSize / 3)));
}

/**
 * BEGIN and settings of the transaction in one text, which costs no round trip. Not once per connection: behind a pooler
 * the next transaction may have another one. The server ends a transaction whose process is paused or gone, and so frees
 * its locks.
 */
function opening({
  durability,
  idleTransactionMs,
  schema,
}: Pick<DatabaseSettings, 'durability' | 'idleTransactionMs' | 'schema'>): string {
  return [
    'BEGIN',
    ...(durability === 'relaxed' ? ['SET LOCAL synchronous_commit TO off'] : []),
    ...(schema === undefined ? [] : [searchPath(schema)]),
    `SET LOCAL idle_in_transaction_session_timeout = ${idleTransactionMs}`,
  ].join('; ');
}

/** Whether the database answers, over an idle connection or a new one. @throws Error if it does not in time */
async function probe(pool: pg.Pool, withinMs: number): Promise<void> {
  const pooled = pool.idleCount > 0 ? await pool.connect() : undefined;
  const client = pooled ?? newClient(pool, withinMs);
  client.on('error', ignoreError);
  const timer = setTimeout(() => cut(client, { cancels: false }), withinMs);
  try {
    if (!pooled) await client.connect();
    await client.query('SELECT 1');
  } finally {
    clearTimeout(timer);
    client.off('error', ignoreError);
    if (pooled) pooled.release();
    else cut(client, { cancels: false });
  }
}

/** A connection outside of a pool. */
function newClient(pool: pg.Pool, withinMs: number): pg.Client {
  // The class that the pool makes its connections of, and its options, of which the password is not enumerable.
  const { Client, options } = pool as pg.Pool & { readonly Client: typeof pg.Client };
  return new Client({ ...options, password: options.password, connectionTimeoutMillis: withinMs });
}

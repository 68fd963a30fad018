import type pg from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { Database, isDatabaseFailure, isDeadlock } from './database.js';
import type { DatabaseMetrics } from './database.metrics.js';
import type { DatabaseSettings } from './database.settings.js';
import type { Queryable, SqlValue } from './queryable.js';
import { cut, type RequestWait, RequestWaits } from './request-waits.js';
import { type Transaction, transactionOn } from './transaction.js';

/** Attempts of a write that is chosen as a deadlock's victim. */
const DEADLOCK_TRIES = 4;

/**
 * How long work may take that no request waits for, in milliseconds: far longer than it does. Its connection counts as
 * dead then. Without a limit, a server that has vanished would hold it for as long as the operating system does.
 */
const PATIENT_MS = 30_000;

/** PostgreSQL: every write is a transaction on a pooled connection. */
export class PostgresDatabase extends Database {
  /** SQL that depends on the database is chosen by this name. */
  readonly dialect = 'postgres';
  /** Each statement on a pooled connection of its own, outside of a transaction. */
  readonly read: Queryable;
  /** PostgreSQL shows a commit only once it is as durable as DURABILITY asks for. Runs read with it, so it is patient. */
  readonly readUnsynced: Queryable;
  readonly patientRead: Queryable;
  private readonly isRelaxed: boolean;
  private readonly waits: RequestWaits;

  /**
   * The data source is initialised, migrations applied.
   *
   * @param settings whether commits wait for the disk, and how long requests wait for a connection
   */
  constructor(
    private readonly source: DataSource,
    { durability, waitMs }: Pick<DatabaseSettings, 'durability' | 'waitMs'>,
    private readonly metrics: DatabaseMetrics,
  ) {
    super();
    this.isRelaxed = durability === 'relaxed';
    const pool = (source.driver as PostgresDriver).master as pg.Pool;
    metrics.watch(pool, pool.options.max ?? 0);
    this.waits = new RequestWaits(waitMs, (withinMs) => probe(pool, withinMs));
    pool.on('acquire', () => this.waits.acquired());
    this.read = new RequestReads(source, pool, metrics, this.waits);
    this.patientRead = new PooledReads(source, pool, metrics, this.waits);
    this.readUnsynced = this.patientRead;
  }

  async write<T>(work: (tx: Queryable & Transaction) => Promise<T>, committed?: (value: T) => void): Promise<T> {
    const value = await this.repeat(() => this.promptly(work));
    committed?.(value);
    return value;
  }

  override writePatiently<T>(work: (tx: Queryable & Transaction) => Promise<T>): Promise<T> {
    return this.repeat(() => this.attempt(work));
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
      return await this.attempt(work, wait);
    } finally {
      wait.end();
    }
  }

  /** One attempt. The connection returns to the pool in every case. */
  private async attempt<T>(work: (tx: Queryable & Transaction) => Promise<T>, wait?: RequestWait): Promise<T> {
    const runner = this.source.createQueryRunner();
    const askedAt = performance.now();
    const connecting = runner.connect() as Promise<pg.PoolClient>;
    // A runner that is released before it has its connection would keep it.
    const client = await (wait ? wait.connected(connecting, () => void runner.release()) : connecting);
    this.metrics.poolWait.observe((performance.now() - askedAt) / 1000);
    const limit = wait ? undefined : setTimeout(() => cut(client), PATIENT_MS);
    const tx = new PostgresTransaction(client, runner.manager, this.waits);
    // Not once per connection: behind a pooler the next transaction may have another one.
    if (this.isRelaxed) tx.send('SET LOCAL synchronous_commit TO off');
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

  /** @throws the driver's error if the server does not answer */
  async ping(): Promise<void> {
    await this.read.all('SELECT 1');
  }

  /** Closes the pool. Statements fail afterwards. */
  async close(): Promise<void> {
    await this.source.destroy();
  }
}

/** Whether the database answers, over an idle connection or a new one. @throws Error if it does not in time */
async function probe(pool: pg.Pool, withinMs: number): Promise<void> {
  const pooled = pool.idleCount > 0 ? await pool.connect() : undefined;
  const client = pooled ?? newClient(pool, withinMs);
  client.on('error', ignore);
  const timer = setTimeout(() => cut(client), withinMs);
  try {
    if (!pooled) await client.connect();
    await client.query('SELECT 1');
  } finally {
    clearTimeout(timer);
    client.off('error', ignore);
    if (pooled) pooled.release();
    else cut(client);
  }
}

/** A connection beside those of a pool. */
function newClient(pool: pg.Pool, withinMs: number): pg.Client {
  // The class that the pool makes its connections of, and its options, of which the password is not enumerable.
  const { Client, options } = pool as pg.Pool & { readonly Client: typeof pg.Client };
  return new Client({ ...options, password: options.password, connectionTimeoutMillis: withinMs });
}

/** Single statements with `?` placeholders, each on a connection of the pool. */
class PooledReads implements Queryable {
  readonly dialect = 'postgres';
  readonly manager: EntityManager;

  /** @param pool below TypeORM, whose query runner costs more than the statement */
  constructor(
    source: DataSource,
    protected readonly pool: pg.Pool,
    private readonly metrics: DatabaseMetrics,
    protected readonly waits: RequestWaits,
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
      const result = await this.ask(numbered(sql), [...parameters]);
      this.waits.answered();
      return result;
    } catch (error) {
      if (isDatabaseFailure(error)) this.metrics.errors.add();
      throw error;
    }
  }

  protected async ask(sql: string, parameters: SqlValue[]): Promise<pg.QueryResult> {
    const client = await this.pool.connect();
    const limit = setTimeout(() => cut(client), PATIENT_MS);
    try {
      return await askOn(client, sql, parameters);
    } finally {
      clearTimeout(limit);
    }
  }

  /** @throws Error always: outside of a transaction nobody would get the error of the statement */
  send(): void {
    throw new Error('Only a transaction can send statements');
  }
}

/** Statements of requests: they fail after DATABASE_WAIT_MS without a connection. */
class RequestReads extends PooledReads {
  protected override async ask(sql: string, parameters: SqlValue[]): Promise<pg.QueryResult> {
    const wait = this.waits.begin();
    try {
      return await askOn(await wait.connected(this.pool.connect(), (late) => late.release()), sql, parameters);
    } finally {
      wait.end();
    }
  }
}

/** One statement on a connection of the pool, which returns to it in every case. */
async function askOn(client: pg.PoolClient, sql: string, parameters: SqlValue[]): Promise<pg.QueryResult> {
  let failure: Error | undefined;
  // The statement fails too: nobody else needs to know.
  client.on('error', ignore);
  try {
    return await client.query(sql, parameters);
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    client.off('error', ignore);
    client.release(failure);
  }
}

function ignore(): void {
  // The error of a connection is that of the statement which waits for its answer.
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
    private readonly waits: RequestWaits,
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

  private async query(sql: string, parameters: readonly SqlValue[]): Promise<pg.QueryResult> {
    const result = await this.client.query(numbered(sql), [...parameters]);
    this.waits.answered();
    return result;
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

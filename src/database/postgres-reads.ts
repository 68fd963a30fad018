import type pg from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { QueryResult } from 'typeorm/query-runner/QueryResult.js';
import { searchPath } from './database-schema.js';
import { isDatabaseFailure } from './database.js';
import type { DatabaseMetrics } from './database.metrics.js';
import { socketOf } from './postgres-transaction.js';
import type { LookStatement } from './looks.js';
import { numbered } from './prepared-statements.js';
import type { Queryable, SqlValue } from './queryable.js';
import { cut, ignoreError, PATIENT_MS, type RequestWaits } from './request-waits.js';

/** How long statements that are read together may wait for a lock, in milliseconds. */
const LOCK_TIMEOUT_MS = 1000;

/** Statements, which are sent on a connection. */
type Query<Result> = (client: pg.PoolClient) => Promise<Result>;

/** Single statements with `?` placeholders, each on a connection of the pool. */
export class PooledReads implements Queryable {
  readonly dialect = 'postgres';
  readonly manager: EntityManager;
  /** The settings before a statement, in its transaction: the next one may get another connection of a pooler. */
  private readonly opening: string | undefined;

  /** @param pool below TypeORM, whose query runner costs more than the statement */
  constructor(
    source: DataSource,
    protected readonly pool: pg.Pool,
    private readonly metrics: DatabaseMetrics,
    protected readonly waits: RequestWaits,
    /** Where the tables are, if not where the role looks for them. */
    schema: string | undefined,
  ) {
    this.manager = this.managerOf(source);
    this.opening = schema === undefined ? undefined : `BEGIN; ${searchPath(schema)}`;
  }

  /** @throws the driver's error */
  async all<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row[]> {
    return (await this.query(numbered(sql), [...parameters])).rows as Row[];
  }

  /** The number of rows that were changed. @throws the driver's error */
  async run(sql: string, parameters: readonly SqlValue[] = []): Promise<number> {
    return (await this.query(numbered(sql), [...parameters])).rowCount ?? 0;
  }

  /**
   * The rows of several statements, read in one transaction. None waits for long for a lock, such as that of a change of a
   * table: it would hold up the others.
   *
   * @throws the driver's error
   */
  async together(statements: readonly LookStatement[]): Promise<unknown[][]> {
    const [first] = statements;
    if (!first || statements.length === 1) return first ? [await this.all(first.sql, first.parameters)] : [];
    const results = await this.watched((client) =>
      inTransaction(client, `${this.opening ?? 'BEGIN'}; SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`, () =>
        statements.map(({ sql, parameters }) => client.query(numbered(sql), [...parameters])),
      ),
    );
    return results.map(({ rows }) => rows as unknown[]);
  }

  /** The entities of TypeORM, whose statements wait for a connection as all others of these reads do. */
  private managerOf(source: DataSource): EntityManager {
    const runner = source.createQueryRunner();
    const query = async (text: string, values: unknown[] = [], isStructured = false): Promise<unknown> => {
      const { rows } = await this.query(text, values);
      return isStructured ? Object.assign(new QueryResult(), { records: rows, raw: rows }) : rows;
    };
    runner.query = query as typeof runner.query;
    return runner.manager;
  }

  /** @param text with `$1` for the first parameter */
  private query(text: string, values: unknown[]): Promise<pg.QueryResult> {
    return this.watched((client) => this.queryOn(client, text, values));
  }

  private async watched<Result>(query: Query<Result>): Promise<Result> {
    try {
      const result = await this.ask(query);
      this.waits.answered();
      return result;
    } catch (error) {
      if (isDatabaseFailure(error)) this.metrics.errors.add();
      throw error;
    }
  }

  private async queryOn(client: pg.PoolClient, text: string, values: unknown[]): Promise<pg.QueryResult> {
    if (this.opening === undefined) return client.query(text, values);
    const [result] = await inTransaction(client, this.opening, () => [client.query(text, values)] as const);
    return result;
  }

  protected async ask<Result>(query: Query<Result>): Promise<Result> {
    const client = await this.pool.connect();
    const limit = setTimeout(() => cut(client), PATIENT_MS);
    try {
      return await askOn(client, query);
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
export class RequestReads extends PooledReads {
  protected override async ask<Result>(query: Query<Result>): Promise<Result> {
    const wait = this.waits.begin();
    try {
      return await askOn(
        await wait.connected(
          () => this.pool.connect(),
          (late) => late.release(),
        ),
        query,
      );
    } finally {
      wait.end();
    }
  }
}

/** One statement on a connection of the pool, which returns to it in every case. */
async function askOn<Result>(client: pg.PoolClient, query: Query<Result>): Promise<Result> {
  let failure: Error | undefined;
  // The statement fails too: nobody else needs to know.
  client.on('error', ignoreError);
  try {
    return await query(client);
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    client.off('error', ignoreError);
    client.release(failure);
  }
}

/** Statements in a transaction of their own: all leave in one system call, and cost one round trip. */
async function inTransaction<Sent extends readonly Promise<pg.QueryResult>[]>(
  client: pg.PoolClient,
  opening: string,
  send: () => Sent,
): Promise<{ -readonly [Index in keyof Sent]: pg.QueryResult }> {
  const socket = socketOf(client);
  socket.cork();
  const begun = client.query(opening);
  const sent = send();
  const committed = client.query('COMMIT');
  socket.uncork();
  const [results] = await Promise.all([Promise.all(sent), begun, committed]);
  return results;
}

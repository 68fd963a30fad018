import type pg from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { QueryResult } from 'typeorm/query-runner/QueryResult.js';
import { searchPath } from './database-schema.js';
import { isDatabaseFailure } from './database.js';
import type { DatabaseMetrics } from './database.metrics.js';
import { socketOf } from './postgres-transaction.js';
import { numbered } from './prepared-statements.js';
import type { Queryable, SqlValue } from './queryable.js';
import { cut, ignoreError, PATIENT_MS, type RequestWaits } from './request-waits.js';

/** A statement, which is sent on a connection. */
type Query = (client: pg.PoolClient) => Promise<pg.QueryResult>;

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
  private async query(text: string, values: unknown[]): Promise<pg.QueryResult> {
    try {
      const result = await this.ask((client) => this.queryOn(client, text, values));
      this.waits.answered();
      return result;
    } catch (error) {
      if (isDatabaseFailure(error)) this.metrics.errors.add();
      throw error;
    }
  }

  private async queryOn(client: pg.PoolClient, text: string, values: unknown[]): Promise<pg.QueryResult> {
    if (this.opening === undefined) return client.query(text, values);
    // All three leave in one system call, and cost one round trip.
    const socket = socketOf(client);
    socket.cork();
    const sent = [client.query(this.opening), client.query(text, values), client.query('COMMIT')] as const;
    socket.uncork();
    return (await Promise.all(sent))[1];
  }

  protected async ask(query: Query): Promise<pg.QueryResult> {
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
  protected override async ask(query: Query): Promise<pg.QueryResult> {
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
async function askOn(client: pg.PoolClient, query: Query): Promise<pg.QueryResult> {
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

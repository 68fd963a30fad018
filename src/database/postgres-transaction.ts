import type { Socket } from 'node:net';
import type pg from 'pg';
import type { EntityManager } from 'typeorm';
import type { PreparedStatements } from './prepared-statements.js';
import type { Queryable, SqlValue } from './queryable.js';
import type { RequestWaits } from './request-waits.js';

/** `in_failed_sql_transaction`: the answer to each statement after one that failed. */
const TRANSACTION_ABORTED = '25P02';

/** Where a transaction takes place. */
export interface TransactionConnection {
  readonly client: pg.PoolClient;
  /** The entity manager of the connection. */
  readonly manager: EntityManager;
  readonly waits: RequestWaits;
  readonly statements: PreparedStatements;
  /** BEGIN, and the settings of the transaction. */
  readonly begin: string;
}

/** The socket of a connection, which the types of the driver do not show. */
export function socketOf(client: pg.PoolClient): Socket {
  return (client as pg.PoolClient & { readonly connection: { readonly stream: Socket } }).connection.stream;
}

/**
 * A transaction on one connection. Statements are pipelined: what is sent without waiting for an answer, such as
 * BEGIN, shares the round trip of the next statement.
 */
export class PostgresTransaction implements Queryable {
  readonly dialect = 'postgres';
  /** The statements whose answers nobody has waited for. */
  private readonly sent: Promise<unknown>[] = [];
  /** Whether what is sent waits for the end of this turn. */
  private isGathering = false;
  /** The error of the first statement that failed. */
  private failure: unknown;
  /** Whether COMMIT was sent. */
  isCommitting = false;

  readonly manager: EntityManager;
  private readonly client: pg.PoolClient;
  private readonly waits: RequestWaits;
  private readonly statements: PreparedStatements;

  constructor({ client, manager, waits, statements, begin }: TransactionConnection) {
    this.client = client;
    this.manager = manager;
    this.waits = waits;
    this.statements = statements;
    this.send(begin);
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
    this.isCommitting = true;
    this.send('COMMIT');
    await Promise.all(this.sent);
  }

  /** Undoes the transaction. Without effect if the connection is lost. */
  async rollback(): Promise<void> {
    await this.query('ROLLBACK', []).catch(() => undefined);
    await Promise.allSettled(this.sent);
  }

  private async query(sql: string, parameters: readonly SqlValue[]): Promise<pg.QueryResult> {
    this.gather();
    try {
      const result = await this.statements.query(this.client, sql, parameters);
      this.waits.answered();
      return result;
    } catch (error) {
      this.failure ??= error;
      // Statements are answered in their order: that of a statement nobody waits for comes before those it causes.
      throw (error as { readonly code?: unknown }).code === TRANSACTION_ABORTED ? this.failure : error;
    }
  }

  /** The statements of one turn leave in one system call, which costs as much as the rest of a statement. */
  private gather(): void {
    if (this.isGathering) return;
    this.isGathering = true;
    const stream = socketOf(this.client);
    stream.cork();
    process.nextTick(() => {
      this.isGathering = false;
      stream.uncork();
    });
  }
}

import type { EntityManager } from 'typeorm';

/** A value that both databases bind alike. */
export type SqlValue = string | number | null;

/**
 * Reads and writes in SQL that both databases understand, with `?` for each parameter; TypeORM's
 * entity manager where speed does not matter. Inside a write use `insert`, `update`, `find` and query
 * builders of the manager, never `save`: it would open a transaction of its own; and lock rows with `lockRows`, because
 * TypeORM does not know of the transaction.
 */
export interface Queryable {
  /** For SQL that differs between the databases. */
  readonly dialect: 'sqlite' | 'postgres';
  /** The entity manager of the same connection, so that it takes part in the same transaction. */
  readonly manager: EntityManager;
  /** The rows of a query, or of a write with RETURNING. */
  all<Row>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]>;
  /** Runs a write and returns how many rows it changed. */
  run(sql: string, parameters?: readonly SqlValue[]): Promise<number>;
  /**
   * Runs a write of a transaction whose outcome its caller does not need. If it fails, the transaction does: on
   * SQLite it throws, on PostgreSQL, where nobody waits for the answer, the error appears at the commit.
   *
   * @throws the driver's error on SQLite
   */
  send(sql: string, parameters?: readonly SqlValue[]): void;
}

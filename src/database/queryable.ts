import type { EntityManager } from 'typeorm';

/** A value that both databases bind alike. */
export type SqlValue = string | number | null;

/**
 * Reads and writes in SQL that both databases understand, with `?` for each parameter; TypeORM's
 * entity manager where speed does not matter. Inside a write use `insert`, `update`, `find` and query
 * builders of the manager, never `save`: it would open a transaction of its own.
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
}

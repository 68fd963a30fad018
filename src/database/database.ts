import type { EntityManager } from 'typeorm';

/** A value that both databases bind alike. */
export type SqlValue = string | number | null;

/**
 * Reads and writes in SQL that both databases understand, with `?` for each parameter; TypeORM's
 * entity manager where speed does not matter. Inside a write use `insert`, `update`, `find` and query
 * builders of the manager, never `save`: it would open a transaction of its own.
 */
export interface Queryable {
  readonly dialect: 'sqlite' | 'postgres';
  readonly manager: EntityManager;
  /** The rows of a query, or of a write with RETURNING. */
  all<Row>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]>;
  /** Runs a write and returns how many rows it touched. */
  run(sql: string, parameters?: readonly SqlValue[]): Promise<number>;
}

/**
 * The database as the rest of the house sees it.
 *
 * Every write goes through `write`. On SQLite all writers share one connection, so a write outside
 * would be rolled back with somebody else's transaction; there, writes that arrive while a commit is
 * under way form one transaction (a group commit), each behind a savepoint of its own. On PostgreSQL
 * each is a transaction on a pooled connection.
 */
export abstract class Database {
  abstract readonly dialect: 'sqlite' | 'postgres';

  /** Reads what is committed, never what is being written. */
  abstract readonly read: Queryable;

  /**
   * One atomic write: committed when it resolves, without any trace when it rejects. `work` must
   * await nothing but its own queries: a lock is held meanwhile. It is called again when it has to yield
   * to another write, so what it answers must be all that it does.
   *
   * @throws whatever `work` throws; the driver's error when the commit fails
   */
  abstract write<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;

  /** Resolves when the database answers. @throws the driver's error */
  abstract ping(): Promise<void>;

  /** Finishes what is under way and closes all connections. */
  abstract close(): Promise<void>;
}

/** The codes by which both drivers tell that a unique key is taken. */
const UNIQUE_VIOLATIONS = new Set(['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY', '23505']);

/** True when an error says that a unique key is taken. */
export function isUniqueViolation(error: unknown): boolean {
  return UNIQUE_VIOLATIONS.has(errorCode(error) ?? '');
}

/** True when a write was undone because it and another waited for each other. */
export function isDeadlock(error: unknown): boolean {
  return errorCode(error) === '40P01';
}

/** True when the data itself is refused, so that trying again is useless. */
export function isDataError(error: unknown): boolean {
  return /^(22|23)\d|^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG)/.test(errorCode(error) ?? '');
}

/** No room, no access, no connection, too many of them, going down: the codes of both drivers and of the sockets. */
const UNAVAILABLE =
  /^(08|53|57P)\w*$|^SQLITE_(FULL|IOERR|CANTOPEN|READONLY|BUSY|LOCKED)|^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH)$/;
/** What the driver of PostgreSQL says without a code. */
const LOST_CONNECTION =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** True when the database cannot be used now: the same request may succeed later. */
export function isUnavailable(error: unknown): boolean {
  if (UNAVAILABLE.test(errorCode(error) ?? '')) return true;
  return error instanceof Error && LOST_CONNECTION.test(error.message);
}

function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'driverError' in error ? errorCode(error.driverError) : undefined;
}

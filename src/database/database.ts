import { AppError } from '../common/index.js';
import { type ContentSeals, NO_SEALS } from './content/content-seals.js';
import type { Looks } from './looks.js';
import type { Queryable } from './queryable.js';
import { type PatientOptions, type Transaction, UnitOfWork } from './transaction.js';

/**
 * The database for requests, which a client waits for, and for chores, which are repeated: a statement that gets no
 * connection within `DATABASE_WAIT_MS`, or no lock within `DATABASE_LOCK_WAIT_MS`, fails.
 *
 * Every write goes through `write`. On SQLite all writers share one connection, so a write outside
 * would be rolled back with another one's transaction; there, writes that arrive during a commit form one
 * transaction (a group commit), each behind a savepoint of its own. On PostgreSQL each is a transaction
 * on a pooled connection.
 */
export abstract class RequestDatabase {
  /** For SQL that differs between the databases. */
  abstract readonly dialect: 'sqlite' | 'postgres';

  /** Reads what is committed, never what is being written. */
  abstract readonly read: Queryable;

  /** Reads that are repeated to find out whether there is anything to do. */
  abstract readonly looks: Looks;

  /** Encrypts and decrypts the columns that hold content. */
  abstract readonly content: ContentSeals;

  /** As `UnitOfWork.write`; the transaction can be queried directly. */
  abstract write<T>(
    work: (tx: Queryable & Transaction) => Promise<T>,
    committed?: (value: T) => void,
    lockKey?: string,
  ): Promise<T>;
}

/** The database for runs and workers, which no client waits for: it waits longer for a connection and for locks. */
export abstract class RunDatabase {
  /** For SQL that differs between the databases. */
  abstract readonly dialect: 'sqlite' | 'postgres';

  /** Reads what is committed, never what is being written. */
  abstract readonly read: Queryable;

  /**
   * As `read`, for single statements whose results reach nobody before a later write resolves: does not wait until what
   * it finds is on the disk. Its entity manager waits.
   */
  abstract readonly readUnsynced: Queryable;

  /** As `RequestDatabase.looks`. */
  abstract readonly looks: Looks;

  /** As `RequestDatabase.content`. */
  abstract readonly content: ContentSeals;

  /** As `UnitOfWork.writePatiently`; the transaction can be queried directly. */
  abstract write<T>(work: (tx: Queryable & Transaction) => Promise<T>, options?: PatientOptions): Promise<T>;
}

/** The database of this process. Adapters take the part that they need: `RequestDatabase` or `RunDatabase`. */
export abstract class Database extends UnitOfWork implements RequestDatabase {
  /** As `RequestDatabase.dialect`. */
  abstract readonly dialect: 'sqlite' | 'postgres';

  /** As `RequestDatabase.read`. */
  abstract readonly read: Queryable;

  /** For what no request waits for. */
  abstract readonly forRuns: RunDatabase;

  private seals: ContentSeals = NO_SEALS;

  /** As `RequestDatabase.looks`. */
  get looks(): Looks {
    return this.forRuns.looks;
  }

  /** As `RequestDatabase.content`. */
  get content(): ContentSeals {
    return this.seals;
  }

  /** Called once, before anything else uses the database. */
  useSeals(seals: ContentSeals): void {
    this.seals = seals;
  }

  /** As `RequestDatabase.write`. */
  abstract override write<T>(
    work: (tx: Queryable & Transaction) => Promise<T>,
    committed?: (value: T) => void,
    lockKey?: string,
  ): Promise<T>;

  override writePatiently<T>(work: (tx: Transaction) => Promise<T>, options?: PatientOptions): Promise<T> {
    return this.forRuns.write(work, options);
  }

  /**
   * Rewrites the file of SQLite without what was removed from it, and empties its log: writes wait meanwhile. On PostgreSQL
   * it does nothing: `VACUUM` and backups are the operator's.
   *
   * @throws the driver's error, such as for a disk without room: then it has to be repeated
   */
  abstract clearRemoved(): Promise<void>;

  /** Resolves when the database answers. @throws the driver's error */
  abstract ping(): Promise<void>;

  /** Finishes the writes in progress and closes all connections. */
  abstract close(): Promise<void>;
}

/** The codes of both drivers for a unique key that is taken. */
const UNIQUE_VIOLATIONS = new Set(['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY', '23505']);

/** True for the error of a write whose unique key is taken. */
export function isUniqueViolation(error: unknown): boolean {
  return UNIQUE_VIOLATIONS.has(errorCode(error) ?? '');
}

/** True when a write was undone because it and another waited for each other. */
export function isDeadlock(error: unknown): boolean {
  return errorCode(error) === '40P01';
}

/** True when a write was undone because it waited for too long for a lock of another transaction. */
export function isLockTimeout(error: unknown): boolean {
  return errorCode(error) === '55P03';
}

/** True when a table does not exist. SQLite has no code of its own for that; PostgreSQL words it in the server's language. */
export function isMissingTable(error: unknown): boolean {
  const code = errorCode(error);
  return code === '42P01' || (code === 'SQLITE_ERROR' && /\bno such table\b/.test(String((error as Error).message)));
}

/** True when the database rejects the data itself, so that a retry is useless. */
export function isDataError(error: unknown): boolean {
  return /^(22|23)\d|^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG)/.test(errorCode(error) ?? '');
}

/**
 * Disk full, no access, no connection, too many connections, shutdown, a lock that another transaction holds for too
 * long, a transaction that was idle for too long: the codes of both drivers and of sockets.
 */
const UNAVAILABLE =
  /^(08|53|57P)\w*$|^(55P03|25P03)$|^SQLITE_(FULL|IOERR|CANTOPEN|READONLY|BUSY|LOCKED)|^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH)$/;
/** Errors of the PostgreSQL driver that have no code. */
const LOST_CONNECTION =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed and is not queryable)/;

/** True when the database is unavailable: the same request may succeed later. */
export function isUnavailable(error: unknown): boolean {
  if (UNAVAILABLE.test(errorCode(error) ?? '')) return true;
  return error instanceof Error && LOST_CONNECTION.test(error.message);
}

/** True for an error of the database, not for one of the data or of the work in a transaction. */
export function isDatabaseFailure(error: unknown): boolean {
  if (error instanceof AppError || isDataError(error)) return false;
  return errorCode(error) !== undefined || isUnavailable(error);
}

/** The driver's code: TypeORM wraps the drivers' errors in its own. */
function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'driverError' in error ? errorCode(error.driverError) : undefined;
}

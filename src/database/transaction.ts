import type { Queryable } from './queryable.js';

declare const TRANSACTION: unique symbol;

/**
 * An open write transaction, opaque: use cases pass it to the stores that take part in it. Only the
 * adapters of those stores query with it (`queryable`).
 */
export interface Transaction {
  readonly [TRANSACTION]: true;
}

/** How a transaction waits that no request waits for. */
export interface PatientOptions {
  /**
   * The longest wait of a statement for a lock of another transaction, in milliseconds; then the write fails
   * (`isLockTimeout`). SQLite has no such locks.
   */
  readonly lockWaitMs?: number;
}

/** Opens write transactions. */
export abstract class UnitOfWork {
  /**
   * One atomic write: committed when it resolves, undone as a whole when it rejects. `work` must await
   * nothing but its stores, because locks are held meanwhile. It is called again when the database undid it
   * in favour of another write, so it must have no effect other than what it writes and returns.
   *
   * @param committed called once with the result when it is committed, at the latest before the promise resolves. It may
   *   not be on the disk yet: what begins then must show nothing before another write or a read resolves. Must not throw
   * @param lockKey writes with the same key wait for the same lock: this process makes one at a time, so that those which
   *   wait hold no connections
   * @throws whatever `work` throws; the driver's error when the commit fails
   */
  abstract write<T>(
    work: (tx: Transaction) => Promise<T>,
    committed?: (value: T) => void,
    lockKey?: string,
  ): Promise<T>;

  /**
   * The same for work that no request waits for: it waits for a connection for longer than `DATABASE_WAIT_MS`, and for a
   * lock for longer than `DATABASE_LOCK_WAIT_MS`, after which requests are refused.
   */
  abstract writePatiently<T>(work: (tx: Transaction) => Promise<T>, options?: PatientOptions): Promise<T>;
}

/** The connection of a transaction. For adapters only. */
export function queryable(tx: Transaction): Queryable {
  return tx as unknown as Queryable;
}

/** The transaction that is open on a connection. For implementations of `Database` only. */
export function transactionOn(connection: Queryable): Queryable & Transaction {
  return connection as Queryable & Transaction;
}

declare const TRANSACTION: unique symbol;

/**
 * An open write transaction, opaque: use cases pass it to stores, which all take part in it. Only the
 * adapters of stores know how to query with it (`queryable`).
 */
export interface Transaction {
  readonly [TRANSACTION]: true;
}

/** Opens write transactions. */
export abstract class UnitOfWork {
  /**
   * One atomic write: committed when it resolves, without any trace when it rejects. `work` must
   * await nothing but what it does with its transaction: locks are held meanwhile. It is called again when
   * it was undone in favour of another write, so its only effect must be what it writes and returns.
   *
   * @throws whatever `work` throws; the driver's error when the commit fails
   */
  abstract write<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}

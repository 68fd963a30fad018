import type { Transaction } from '../../database/index.js';

/** A session in which nothing happens any more. */
export interface IdleSession {
  readonly rowId: number;
  readonly tenantId: string;
  readonly sessionId: string;
  /** When the session itself has changed last, in milliseconds since the epoch. */
  readonly updatedAt: number;
}

/** Which sessions to find. */
export interface IdleQuery {
  readonly tenantId: string;
  /** Nothing has happened in them since this time, in milliseconds since the epoch. */
  readonly before: number;
  readonly limit: number;
  /** Only sessions that come after this one, in the order in which they are found. */
  readonly after?: IdleSession | undefined;
}

/**
 * Finds sessions in which nothing happens any more: they were not changed and no run of them has ended since a time, no run
 * waits or is executed, and no question is open.
 */
export abstract class IdleSessions {
  /** Those of a tenant, the one that was changed first before the others. */
  abstract find(query: IdleQuery): Promise<readonly IdleSession[]>;

  /** Whether a session, which the caller has locked, is still one. */
  abstract isIdle(tx: Transaction, rowId: number, before: number): Promise<boolean>;
}

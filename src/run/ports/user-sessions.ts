import type { Principal } from '../../common/index.js';
import type { Transaction } from '../../database/index.js';

/** How many rows a session has, by kind. */
export type SessionCounts = Readonly<Record<string, number>>;

/** The sessions of a user, with unlisted ones and those of transient runs, for what removes them all. */
export abstract class UserSessions {
  /** The row ids of some of them. */
  abstract some(owner: Principal, limit: number): Promise<readonly number[]>;

  /** What the removal of a session removes. Nobody may write to the session meanwhile. */
  abstract count(tx: Transaction, sessionRowId: number): Promise<SessionCounts>;
}

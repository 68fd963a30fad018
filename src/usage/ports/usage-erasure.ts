import type { Principal } from '../../common/index.js';
import type { Transaction } from '../../database/index.js';

/** Takes a user out of the books: what was used stays, under a pseudonym. */
export abstract class UsageErasure {
  /** Puts a pseudonym in the place of the user in some entries. Returns in how many; 0 once there are no more. */
  abstract renameEntries(tx: Transaction, user: Principal, pseudonym: string): Promise<number>;

  /** The same for the sums per day, all of them. */
  abstract renameDays(tx: Transaction, user: Principal, pseudonym: string): Promise<number>;

  /** Removes budgets that are for this user alone, and what is counted of it. Returns how many budgets. */
  abstract removeBudgets(tx: Transaction, user: Principal): Promise<number>;
}

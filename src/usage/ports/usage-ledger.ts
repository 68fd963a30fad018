import type { TenantSelection } from '../../common/index.js';
import type { Transaction } from '../../database/index.js';
import type { Budget, CountedBudget } from '../budget.js';
import type { Price } from '../price.js';
import type { Amount, SettledCall, SpendingRun, UsageEntry } from '../usage-entry.js';

/** A call that is to be reserved. */
export interface WantedCall {
  /** `reserved`, with the estimated input, and the most output that the call may have. */
  readonly entry: UsageEntry;
  /** The least output that is worth a call: at most that of the entry. */
  readonly leastOutput: number;
  readonly price: Price | undefined;
  /** Those that the call must fit into. */
  readonly budgets: readonly CountedBudget[];
}

/** What is used of a budget in one period. */
export interface CounterView extends CountedBudget {
  readonly settled: Amount;
  readonly reserved: Amount;
}

/** A counter that differs from the entries that it is for. */
export interface CounterDifference {
  readonly counter: CounterView;
  /** What the entries say. */
  readonly settled: Amount;
  readonly reserved: Amount;
}

/** An entry that a run left behind: it is over, or others execute it. */
export interface AbandonedEntry {
  readonly entry: UsageEntry;
}

/**
 * The ledger of spending (contract access, section 7.2). Counters are the sums over entries, and a run that is over has no
 * entry that is reserved.
 */
export abstract class UsageLedger {
  /**
   * Reserves what a call may use, in a transaction of its own: with less output if the budgets have no room for more.
   *
   * @returns the entry as it was reserved
   * @throws BudgetExceeded if the call does not fit; AppError WORKER_LOST if the process no longer has the run; the
   *   driver's error, after which it may be tried again
   */
  abstract reserve(wanted: WantedCall): Promise<UsageEntry>;

  /** Books the ends of calls. An end that is booked already changes nothing. */
  abstract settle(tx: Transaction, calls: readonly SettledCall[], at: number): Promise<void>;

  /** The entries that earlier executions of a run have left reserved, in the order in which they were made. */
  abstract reservedBefore(run: SpendingRun): Promise<readonly UsageEntry[]>;

  /** Books the ends of calls in a transaction of its own. */
  abstract close(calls: readonly SettledCall[], at: number): Promise<void>;

  /** Reserved entries of runs that are over, were removed, or are executed under another fence for a while. */
  abstract abandoned(reservedBefore: number, limit: number): Promise<readonly UsageEntry[]>;

  /** What is used of budgets. One of which nothing is counted yet is missing. */
  abstract counters(budgets: readonly CountedBudget[]): Promise<readonly CounterView[]>;

  /** All counters of budgets. @param periods only of these periods */
  abstract countersOf(budgets: readonly Budget[], periods?: readonly string[]): Promise<readonly CounterView[]>;

  /** Records that a budget is used up. Returns false if it was recorded before in this period. */
  abstract markExceeded(budget: CountedBudget, at: number): Promise<void>;

  /** Compares a counter with its entries; undefined if they agree. @param repair whether to set it to their sums */
  abstract check(counter: CountedBudget, repair: boolean): Promise<CounterDifference | undefined>;

  /** The counters whose sums are to be made again. */
  abstract dueForRecount(now: number): Promise<readonly CountedBudget[]>;

  /** Removes counters of budgets that are no more, and of periods that have ended long ago. */
  abstract pruneCounters(updatedBefore: number): Promise<void>;

  /** Replaces entries of calls of some tenants that ended before a time by sums per day. Returns how many. */
  abstract compact(before: number, limit: number, tenants: TenantSelection): Promise<number>;
}

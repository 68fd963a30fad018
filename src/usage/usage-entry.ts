import type { BudgetSubject, BudgetWindow, CountedBudget, Spender } from './budget.js';
import type { CountedTokens } from './price.js';

/** `estimated`: the provider reported nothing, or the call was cut off. `released`: nothing was used. */
export type EntryState = 'reserved' | 'settled' | 'estimated' | 'released';

/** A run as its entries name it. */
export interface SpendingRun {
  readonly rowId: number;
  readonly fence: number;
  readonly id: string;
  readonly tenantId: string;
  readonly userId: string;
}

/** What one model call of a run used, or has reserved (contract access, section 7.2). */
export interface UsageEntry extends Spender {
  readonly run: SpendingRun;
  /** Unique for the run and its fence. */
  readonly step: string;
  readonly model: string;
  /** Empty if it is not known. */
  readonly provider: string;
  readonly state: EntryState;
  readonly tokens: CountedTokens;
  /** Billionths of the currency's unit. */
  readonly cost: number;
  /** The version of the price; null without one. */
  readonly priceRowId: number | null;
  /** When the call was reserved, or settled if it was not: milliseconds since the epoch. */
  readonly at: number;
}

/** The end of a call, which is committed with its step. */
export interface SettledCall {
  /** As it is from now on. */
  readonly entry: UsageEntry;
  /** What was reserved for it; null if nothing was. */
  readonly reserved: Amount | null;
  /** The budgets whose counters move. */
  readonly budgets: readonly CountedBudget[];
}

/** How much of a budget. */
export interface Amount {
  /** Of input and output. */
  readonly tokens: number;
  /** Billionths of the currency's unit. */
  readonly cost: number;
}

/** Nothing of a budget. */
export const NOTHING_USED: Amount = { tokens: 0, cost: 0 };

/** What an entry counts for in budgets. */
export function amountOf({ tokens, cost, state }: Pick<UsageEntry, 'tokens' | 'cost' | 'state'>): Amount {
  return state === 'released' ? NOTHING_USED : { tokens: tokens.input + tokens.output, cost };
}

/** What is announced when a budget reaches a threshold or is used up, in the transaction of its cause. */
export interface BudgetEvent {
  readonly type: 'budget.threshold' | 'budget.exceeded';
  readonly tenantId: string;
  /** Of the budget. */
  readonly budgetId: string;
  readonly subject: BudgetSubject;
  /** The user, agent or account; `*` for the tenant. */
  readonly name: string;
  readonly window: BudgetWindow;
  /** Such as `2026-11-26`. */
  readonly period: string;
  /** The threshold that was reached, in percent; 100 for a budget that is used up. */
  readonly percent: number;
  readonly used: Amount;
  readonly limit: { readonly tokens: number | null; readonly cost: number | null };
  /** Milliseconds since the epoch. */
  readonly at: number;
}

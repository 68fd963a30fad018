import { DateTime } from 'luxon';
import { localTime } from '../common/index.js';

/** What a budget limits the use of. */
export const BUDGET_SUBJECTS = ['tenant', 'user', 'agent', 'account'] as const;
/** What a budget covers: a run and those that continue it, a day, a month, or all time. */
export const BUDGET_WINDOWS = ['run', 'day', 'month', 'total'] as const;
/** What happens when a budget is used up: calls are refused, or it is only announced. */
export const BUDGET_ACTIONS = ['block', 'warn'] as const;

export type BudgetSubject = (typeof BUDGET_SUBJECTS)[number];
export type BudgetWindow = (typeof BUDGET_WINDOWS)[number];
export type BudgetAction = (typeof BUDGET_ACTIONS)[number];

/** The name of a budget for each subject that has none of its own, and of the one of the tenant. */
export const EACH = '*';

/** What a budget grants (contract access, section 7.1). At least one of the limits is given. */
export interface BudgetTerms {
  readonly subject: BudgetSubject;
  /** The user, agent or account; `EACH` for each that has no budget of its own, and for the tenant. */
  readonly name: string;
  readonly window: BudgetWindow;
  /** Tokens of input and output; null for no limit. */
  readonly tokens: number | null;
  /** Billionths of the currency's unit; null for no limit. */
  readonly cost: number | null;
  readonly action: BudgetAction;
  /** The percentages that are announced, ascending. */
  readonly warnAt: readonly number[];
}

/** A budget of a tenant. Times are milliseconds since the epoch. */
export interface Budget extends BudgetTerms {
  readonly rowId: number;
  readonly id: string;
  readonly tenantId: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What a model call is counted for. */
export interface Spender {
  readonly userId: string;
  readonly agent: string;
  /** Empty for a run that no API key has started. */
  readonly account: string;
  /** The first run of the chain. */
  readonly rootRunRowId: number;
  /** The day in the time zone of the tenant, such as `2026-11-26`. */
  readonly day: string;
}

/** One period of a budget of one subject: what a counter counts. */
export interface CountedBudget {
  readonly budget: Budget;
  /** The subject: a user, an agent or an account; `EACH` for the tenant. */
  readonly name: string;
  readonly period: string;
}

/** The budgets that a call must fit into, in the order in which their counters are locked. */
export function budgetsOf(budgets: readonly Budget[], spender: Spender): readonly CountedBudget[] {
  const counted: CountedBudget[] = [];
  for (const budget of budgets) {
    const name = subjectName(budget, spender);
    if (name === undefined) continue;
    if (budget.name !== name && (budget.name !== EACH || isReplaced(budgets, budget, name))) continue;
    counted.push({ budget, name, period: periodOf(budget.window, spender) });
  }
  return counted.sort(inLockOrder);
}

/** The order of locks, the same in all processes. */
export function inLockOrder(a: CountedBudget, b: CountedBudget): number {
  if (a.budget.rowId !== b.budget.rowId) return a.budget.rowId - b.budget.rowId;
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  if (a.period === b.period) return 0;
  return a.period < b.period ? -1 : 1;
}

/** The same text for the same counter. */
export function counterKey({ budget, name, period }: CountedBudget): string {
  return `${budget.rowId} ${period} ${name}`;
}

/** The name of the period of a window. */
export function periodOf(window: BudgetWindow, { day, rootRunRowId }: Pick<Spender, 'day' | 'rootRunRowId'>): string {
  switch (window) {
    case 'run':
      return `run:${rootRunRowId}`;
    case 'day':
      return day;
    case 'month':
      return day.slice(0, 7);
    case 'total':
      return window;
  }
}

/** The day of a moment in a time zone, such as `2026-11-26`. */
export function dayOf(at: number, timeZone: string): string {
  return localTime(at, timeZone).date;
}

/** When the period of a day or month ends, in milliseconds since the epoch; null for windows that do not end. */
export function resetOf(window: BudgetWindow, day: string, timeZone: string): number | null {
  if (window !== 'day' && window !== 'month') return null;
  const start = DateTime.fromISO(window === 'day' ? day : `${day.slice(0, 7)}-01`, { zone: timeZone });
  return start
    .plus(window === 'day' ? { days: 1 } : { months: 1 })
    .startOf('day')
    .toMillis();
}

/** Which budget is meant, without anything about others: `The budget of the tenant per day`. */
export function budgetWords({ subject, window }: Pick<BudgetTerms, 'subject' | 'window'>): string {
  const span = window === 'total' ? 'in total' : `per ${window}`;
  return `The budget of the ${subject} ${span}`;
}

function subjectName({ subject }: Budget, { userId, agent, account }: Spender): string | undefined {
  switch (subject) {
    case 'tenant':
      return EACH;
    case 'user':
      return userId;
    case 'agent':
      return agent;
    case 'account':
      return account === '' ? undefined : account;
  }
}

/** A budget of the subject's own takes the place of the one for each. */
function isReplaced(budgets: readonly Budget[], { rowId, subject, window }: Budget, name: string): boolean {
  return budgets.some(
    (other) => other.rowId !== rowId && other.subject === subject && other.window === window && other.name === name,
  );
}

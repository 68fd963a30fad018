import { queryable, type Transaction } from '../../database/index.js';
import { type CountedBudget, counterKey, inLockOrder } from '../budget.js';
import type { BudgetEvents } from '../budget-events.js';
import {
  type Amount,
  amountOf,
  type BudgetEvent,
  NOTHING_USED,
  type SettledCall,
  type UsageEntry,
} from '../usage-entry.js';
import { BudgetExceeded } from '../budget-exceeded.js';
import { costOf, dearestOutput } from '../price.js';
import type { CounterView, WantedCall } from '../ports/usage-ledger.js';
import { type CounterRow, counterValues, OF_COUNTER } from './counter.row.js';

const MOVE = `
  UPDATE budget_counters SET settled_tokens = settled_tokens + ?, settled_cost = settled_cost + ?,
    reserved_tokens = reserved_tokens - ?, reserved_cost = reserved_cost - ?, updated_at = ?
  WHERE ${OF_COUNTER}
  RETURNING budget_no, name, period, settled_tokens, settled_cost, reserved_tokens, reserved_cost, warned, exceeded`;
const WARNED = `UPDATE budget_counters SET warned = ? WHERE ${OF_COUNTER} AND warned < ?`;
const EXCEEDED = `UPDATE budget_counters SET exceeded = 1 WHERE ${OF_COUNTER} AND exceeded = 0`;

/** How the calls of one commit change a counter. */
interface Move {
  readonly counted: CountedBudget;
  readonly settled: Amount;
  readonly reserved: Amount;
}

/** Updates the counters of budgets, and announces what they have reached. */
export class BudgetMoves {
  constructor(private readonly events: BudgetEvents) {}

  /**
   * Moves the counters by what calls have used instead of what was reserved for them: each counter once, in the order of
   * locks, so that no two commits wait for each other. A counter that is not there is made when it is needed.
   */
  async apply(tx: Transaction, calls: readonly SettledCall[], at: number): Promise<void> {
    if (calls.length === 0) return;
    const moves = new Map<string, Move>();
    for (const { entry, reserved, budgets } of calls) {
      for (const counted of budgets) {
        const key = counterKey(counted);
        const before = moves.get(key);
        moves.set(key, {
          counted,
          settled: plus(before?.settled, amountOf(entry)),
          reserved: plus(before?.reserved, reserved ?? NOTHING_USED),
        });
      }
    }
    for (const move of [...moves.values()].sort((a, b) => inLockOrder(a.counted, b.counted))) {
      await this.move(tx, move, at);
    }
  }

  /** Records that a budget is used up, and announces it once in a period. */
  async exceeded(tx: Transaction, counted: CountedBudget, row: CounterRow, at: number): Promise<void> {
    if ((await queryable(tx).run(EXCEEDED, counterValues(counted))) === 0) return;
    await this.events.tell(tx, eventOf('budget.exceeded', counted, row, 100, at));
  }

  private async move(tx: Transaction, { counted, settled, reserved }: Move, at: number): Promise<void> {
    const amounts = [settled.tokens, settled.cost, reserved.tokens, reserved.cost];
    const [row] = await queryable(tx).all<CounterRow>(MOVE, [...amounts, at, ...counterValues(counted)]);
    if (!row) return;
    const percent = percentOf(counted, row);
    const reached = counted.budget.warnAt.filter((threshold) => percent >= threshold);
    const highest = reached.at(-1) ?? 0;
    if (highest > row.warned) {
      const isFirst = (await queryable(tx).run(WARNED, [highest, ...counterValues(counted), highest])) > 0;
      for (const threshold of isFirst ? reached.filter((one) => one > row.warned) : []) {
        await this.events.tell(tx, eventOf('budget.threshold', counted, row, threshold, at));
      }
    }
    if (percent >= 100 && row.exceeded === 0) await this.exceeded(tx, counted, row, at);
  }
}

/** How much of a budget is used, in percent: of the limit that is nearer. */
function percentOf({ budget }: CountedBudget, row: CounterRow): number {
  const tokens = budget.tokens === null ? 0 : Number(row.settled_tokens) / budget.tokens;
  const cost = budget.cost === null ? 0 : Number(row.settled_cost) / budget.cost;
  return Math.floor(100 * Math.max(tokens, cost));
}

function eventOf(
  type: BudgetEvent['type'],
  { budget, name, period }: CountedBudget,
  row: CounterRow,
  percent: number,
  at: number,
): BudgetEvent {
  return {
    type,
    tenantId: budget.tenantId,
    budgetId: budget.id,
    subject: budget.subject,
    name,
    window: budget.window,
    period,
    percent,
    used: { tokens: Number(row.settled_tokens), cost: Number(row.settled_cost) },
    limit: { tokens: budget.tokens, cost: budget.cost },
    at,
  };
}

function plus(one: Amount = NOTHING_USED, other: Amount): Amount {
  return { tokens: one.tokens + other.tokens, cost: one.cost + other.cost };
}

/**
 * The entry of a call with as much output as the budgets have room for.
 *
 * @throws BudgetExceeded for the first budget that has less room than the call must have
 */
export function fitting({ entry, leastOutput, price }: WantedCall, counters: readonly CounterView[]): UsageEntry {
  const { tokens } = entry;
  const inputCost = costOf(price, { ...tokens, output: 0, reasoning: 0 });
  const perToken = price ? dearestOutput(price) : 0;
  let { output } = tokens;
  for (const counter of counters) {
    const { budget, settled, reserved } = counter;
    if (budget.action !== 'block') continue;
    if (budget.tokens !== null) {
      output = Math.min(output, budget.tokens - settled.tokens - reserved.tokens - tokens.input);
    }
    if (budget.cost !== null) {
      const left = budget.cost - settled.cost - reserved.cost - inputCost;
      if (left < 0) output = -1;
      else if (perToken > 0) output = Math.min(output, Math.floor(left / perToken));
    }
    if (output < leastOutput) throw new BudgetExceeded(counter);
  }
  const cost = Math.min(inputCost + output * perToken, Number.MAX_SAFE_INTEGER);
  return { ...entry, tokens: { ...tokens, output }, cost };
}

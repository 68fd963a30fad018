import type { Queryable, SqlValue } from '../../database/index.js';
import type { Budget, CountedBudget } from '../budget.js';
import type { CounterView } from '../ports/usage-ledger.js';

/** A row of `budget_counters` as plain SQL returns it. */
export interface CounterRow {
  readonly budget_no: number;
  readonly name: string;
  readonly period: string;
  readonly settled_tokens: number | string;
  readonly settled_cost: number | string;
  readonly reserved_tokens: number | string;
  readonly reserved_cost: number | string;
  readonly warned: number;
  readonly exceeded: number;
}

export const COUNTER_COLUMNS = `budget_no, name, period, settled_tokens, settled_cost, reserved_tokens, reserved_cost,
  warned, exceeded`;
export const OF_COUNTER = 'budget_no = ? AND name = ? AND period = ?';

/** Budgets that were made less than this ago are not known to all processes, in milliseconds. */
const UNKNOWN_MS = 60_000;
/** How long after it was made such a counter is made again, in milliseconds. */
const RECOUNT_MS = 30_000;

const SUMS = `
  SELECT COALESCE(SUM(CASE WHEN state <> 'reserved' THEN input_tokens + output_tokens ELSE 0 END), 0) AS settled_tokens,
    COALESCE(SUM(CASE WHEN state <> 'reserved' THEN cost ELSE 0 END), 0) AS settled_cost,
    COALESCE(SUM(CASE WHEN state = 'reserved' THEN input_tokens + output_tokens ELSE 0 END), 0) AS reserved_tokens,
    COALESCE(SUM(CASE WHEN state = 'reserved' THEN cost ELSE 0 END), 0) AS reserved_cost
  FROM usage_entries WHERE state <> 'released' AND tenant_id = ?`;
const DAY_SUMS = `
  SELECT COALESCE(SUM(input_tokens + output_tokens), 0) AS settled_tokens, COALESCE(SUM(cost), 0) AS settled_cost
  FROM usage_days WHERE tenant_id = ?`;

/** What a counter must hold according to the entries. */
export type CounterSums = Pick<CounterRow, 'settled_tokens' | 'settled_cost' | 'reserved_tokens' | 'reserved_cost'>;

/** The key of a counter, for `OF_COUNTER`. */
export function counterValues({ budget, name, period }: CountedBudget): SqlValue[] {
  return [budget.rowId, name, period];
}

/** The sums over the entries that a counter is for. */
export async function sumsOf(sql: Queryable, { budget, name, period }: CountedBudget): Promise<CounterSums> {
  const { tenantId, subject, window } = budget;
  const values: SqlValue[] = [tenantId];
  let where = '';
  if (subject !== 'tenant') {
    where += ` AND ${subject === 'user' ? 'user_id' : subject} = ?`;
    values.push(name);
  }
  const ofPeriod: SqlValue[] = [];
  let inPeriod = '';
  if (window === 'run') {
    inPeriod = ' AND root_run_no = ?';
    ofPeriod.push(Number(period.slice('run:'.length)));
  } else if (window === 'day') {
    inPeriod = ' AND day = ?';
    ofPeriod.push(period);
  } else if (window === 'month') {
    inPeriod = ' AND day >= ? AND day <= ?';
    ofPeriod.push(`${period}-01`, `${period}-31`);
  }
  const [sums] = await sql.all<CounterSums>(SUMS + where + inPeriod, [...values, ...ofPeriod]);
  const found = sums ?? { settled_tokens: 0, settled_cost: 0, reserved_tokens: 0, reserved_cost: 0 };
  // Only what is counted for ever goes back to entries that are older than their retention.
  if (window !== 'total') return found;
  const [earlier] = await sql.all<CounterSums>(DAY_SUMS + where, values);
  return {
    ...found,
    settled_tokens: Number(found.settled_tokens) + Number(earlier?.settled_tokens ?? 0),
    settled_cost: Number(found.settled_cost) + Number(earlier?.settled_cost ?? 0),
  };
}

/**
 * Makes a counter from the entries that it is for, unless it is there. Entries that other processes add meanwhile because
 * they do not know the budget yet are counted when it is made again.
 */
export async function makeCounter(sql: Queryable, counted: CountedBudget, now: number): Promise<void> {
  const sums = await sumsOf(sql, counted);
  const { budget } = counted;
  const isNew = now - budget.createdAt < UNKNOWN_MS;
  await sql.run(
    `INSERT INTO budget_counters (budget_no, name, period, tenant_id, settled_tokens, settled_cost, reserved_tokens,
       reserved_cost, recount_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (budget_no, name, period) DO NOTHING`,
    [
      ...counterValues(counted),
      budget.tenantId,
      Number(sums.settled_tokens),
      Number(sums.settled_cost),
      Number(sums.reserved_tokens),
      Number(sums.reserved_cost),
      isNew ? now + RECOUNT_MS : null,
      now,
    ],
  );
}

/** A row with its budget. */
export function counterOf(row: CounterRow, budget: Budget): CounterView {
  return {
    budget,
    name: row.name,
    period: row.period,
    settled: { tokens: Number(row.settled_tokens), cost: Number(row.settled_cost) },
    reserved: { tokens: Number(row.reserved_tokens), cost: Number(row.reserved_cost) },
  };
}

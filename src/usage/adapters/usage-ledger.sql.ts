import { Injectable } from '@nestjs/common';
import { AppError, type TenantSelection } from '../../common/index.js';
import {
  Database,
  isUniqueViolation,
  type Queryable,
  queryable,
  tenantCondition,
  type Transaction,
} from '../../database/index.js';
import type { Budget, CountedBudget } from '../budget.js';
import { BudgetEvents } from '../budget-events.js';
import { type CounterDifference, type CounterView, UsageLedger, type WantedCall } from '../ports/usage-ledger.js';
import type { SettledCall, SpendingRun, UsageEntry } from '../usage-entry.js';
import { BUDGET_COLUMNS, budgetOf, type BudgetRow } from './budget.row.js';
import { BudgetMoves, fitting } from './budget-moves.js';
import {
  COUNTER_COLUMNS,
  counterOf,
  type CounterRow,
  counterValues,
  makeCounter,
  OF_COUNTER,
  sumsOf,
} from './counter.row.js';
import { ENTRY_COLUMNS, entryOf, entryValues, INSERT_ENTRY, type UsageEntryRow } from './usage-entry.row.js';

/** Entries of calls before a time: jumps from one tenant to the next in the index, whatever the number of entries. */
export const OLD_ENTRIES = `
  WITH RECURSIVE tenants(id) AS (
    SELECT MIN(tenant_id) FROM usage_entries
    UNION ALL
    SELECT (SELECT MIN(n.tenant_id) FROM usage_entries n WHERE n.tenant_id > t.id) FROM tenants t WHERE t.id IS NOT NULL)
  SELECT e.tenant_id, e.day FROM tenants t JOIN usage_entries e ON e.tenant_id = t.id
  WHERE e.state <> 'reserved' AND e.at < ? AND {tenants} LIMIT ?`;
const ADD = `
  INSERT INTO usage_days (tenant_id, day, user_id, agent, account, model, runs, calls, input_tokens, cached_tokens,
    output_tokens, reasoning_tokens, estimated_tokens, cost)
  SELECT tenant_id, day, user_id, agent, account, model, COUNT(DISTINCT run_no), COUNT(*), SUM(input_tokens),
    SUM(cached_tokens), SUM(output_tokens), SUM(reasoning_tokens),
    SUM(CASE WHEN state = 'estimated' THEN input_tokens + output_tokens ELSE 0 END), SUM(cost)
  FROM usage_entries WHERE tenant_id = ? AND day = ? AND at < ? AND state IN ('settled', 'estimated')
  GROUP BY tenant_id, day, user_id, agent, account, model
  ON CONFLICT (tenant_id, day, user_id, agent, account, model) DO UPDATE SET runs = usage_days.runs + excluded.runs,
    calls = usage_days.calls + excluded.calls, input_tokens = usage_days.input_tokens + excluded.input_tokens,
    cached_tokens = usage_days.cached_tokens + excluded.cached_tokens,
    output_tokens = usage_days.output_tokens + excluded.output_tokens,
    reasoning_tokens = usage_days.reasoning_tokens + excluded.reasoning_tokens,
    estimated_tokens = usage_days.estimated_tokens + excluded.estimated_tokens, cost = usage_days.cost + excluded.cost`;
const REMOVE = `DELETE FROM usage_entries WHERE tenant_id = ? AND day = ? AND at < ? AND state <> 'reserved'`;

/**
 * Replaces entries of calls before a time by sums per day: whole days of tenants, in one transaction.
 *
 * @param limit about how many entries
 * @returns how many entries were removed
 */
async function compactEntries(tx: Queryable, before: number, limit: number, tenants: TenantSelection): Promise<number> {
  const { sql, values } = tenantCondition(tx.dialect, tenants);
  const days = new Map<string, { readonly tenant_id: string; readonly day: string }>();
  for (const row of await tx.all<{ tenant_id: string; day: string }>(OLD_ENTRIES.replace('{tenants}', sql), [
    before,
    ...values,
    limit,
  ])) {
    days.set(`${row.tenant_id} ${row.day}`, row);
  }
  let removed = 0;
  for (const { tenant_id: tenantId, day } of days.values()) {
    await tx.run(ADD, [tenantId, day, before]);
    removed += await tx.run(REMOVE, [tenantId, day, before]);
  }
  return removed;
}

/** How long a reservation waits for a lock before it is tried again. */
const WAIT = { lockWaitMs: 2000 };
/** Attempts to reserve while other transactions make or remove the counters. */
const ATTEMPTS = 5;

/** The run is this process's, and nobody can take it over until the transaction is over. */
const HELD = `SELECT no FROM runs WHERE no = ? AND fence = ? AND status = 'running'`;
const RAISE = `
  UPDATE budget_counters SET reserved_tokens = reserved_tokens + ?, reserved_cost = reserved_cost + ?, updated_at = ?
  WHERE ${OF_COUNTER}`;
const SETTLE = `
  UPDATE usage_entries SET state = ?, input_tokens = ?, cached_tokens = ?, output_tokens = ?, reasoning_tokens = ?,
    cost = ?, settled_at = ?
  WHERE run_no = ? AND step = ? AND fence = ? AND state = 'reserved'`;
const FIND = `SELECT ${ENTRY_COLUMNS} FROM usage_entries e WHERE e.run_no = ? AND e.step = ? AND e.fence = ?`;
const RESERVED_BEFORE = `
  SELECT ${ENTRY_COLUMNS} FROM usage_entries e
  WHERE e.run_no = ? AND e.fence < ? AND e.state = 'reserved' ORDER BY e.at, e.step`;
/** An entry whose run is over, was removed, or is executed under another fence: it should have been closed. */
const ABANDONED = `
  SELECT ${ENTRY_COLUMNS} FROM usage_entries e LEFT JOIN runs r ON r.no = e.run_no
  WHERE e.state = 'reserved' AND e.at < ? AND (r.no IS NULL OR r.finished_at IS NOT NULL OR r.fence > e.fence)
  ORDER BY e.run_no LIMIT ?`;
const SET = `
  UPDATE budget_counters SET settled_tokens = ?, settled_cost = ?, reserved_tokens = ?, reserved_cost = ?,
    recount_at = NULL WHERE ${OF_COUNTER}`;
const DUE = `
  SELECT c.name AS counter, c.period, ${BUDGET_COLUMNS} FROM budget_counters c JOIN budgets b ON b.no = c.budget_no
  WHERE c.recount_at <= ? ORDER BY c.budget_no LIMIT 1000`;

/** Spending in the server's database. */
@Injectable()
export class SqlUsageLedger extends UsageLedger {
  private readonly moves: BudgetMoves;

  constructor(
    private readonly database: Database,
    events: BudgetEvents,
  ) {
    super();
    this.moves = new BudgetMoves(events);
  }

  async reserve(wanted: WantedCall): Promise<UsageEntry> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const reserved = await this.tryReserve(wanted);
        if (reserved) return reserved;
      } catch (error) {
        // A commit that seemed to fail was made.
        const found = isUniqueViolation(error) ? await this.find(wanted.entry) : undefined;
        if (!found) throw error;
        return found;
      }
      if (attempt >= ATTEMPTS) throw new Error('the counters of the budgets do not stay');
      await this.makeCounters(wanted);
    }
  }

  async settle(tx: Transaction, calls: readonly SettledCall[], at: number): Promise<void> {
    const sql = queryable(tx);
    const changed = await Promise.all(calls.map((call) => book(sql, call, at)));
    const moved = calls.filter((_, index) => changed[index]);
    await this.moves.apply(tx, moved, at);
  }

  async reservedBefore({ rowId, fence }: SpendingRun): Promise<readonly UsageEntry[]> {
    const rows = await this.database.forRuns.read.all<UsageEntryRow>(RESERVED_BEFORE, [rowId, fence]);
    return rows.map(entryOf);
  }

  async close(calls: readonly SettledCall[], at: number): Promise<void> {
    await this.database.forRuns.write((tx) => this.settle(tx, calls, at), WAIT);
  }

  async abandoned(reservedBefore: number, limit: number): Promise<readonly UsageEntry[]> {
    return (await this.database.forRuns.read.all<UsageEntryRow>(ABANDONED, [reservedBefore, limit])).map(entryOf);
  }

  async counters(budgets: readonly CountedBudget[]): Promise<readonly CounterView[]> {
    return views(await countersIn(this.database.read, budgets), budgets);
  }

  async countersOf(budgets: readonly Budget[], periods?: readonly string[]): Promise<readonly CounterView[]> {
    if (budgets.length === 0) return [];
    const rowIds = budgets.map(({ rowId }) => rowId);
    const ofPeriods = periods ? ` AND period IN (${marks(periods)})` : '';
    const sql = `SELECT ${COUNTER_COLUMNS} FROM budget_counters WHERE budget_no IN (${marks(rowIds)})${ofPeriods}
      ORDER BY budget_no, period, name LIMIT 10000`;
    const rows = await this.database.read.all<CounterRow>(sql, [...rowIds, ...(periods ?? [])]);
    const byRowId = new Map(budgets.map((budget) => [budget.rowId, budget]));
    return rows.flatMap((row) => {
      const budget = byRowId.get(row.budget_no);
      return budget ? [counterOf(row, budget)] : [];
    });
  }

  async markExceeded(budget: CountedBudget, at: number): Promise<void> {
    await this.database.forRuns.write(async (tx) => {
      const [row] = await queryable(tx).all<CounterRow>(
        `SELECT ${COUNTER_COLUMNS} FROM budget_counters WHERE ${OF_COUNTER}`,
        counterValues(budget),
      );
      if (row?.exceeded === 0) await this.moves.exceeded(tx, budget, row, at);
    }, WAIT);
  }

  check(counted: CountedBudget, repair: boolean): Promise<CounterDifference | undefined> {
    return this.database.forRuns.write(async (tx) => {
      const sql = queryable(tx);
      // Whoever has added an entry and not yet moved the counter adds it to the new sums afterwards.
      const [row] = await countersIn(sql, [counted], ' FOR UPDATE');
      if (!row) return undefined;
      const counter = counterOf(row, counted.budget);
      const sums = await sumsOf(sql, counted);
      const settled = { tokens: Number(sums.settled_tokens), cost: Number(sums.settled_cost) };
      const reserved = { tokens: Number(sums.reserved_tokens), cost: Number(sums.reserved_cost) };
      if (repair) {
        const values = [settled.tokens, settled.cost, reserved.tokens, reserved.cost];
        await sql.run(SET, [...values, ...counterValues(counted)]);
      }
      const isEqual =
        settled.tokens === counter.settled.tokens &&
        settled.cost === counter.settled.cost &&
        reserved.tokens === counter.reserved.tokens &&
        reserved.cost === counter.reserved.cost;
      return isEqual ? undefined : { counter, settled, reserved };
    });
  }

  async dueForRecount(now: number): Promise<readonly CountedBudget[]> {
    const rows = await this.database.forRuns.read.all<BudgetRow & { counter: string; period: string }>(DUE, [now]);
    return rows.map((row) => ({ budget: budgetOf(row), name: row.counter, period: row.period }));
  }

  async pruneCounters(updatedBefore: number): Promise<void> {
    const sql = `DELETE FROM budget_counters WHERE budget_no NOT IN (SELECT no FROM budgets)
      OR (updated_at < ? AND budget_no IN (SELECT no FROM budgets WHERE time_window <> 'total'))`;
    await this.database.forRuns.write((tx) => tx.run(sql, [updatedBefore]));
  }

  compact(before: number, limit: number, tenants: TenantSelection): Promise<number> {
    return this.database.forRuns.write((tx) => compactEntries(tx, before, limit, tenants));
  }

  /** @returns undefined if a counter is missing */
  private tryReserve(wanted: WantedCall): Promise<UsageEntry | undefined> {
    const { entry, budgets } = wanted;
    return this.database.forRuns.write(async (tx) => {
      const sql = queryable(tx);
      const share = sql.dialect === 'postgres' ? ' FOR SHARE' : '';
      const [held] = await sql.all(HELD + share, [entry.run.rowId, entry.run.fence]);
      if (!held) throw new AppError('WORKER_LOST');
      const rows = await countersIn(sql, budgets, ' FOR UPDATE');
      if (rows.length < budgets.length) return undefined;
      const reserved = fitting(wanted, views(rows, budgets));
      await sql.run(PLAIN_INSERT, entryValues(reserved, null));
      const { input, output } = reserved.tokens;
      for (const counted of budgets) {
        sql.send(RAISE, [input + output, reserved.cost, entry.at, ...counterValues(counted)]);
      }
      return reserved;
    }, WAIT);
  }

  /** Makes the counters that are missing, in the order of locks. */
  private async makeCounters({ budgets, entry }: WantedCall): Promise<void> {
    const known = await this.counters(budgets);
    for (const counted of budgets) {
      if (known.some(({ budget }) => budget.rowId === counted.budget.rowId)) continue;
      await this.database.forRuns.write((tx) => makeCounter(queryable(tx), counted, entry.at), WAIT);
    }
  }

  private async find({ run, step }: UsageEntry): Promise<UsageEntry | undefined> {
    const [row] = await this.database.forRuns.read.all<UsageEntryRow>(FIND, [run.rowId, step, run.fence]);
    return row && row.state === 'reserved' ? entryOf(row) : undefined;
  }
}

/** An insert that fails if the entry is there. */
const PLAIN_INSERT = INSERT_ENTRY.replace(/\s*ON CONFLICT.*$/s, '');

/** Books the end of a call. Returns false if it is booked already. */
async function book(sql: Queryable, { entry, reserved, budgets }: SettledCall, at: number): Promise<boolean> {
  const { run, step, state, tokens, cost } = entry;
  if (reserved) {
    const used = [tokens.input, tokens.cachedInput, tokens.output, tokens.reasoning, cost, at];
    return (await sql.run(SETTLE, [state, ...used, run.rowId, step, run.fence])) > 0;
  }
  if (budgets.length > 0) return (await sql.run(INSERT_ENTRY, entryValues(entry, at))) > 0;
  sql.send(INSERT_ENTRY, entryValues(entry, at));
  return false;
}

/** The counters that are there, in the order of locks: each budget has one. */
function countersIn(sql: Queryable, budgets: readonly CountedBudget[], lock = ''): Promise<CounterRow[]> {
  if (budgets.length === 0) return Promise.resolve([]);
  const where = budgets.map(() => `(${OF_COUNTER})`).join(' OR ');
  const order = `ORDER BY budget_no${sql.dialect === 'postgres' ? lock : ''}`;
  const text = `SELECT ${COUNTER_COLUMNS} FROM budget_counters WHERE ${where} ${order}`;
  return sql.all<CounterRow>(text, budgets.flatMap(counterValues));
}

function views(rows: readonly CounterRow[], budgets: readonly CountedBudget[]): CounterView[] {
  return rows.flatMap((row) => {
    const counted = budgets.find(({ budget }) => budget.rowId === row.budget_no);
    return counted ? [counterOf(row, counted.budget)] : [];
  });
}

function marks(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}

import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/index.js';
import { BudgetEntity, queryable, type Transaction, UsageDayEntity } from '../../database/index.js';
import { UsageErasure } from '../ports/usage-erasure.js';

const BATCH = 2000;

/** The counters of the user: they are made again on demand, from the entries under the pseudonym. */
const REMOVE_COUNTERS = `
  DELETE FROM budget_counters WHERE tenant_id = ? AND name = ?
    AND budget_no IN (SELECT no FROM budgets WHERE tenant_id = ? AND subject = 'user')`;

/** The id of the run may be a name that a client chose: the run is gone. */
const RENAME_ENTRIES = `
  UPDATE usage_entries SET user_id = ?, run_id = 'erased' WHERE (run_no, step, fence) IN (
    SELECT run_no, step, fence FROM usage_entries WHERE tenant_id = ? AND user_id = ? LIMIT ${BATCH})`;

const COPY_DAYS = `
  INSERT INTO usage_days (tenant_id, day, user_id, agent, account, model, runs, calls, input_tokens, cached_tokens,
    output_tokens, reasoning_tokens, estimated_tokens, cost)
  SELECT tenant_id, day, CAST(? AS varchar), agent, account, model, runs, calls, input_tokens, cached_tokens,
    output_tokens, reasoning_tokens, estimated_tokens, cost
  FROM usage_days WHERE tenant_id = ? AND user_id = ?
  ON CONFLICT (tenant_id, day, user_id, agent, account, model) DO UPDATE SET runs = usage_days.runs + excluded.runs,
    calls = usage_days.calls + excluded.calls, input_tokens = usage_days.input_tokens + excluded.input_tokens,
    cached_tokens = usage_days.cached_tokens + excluded.cached_tokens,
    output_tokens = usage_days.output_tokens + excluded.output_tokens,
    reasoning_tokens = usage_days.reasoning_tokens + excluded.reasoning_tokens,
    estimated_tokens = usage_days.estimated_tokens + excluded.estimated_tokens, cost = usage_days.cost + excluded.cost`;

/** The ledger of spending without names. */
@Injectable()
export class SqlUsageErasure extends UsageErasure {
  async renameEntries(tx: Transaction, { tenantId, userId }: Principal, pseudonym: string): Promise<number> {
    const sql = queryable(tx);
    await sql.run(REMOVE_COUNTERS, [tenantId, userId, tenantId]);
    return sql.run(RENAME_ENTRIES, [pseudonym, tenantId, userId]);
  }

  async renameDays(tx: Transaction, { tenantId, userId }: Principal, pseudonym: string): Promise<number> {
    const sql = queryable(tx);
    await sql.run(COPY_DAYS, [pseudonym, tenantId, userId]);
    return (await sql.manager.delete(UsageDayEntity, { tenantId, userId })).affected ?? 0;
  }

  async removeBudgets(tx: Transaction, { tenantId, userId }: Principal): Promise<number> {
    const sql = queryable(tx);
    await sql.run(REMOVE_COUNTERS, [tenantId, userId, tenantId]);
    return (await sql.manager.delete(BudgetEntity, { tenantId, subject: 'user', name: userId })).affected ?? 0;
  }
}

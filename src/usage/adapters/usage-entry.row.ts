import type { SqlValue } from '../../database/index.js';
import type { EntryState, UsageEntry } from '../usage-entry.js';

/** A row of `usage_entries` as plain SQL returns it. */
export interface UsageEntryRow {
  readonly run_no: number;
  readonly step: string;
  readonly fence: number;
  readonly tenant_id: string;
  readonly user_id: string;
  readonly run_id: string;
  readonly root_run_no: number;
  readonly agent: string;
  readonly account: string;
  readonly model: string;
  readonly provider: string;
  readonly state: string;
  readonly input_tokens: number | string;
  readonly cached_tokens: number | string;
  readonly output_tokens: number | string;
  readonly reasoning_tokens: number | string;
  readonly cost: number | string;
  readonly price_no: number | null;
  readonly day: string;
  readonly at: number | string;
}

const COLUMNS = `run_no, step, fence, tenant_id, user_id, run_id, root_run_no, agent, account, model, provider, state,
  input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost, price_no, day, at, settled_at`;

/** The columns of an entry `e`, for SELECT. */
export const ENTRY_COLUMNS = COLUMNS.replaceAll(/\w+/g, 'e.$&');

/** Inserts an entry unless it is there. */
export const INSERT_ENTRY = `
  INSERT INTO usage_entries (${COLUMNS}) VALUES (${COLUMNS.replaceAll(/\w+/g, '?')})
  ON CONFLICT (run_no, step, fence) DO NOTHING`;

/** The values of `INSERT_ENTRY`. @param settledAt null while the entry is reserved */
export function entryValues(entry: UsageEntry, settledAt: number | null): SqlValue[] {
  const { run, tokens } = entry;
  return [
    run.rowId,
    entry.step,
    run.fence,
    run.tenantId,
    run.userId,
    run.id,
    entry.rootRunRowId,
    entry.agent,
    entry.account,
    entry.model,
    entry.provider,
    entry.state,
    tokens.input,
    tokens.cachedInput,
    tokens.output,
    tokens.reasoning,
    entry.cost,
    entry.priceRowId,
    entry.day,
    entry.at,
    settledAt,
  ];
}

/** A row as the entry that the rest of the code uses. */
export function entryOf(row: UsageEntryRow): UsageEntry {
  return {
    run: { rowId: row.run_no, fence: row.fence, id: row.run_id, tenantId: row.tenant_id, userId: row.user_id },
    step: row.step,
    userId: row.user_id,
    agent: row.agent,
    account: row.account,
    rootRunRowId: row.root_run_no,
    day: row.day,
    model: row.model,
    provider: row.provider,
    state: row.state as EntryState,
    tokens: {
      input: Number(row.input_tokens),
      cachedInput: Number(row.cached_tokens),
      output: Number(row.output_tokens),
      reasoning: Number(row.reasoning_tokens),
    },
    cost: Number(row.cost),
    priceRowId: row.price_no,
    at: Number(row.at),
  };
}

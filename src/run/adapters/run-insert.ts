import { type Database, DATABASE_NOW, prepared, type SqlValue } from '../../database/index.js';
import type { NewRun } from '../ports/run-store.js';
import { jsonText, requestText } from './run-row.js';

/** The size of the column `model`. */
const MODEL_LENGTH = 200;
/** The greatest place of a run in the queue. */
const MOST_PLACE = 1000;

const INSERT = `
  INSERT INTO runs (id, tenant_id, user_id, session_id, session_no, ordinal, agent_type, status, request,
    fingerprint, attempt, fence, lease_owner, lease_until, next_seq, created_at, started_at, claimed_at, wire,
    run_key, parent_run_id, wire_data, keep, created_session, state_before, authority, input_text, model, place)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, {claimed_at}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, {place})
  RETURNING no, place`;
/** The time of an attempt is counted by the database's clock. */
const INSERT_STARTED = {
  sqlite: INSERT.replace('{claimed_at}', DATABASE_NOW.sqlite).replace('{place}', '0'),
  postgres: prepared(INSERT.replace('{claimed_at}', DATABASE_NOW.postgres).replace('{place}', '0')),
};
/** A tenant's ended runs may be many: they are not in this index. */
const INSERT_QUEUED = {
  sqlite: queued('runs INDEXED BY ix_runs_active_owner'),
  postgres: queued('runs'),
};

/** The statement that inserts a run, and its values. It returns the row id as `no`, and the place of a queued run. */
export function insertOf(run: NewRun, dialect: Database['dialect']): readonly [sql: string, values: SqlValue[]] {
  if (run.lease) return [INSERT_STARTED[dialect], insertValues(run)];
  return [INSERT_QUEUED[dialect], [...insertValues(run), run.principal.tenantId, MOST_PLACE]];
}

function queued(table: string): string {
  const place = `(SELECT COUNT(*) FROM (
    SELECT 1 FROM ${table} WHERE tenant_id = ? AND status IN ('queued', 'running') LIMIT ?) a)`;
  return INSERT.replace('{claimed_at}', 'NULL').replace('{place}', place);
}

function insertValues(run: NewRun): SqlValue[] {
  const { lease } = run;
  const startedAt = lease ? run.createdAt : null;
  return [
    run.id,
    run.principal.tenantId,
    run.principal.userId,
    run.sessionId,
    run.sessionRowId,
    run.ordinal,
    run.agentType,
    lease ? 'running' : 'queued',
    requestText(run.request),
    run.fingerprint,
    lease ? 1 : 0,
    lease ? 1 : 0,
    lease?.owner ?? null,
    lease?.until ?? 0,
    run.lines.length,
    run.createdAt,
    startedAt,
    run.wire,
    run.runKey,
    run.parentRunId,
    JSON.stringify(run.wireData),
    run.visibility,
    run.createdSession ? 1 : 0,
    jsonText(run.stateBefore),
    jsonText(run.authority),
    run.inputText,
    run.request.modelOptions.model?.slice(0, MODEL_LENGTH) ?? null,
  ];
}

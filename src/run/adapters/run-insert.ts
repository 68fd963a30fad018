import { type Database, DATABASE_NOW, type SqlValue } from '../../database/index.js';
import type { NewRun } from '../ports/run-store.js';
import { jsonText, requestText } from './run-row.js';

/** The size of the column `model`. */
const MODEL_LENGTH = 200;

const INSERT = `
  INSERT INTO runs (id, tenant_id, user_id, session_id, session_no, ordinal, agent_type, status, request,
    fingerprint, attempt, fence, lease_owner, lease_until, next_seq, created_at, started_at, claimed_at, wire,
    run_key, parent_run_id, wire_data, keep, created_session, state_before, authority, input_text, model)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, {claimed_at}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  RETURNING no`;
/** The time of an attempt is counted by the database's clock. */
const INSERT_STARTED = {
  sqlite: INSERT.replace('{claimed_at}', DATABASE_NOW.sqlite),
  postgres: INSERT.replace('{claimed_at}', DATABASE_NOW.postgres),
};
const INSERT_QUEUED = INSERT.replace('{claimed_at}', 'NULL');

/** The statement that inserts a run, and its values. It returns the row id as `no`. */
export function insertOf(run: NewRun, dialect: Database['dialect']): readonly [sql: string, values: SqlValue[]] {
  return [run.lease ? INSERT_STARTED[dialect] : INSERT_QUEUED, insertValues(run)];
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

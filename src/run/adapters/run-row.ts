import type { JsonObject } from '../../common/index.js';
import type { ErrorModel, Usage } from '../../events/index.js';
import type { RunState } from '../run.types.js';
import type { RunVisibility, RunRecord, StoredRequest } from '../ports/run-store.js';

/** A row of `runs` as plain SQL returns it. */
export interface RunRow {
  readonly no: number;
  readonly id: string;
  readonly tenant_id: string;
  readonly user_id: string;
  readonly session_id: string;
  readonly session_no: number;
  readonly ordinal: number;
  readonly agent_type: string;
  readonly status: string;
  readonly request: string;
  readonly fingerprint: string;
  readonly attempt: number;
  readonly fence: number;
  readonly lease_owner: string | null;
  readonly lease_until: number;
  readonly cancel_requested_at: number | null;
  readonly next_seq: number;
  readonly error: string | null;
  readonly usage: string | null;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly finished_at: number | null;
  readonly wire: string;
  readonly run_key: string | null;
  readonly parent_run_id: string | null;
  readonly wire_data: string;
  readonly keep: string;
  readonly created_session: number;
  readonly claimed_at: number | null;
  readonly used_ms: number;
  readonly events_pruned_at: number | null;
  readonly digests: string | null;
}

/** The columns of `RunRow`, for SELECT and RETURNING. */
export const RUN_COLUMNS = `no, id, tenant_id, user_id, session_id, session_no, ordinal, agent_type, status, request,
  fingerprint, attempt, fence, lease_owner, lease_until, cancel_requested_at, next_seq, error, usage,
  created_at, started_at, finished_at, wire, run_key, parent_run_id, wire_data, keep, created_session, claimed_at,
  used_ms, events_pruned_at, digests`;

/** A row as the rest of the house knows it. */
export function runRecord(row: RunRow): RunRecord {
  return {
    rowId: row.no,
    id: row.id,
    tenantId: row.tenant_id,
    userId: row.user_id,
    sessionId: row.session_id,
    sessionRowId: row.session_no,
    ordinal: row.ordinal,
    agentType: row.agent_type,
    state: row.status as RunState,
    request: JSON.parse(row.request) as StoredRequest,
    fingerprint: row.fingerprint,
    attempt: row.attempt,
    fence: row.fence,
    leaseOwner: row.lease_owner,
    leaseUntil: row.lease_until,
    cancelRequestedAt: row.cancel_requested_at,
    nextSeq: row.next_seq,
    error: row.error === null ? null : (JSON.parse(row.error) as ErrorModel),
    usage: row.usage === null ? null : (JSON.parse(row.usage) as Usage),
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    wire: row.wire,
    runKey: row.run_key,
    parentRunId: row.parent_run_id,
    wireData: JSON.parse(row.wire_data) as JsonObject,
    visibility: row.keep as RunVisibility,
    createdSession: row.created_session === 1,
    claimedAt: row.claimed_at,
    usedMs: row.used_ms,
    eventsPrunedAt: row.events_pruned_at,
    retainedSummaries: row.digests === null ? null : (JSON.parse(row.digests) as JsonObject),
  };
}

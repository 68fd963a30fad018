import type { Authority, JsonObject } from '../../../common/index.js';
import type { ErrorModel, Usage } from '../../../events/index.js';
import {
  type ContentSeals,
  type RequestDatabase,
  DATABASE_NOW,
  prepared,
  readable,
  runPlace,
  type SqlValue,
  type TenantSeal,
} from '../../../database/index.js';
import type { ResumePoint, RunKey, RunRecord, RunVisibility, StoredRequest } from '../../run-record.js';
import type { NewRun } from '../../ports/run-store.js';
import type { RunState } from '../../run.types.js';

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
  readonly used_ms: number;
  readonly events_pruned_at: number | null;
  readonly compacted_at: number | string | null;
  readonly digests: string | null;
  readonly authority: string | null;
  readonly place: number;
  readonly root_run_id: string | null;
  readonly closed_at: number | string | null;
}

/** The columns of `RunRow`, for SELECT and RETURNING. */
export const RUN_COLUMNS = `no, id, tenant_id, user_id, session_id, session_no, ordinal, agent_type, status, request,
  fingerprint, attempt, fence, lease_owner, lease_until, cancel_requested_at, next_seq, error, usage,
  created_at, started_at, finished_at, wire, run_key, parent_run_id, wire_data, keep, created_session,
  used_ms, events_pruned_at, compacted_at, digests, authority, place, root_run_id, closed_at`;

/** The columns of `RunRow` that hold content. */
type SealedColumn = 'request' | 'wire_data' | 'digests';

/** Content that is not sealed. */
const AS_STORED: Pick<ContentSeals, 'isOn' | 'json'> = { isOn: false, json: (_tenantId, _place, stored) => stored };

/** The JSON of the column `request`: a `StoredRequest` under the names of earlier versions. */
type RequestJson = Omit<StoredRequest, 'resumes' | 'toolRestrictions'> & {
  readonly toolLimits?: StoredRequest['toolRestrictions'];
  readonly resumes?: {
    readonly rootRunNo: number;
    readonly reruns: readonly { readonly no: number; readonly ordinal: number }[];
  };
};

/**
 * A row as the record that the rest of the code uses. Only within `ContentSeals.reading`.
 *
 * @throws UnreadableContent
 */
export function runRecord(row: RunRow, content: Pick<ContentSeals, 'isOn' | 'json'>): RunRecord {
  const opened = <Text extends string | null>(column: SealedColumn, stored: Text): Text =>
    content.isOn ? content.json(row.tenant_id, runPlace(column, row.session_no, row.ordinal), stored) : stored;
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
    request: parseRequest(opened('request', row.request)),
    authority: parsed<Authority>(row.authority),
    fingerprint: row.fingerprint,
    attempt: row.attempt,
    fence: row.fence,
    leaseOwner: row.lease_owner,
    leaseUntil: row.lease_until,
    cancelRequestedAt: row.cancel_requested_at,
    nextSeq: row.next_seq,
    error: parsed<ErrorModel>(row.error),
    usage: parsed<Usage>(row.usage),
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    wire: row.wire,
    runKey: row.run_key,
    parentRunId: row.parent_run_id,
    wireData: JSON.parse(opened('wire_data', row.wire_data)) as JsonObject,
    visibility: row.keep as RunVisibility,
    createdSession: row.created_session === 1,
    usedMs: row.used_ms,
    eventsPrunedAt: row.events_pruned_at,
    isCompacted: Number(row.compacted_at) > 0,
    retainedSummaries: parsed<JsonObject>(opened('digests', row.digests)),
    place: row.place,
    rootRunId: row.root_run_id ?? row.id,
    closedAt: row.closed_at === null ? null : Number(row.closed_at),
  };
}

/** What a run without a request has asked for. */
const NO_REQUEST = requestText({ clientTools: [], modelOptions: {}, clientTime: null, forwardedProps: {} });

/**
 * Rows as records; a row whose content cannot be decrypted as a record without content, so that what ends, compacts or
 * prunes the runs of all tenants gets past it.
 */
export function runRecords(rows: readonly RunRow[], content: ContentSeals): Promise<readonly RunRecord[]> {
  return readable(content, rows, (row) => runRecord(row, content), unreadableRecord);
}

function unreadableRecord(row: RunRow): RunRecord {
  const opened = { ...row, request: NO_REQUEST, wire_data: '{}', digests: '{}' };
  return { ...runRecord(opened, AS_STORED), isUnreadable: true };
}

/**
 * The record of a run that was inserted. Field by field: an object made by spreading is slow to use.
 *
 * @param row what `insertOf` returned
 */
export function newRecord(run: NewRun, row: { readonly no: number; readonly place: number }): RunRecord {
  const { principal, lease, lines } = run;
  return {
    rowId: row.no,
    place: row.place,
    id: run.id,
    tenantId: principal.tenantId,
    userId: principal.userId,
    sessionId: run.sessionId,
    sessionRowId: run.sessionRowId,
    ordinal: run.ordinal,
    agentType: run.agentType,
    state: lease ? 'running' : 'queued',
    request: run.request,
    authority: run.authority,
    fingerprint: run.fingerprint,
    attempt: lease ? 1 : 0,
    fence: lease ? 1 : 0,
    leaseOwner: lease?.owner ?? null,
    leaseUntil: lease?.until ?? 0,
    cancelRequestedAt: null,
    nextSeq: lines.length,
    error: null,
    usage: null,
    createdAt: run.createdAt,
    startedAt: lease ? run.createdAt : null,
    finishedAt: null,
    wire: run.wire,
    runKey: run.runKey,
    parentRunId: run.parentRunId,
    wireData: run.wireData,
    visibility: run.visibility,
    createdSession: run.createdSession,
    usedMs: 0,
    eventsPrunedAt: null,
    isCompacted: false,
    retainedSummaries: null,
    rootRunId: run.rootRunId ?? run.id,
    closedAt: null,
  };
}

/** The JSON text of the column `request`. */
export function requestText({ resumes, toolRestrictions, ...request }: StoredRequest): string {
  const json: RequestJson = Object.assign(
    request,
    toolRestrictions && { toolLimits: toolRestrictions },
    resumes && { resumes: { rootRunNo: resumes.rootRunRowId, reruns: resumes.reruns.map(rerunJson) } },
  );
  return JSON.stringify(json);
}

/** A value as JSON text; null stays null. */
export function jsonText(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

function parseRequest(text: string): StoredRequest {
  const { resumes, toolLimits, ...request } = JSON.parse(text) as RequestJson;
  return Object.assign(
    request,
    toolLimits && { toolRestrictions: toolLimits },
    resumes && { resumes: resumePoint(resumes) },
  );
}

function rerunJson({ rowId, ordinal }: RunKey): { readonly no: number; readonly ordinal: number } {
  return { no: rowId, ordinal };
}

function resumePoint({ rootRunNo, reruns }: NonNullable<RequestJson['resumes']>): ResumePoint {
  return { rootRunRowId: rootRunNo, reruns: reruns.map(({ no, ordinal }) => ({ rowId: no, ordinal })) };
}

function parsed<Value>(text: string | null): Value | null {
  return text === null ? null : (JSON.parse(text) as Value);
}

/** The size of the column `model`. */
const MODEL_LENGTH = 200;
/** The greatest place of a run in the queue. */
const MOST_PLACE = 1000;

const INSERT = `
  INSERT INTO runs (id, tenant_id, user_id, session_id, session_no, ordinal, agent_type, status, request,
    fingerprint, attempt, fence, lease_owner, lease_until, next_seq, created_at, started_at, claimed_at, wire,
    run_key, parent_run_id, wire_data, keep, created_session, state_before, authority, input_text, model, root_run_id, place)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, {claimed_at}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, {place})
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
const SEALED = {
  started: { sqlite: sealed(INSERT_STARTED.sqlite), postgres: prepared(sealed(INSERT_STARTED.postgres)) },
  queued: { sqlite: sealed(INSERT_QUEUED.sqlite), postgres: sealed(INSERT_QUEUED.postgres) },
};

/**
 * The statement that inserts a run, and its values. It returns the row id as `no`, and the place of a queued run.
 *
 * @param seal undefined: content is stored as it is
 */
export function insertOf(
  run: NewRun,
  dialect: RequestDatabase['dialect'],
  seal: TenantSeal | undefined,
): readonly [sql: string, values: SqlValue[]] {
  const values = seal ? sealedValues(run, seal) : insertValues(run);
  if (run.lease) return [(seal ? SEALED.started : INSERT_STARTED)[dialect], values];
  return [(seal ? SEALED.queued : INSERT_QUEUED)[dialect], [...values, run.principal.tenantId, MOST_PLACE]];
}

/** With the column of the encrypted words, as the first one. */
function sealed(insert: string): string {
  return insert.replace('(id,', '(input_sealed, id,').replace('VALUES (?,', 'VALUES (?, ?,');
}

function queued(table: string): string {
  const place = `(SELECT COUNT(*) FROM (
    SELECT 1 FROM ${table} WHERE tenant_id = ? AND status IN ('queued', 'running') LIMIT ?) a)`;
  return INSERT.replace('{claimed_at}', 'NULL').replace('{place}', place);
}

function sealedValues(run: NewRun, seal: TenantSeal): SqlValue[] {
  const { sessionRowId, ordinal, inputText } = run;
  const text = seal.json(runPlace('input_sealed', sessionRowId, ordinal), inputText);
  return [
    text,
    ...insertValues(run, (column, json) => seal.json(runPlace(column, sessionRowId, ordinal), json), text && ''),
  ];
}

/** Content as it is stored. */
type Sealing = <Text extends string | null>(column: 'request' | 'wire_data' | 'state_before', json: Text) => Text;

const AS_IT_IS: Sealing = (_column, json) => json;

function insertValues(run: NewRun, stored: Sealing = AS_IT_IS, inputText = run.inputText): SqlValue[] {
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
    stored('request', requestText(run.request)),
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
    stored('wire_data', JSON.stringify(run.wireData)),
    run.visibility,
    run.createdSession ? 1 : 0,
    stored('state_before', jsonText(run.stateBefore)),
    jsonText(run.authority),
    inputText,
    run.request.modelOptions.model?.slice(0, MODEL_LENGTH) ?? null,
    run.rootRunId,
  ];
}

import { AppError } from '../../common/index.js';
import type { Queryable, SqlValue } from '../../database/index.js';
import type { Message } from '../../events/index.js';
import type { InterruptStore } from '../../interrupt/index.js';
import type { OpenedSession, SessionStore } from '../../session/index.js';
import { checkToolResults, withoutRepetition } from '../accept-input.js';
import type { AcceptOptions, Acceptance, ResumedRuns, StoredRequest } from '../ports/run-store.js';
import type { RunRequest } from '../run.types.js';
import { goesOn, settle } from './accept-answers.js';
import { RUN_COLUMNS, type RunRow, runRecord } from './run-row.js';

const FIND = `SELECT ${RUN_COLUMNS} FROM runs WHERE tenant_id = ? AND id = ?`;

const COUNT_ACTIVE = `
  SELECT COUNT(*) AS active FROM runs WHERE session_no = ? AND status IN ('queued', 'running')`;

const INSERT = `
  INSERT INTO runs (id, tenant_id, user_id, session_id, session_no, ordinal, agent_type, status, request,
    fingerprint, attempt, fence, lease_owner, lease_until, next_seq, created_at, started_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?)
  RETURNING ${RUN_COLUMNS}`;

/** Where an accepted run writes beside its own row. */
export interface AcceptStores {
  readonly sessions: SessionStore;
  readonly interrupts: InterruptStore;
}

/**
 * Accepts a run inside one transaction: the session is opened (which also makes rivals for it wait),
 * the request is checked against what the session holds, then the run and its messages are written.
 */
export async function acceptRun(
  tx: Queryable,
  { sessions, interrupts }: AcceptStores,
  request: RunRequest,
  options: AcceptOptions,
): Promise<Acceptance> {
  const repeated = request.runId === undefined ? undefined : await findRepeated(tx, request, options);
  if (repeated) return repeated;
  const session = await sessions.open(tx, request.principal, request.sessionId, options.now);
  const starts = await checkTurn(tx, session, request, options);
  const input = await newInput(tx, sessions, session, request.input);
  const turn = await goesOn(tx, interrupts, session, input, options);
  const run = await insert(tx, session, request, { ...options, resumes: turn.resumes }, starts);
  await settle(tx, interrupts, run, turn, options);
  const owner = { sessionNo: session.no, runNo: run.no, runOrdinal: session.runOrdinal };
  await sessions.append(tx, owner, input, options.now);
  return { run, input, created: true };
}

async function findRepeated(
  tx: Queryable,
  request: RunRequest,
  options: AcceptOptions,
): Promise<Acceptance | undefined> {
  const [row] = await tx.all<RunRow>(FIND, [request.principal.tenantId, options.runId]);
  if (!row) return undefined;
  if (row.fingerprint !== options.fingerprint) throw new AppError('RUN_ID_CONFLICT');
  return { run: runRecord(row), input: [], created: false };
}

/** True when the run may start at once; it waits its turn otherwise. */
async function checkTurn(
  tx: Queryable,
  session: OpenedSession,
  request: RunRequest,
  options: AcceptOptions,
): Promise<boolean> {
  if (session.runOrdinal === 1) return true;
  const [row] = await tx.all<{ active: number }>(COUNT_ACTIVE, [session.no]);
  const active = row?.active ?? 0;
  if (active > 0 && request.onBusy === 'reject') throw new AppError('SESSION_BUSY');
  if (active > options.queueLimit) throw new AppError('QUEUE_FULL', undefined, { retryAfterSeconds: 5 });
  return active === 0;
}

async function newInput(
  tx: Queryable,
  sessions: SessionStore,
  session: OpenedSession,
  input: readonly Message[],
): Promise<readonly Message[]> {
  const first = session.runOrdinal === 1;
  const ids = input.map((message) => message.id);
  const known = first ? new Map<string, Message>() : await sessions.known(tx, session.no, ids);
  const fresh = withoutRepetition(input, known);
  if (fresh.some((message) => message.type === 'function_call_output')) {
    checkToolResults(fresh, first ? [] : await sessions.clientToolTraffic(tx, session.no));
  }
  return fresh;
}

async function insert(
  tx: Queryable,
  session: OpenedSession,
  request: RunRequest,
  options: AcceptOptions & { readonly resumes: ResumedRuns | undefined },
  starts: boolean,
): Promise<Acceptance['run']> {
  const lease = starts ? options.lease : undefined;
  const stored: StoredRequest = {
    clientTools: request.clientTools,
    modelOptions: request.modelOptions,
    clientTime: request.clientTime ?? null,
    forwardedProps: request.forwardedProps,
    ...(options.resumes ? { resumes: options.resumes } : {}),
  };
  const values: SqlValue[] = [
    options.runId,
    request.principal.tenantId,
    request.principal.userId,
    request.sessionId,
    session.no,
    session.runOrdinal,
    request.agentType,
    lease ? 'running' : 'queued',
    JSON.stringify(stored),
    options.fingerprint,
    lease ? 1 : 0,
    lease ? 1 : 0,
    lease?.owner ?? null,
    lease?.until ?? 0,
    options.now,
    lease ? options.now : null,
  ];
  const [row] = await tx.all<RunRow>(INSERT, values);
  if (!row) throw new Error('the run was not inserted');
  return runRecord(row);
}

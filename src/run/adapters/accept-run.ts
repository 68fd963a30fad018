import type { AttachmentBinder } from '../../attachment/index.js';
import { AppError } from '../../common/index.js';
import type { Queryable, SqlValue } from '../../database/index.js';
import type { Message } from '../../events/index.js';
import type { InterruptStore } from '../../interrupt/index.js';
import type { OpenedSession, SessionStore } from '../../session/index.js';
import { newInConversation } from '../accept/resent-conversation.js';
import { checkToolResults, withoutRepetition, withoutServerResults } from '../accept/input-repetition.js';
import type { AcceptOptions, Acceptance, ResumedRuns, StoredRequest } from '../ports/run-store.js';
import { DEFAULT_WIRE, type RunRequest } from '../run.types.js';
import { goesOn, settle } from './accept-answers.js';
import { openFor, type RunPlace } from './accept-place.js';
import { findRepeated } from './accept-repeated.js';
import { cancelActive, lockActive } from './cancel-run.js';
import { RUN_COLUMNS, type RunRow, runRecord } from './run-row.js';

const COUNT_ACTIVE = `
  SELECT COUNT(*) AS active, COUNT(CASE WHEN status = 'queued' THEN 1 END) AS queued FROM runs WHERE session_no = ? AND status IN ('queued', 'running')`;

const INSERT = `
  INSERT INTO runs (id, tenant_id, user_id, session_id, session_no, ordinal, agent_type, status, request,
    fingerprint, attempt, fence, lease_owner, lease_until, next_seq, created_at, started_at, claimed_at, wire,
    run_key, parent_run_id, wire_data, keep, created_session, state_before)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  RETURNING ${RUN_COLUMNS}`;

/** Where an accepted run writes beside its own row. */
export interface AcceptStores {
  readonly sessions: SessionStore;
  readonly interrupts: InterruptStore;
  readonly attachments: AttachmentBinder;
}

/**
 * Accepts a run inside one transaction: the session is opened (which also makes rivals for it wait),
 * the request is checked against what the session holds, then the run and its messages are written.
 */
export async function acceptRun(
  tx: Queryable,
  { sessions, interrupts, attachments }: AcceptStores,
  request: RunRequest,
  options: AcceptOptions,
): Promise<Acceptance> {
  const repeated = await findRepeated(tx, request, options);
  if (repeated) return repeated;
  if (supersedes(request)) await lockActive(tx, request.principal, request.sessionId);
  const place = await openFor(tx, sessions, request, options.now);
  const { session } = place;
  if (place.forkedFrom !== undefined) await attachments.copy(tx, place.forkedFrom, session.rowId);
  const turn = await takeTurn(tx, sessions, session, request, options);
  const input = await newInput(tx, sessions, session, request);
  // A request of nothing but repetition is still what it says: results, which close no question.
  const questions = await goesOn(tx, interrupts, session, input.length > 0 ? input : request.input, options);
  const run = await insert(tx, place, request, options, {
    starts: turn.starts,
    resumes: questions.resumes,
    stateBefore: await replaceState(tx, sessions, session, request, options.now),
  });
  await settle(tx, interrupts, run, questions, options);
  const owner = { sessionRowId: session.rowId, runRowId: run.rowId, runOrdinal: session.runOrdinal };
  const { principal } = request;
  await attachments.bind(tx, { principal, sessionRowId: session.rowId, messages: input, now: options.now });
  await sessions.append(tx, owner, input, options.now, { origin: 'input', hidden: run.visibility !== 'kept' });
  return { run, input, created: true, queuedBefore: turn.queuedBefore, canceled: turn.canceled };
}

interface Turn {
  /** True when the run may start at once; it waits its turn otherwise. */
  readonly starts: boolean;
  /** How many runs of the session are queued before it. */
  readonly queuedBefore: number;
  /** Runs that are executed now and shall end. */
  readonly canceled: readonly number[];
}

function supersedes({ onBusy }: RunRequest): boolean {
  return onBusy === 'interrupt' || onBusy === 'rollback';
}

async function takeTurn(
  tx: Queryable,
  sessions: SessionStore,
  session: OpenedSession,
  request: RunRequest,
  options: AcceptOptions,
): Promise<Turn> {
  if (session.runOrdinal === 1) return { starts: true, queuedBefore: 0, canceled: [] };
  if (supersedes(request)) {
    const rollback = request.onBusy === 'rollback';
    const canceled = await cancelActive(tx, sessions, session.rowId, { now: options.now, rollback });
    return { starts: canceled.length === 0, queuedBefore: 0, canceled };
  }
  const [row] = await tx.all<{ active: number; queued: number }>(COUNT_ACTIVE, [session.rowId]);
  const { active = 0, queued = 0 } = row ?? {};
  if (active > 0 && request.onBusy === 'reject') throw new AppError('SESSION_BUSY');
  if (active > options.queueLimit) throw new AppError('QUEUE_FULL', undefined, { retryAfterSeconds: 5 });
  return { starts: active === 0, queuedBefore: queued, canceled: [] };
}

async function newInput(
  tx: Queryable,
  sessions: SessionStore,
  session: OpenedSession,
  request: RunRequest,
): Promise<readonly Message[]> {
  const { input } = request;
  const first = session.runOrdinal === 1;
  const byId = first ? new Map<string, Message>() : await sessions.known(tx, session.rowId, idsOf(input));
  if (request.resendsHistory === true) {
    const traffic = !first && input.some(isTraffic) ? await sessions.toolTraffic(tx, session.rowId, 'all') : [];
    const fresh = newInConversation(input, { byId, traffic }, (request.answers?.length ?? 0) > 0);
    checkToolResults(fresh, traffic);
    return fresh;
  }
  const outputs = input.filter((message) => message.type.endsWith('_call_output'));
  const whose = outputs.every((message) => message.type === 'function_call_output') ? 'client' : 'all';
  const traffic = outputs.length > 0 && !first ? await sessions.toolTraffic(tx, session.rowId, whose) : [];
  const fresh = withoutServerResults(withoutRepetition(input, byId, traffic), traffic);
  if (outputs.length > 0) checkToolResults(fresh, traffic);
  return fresh;
}

function idsOf(input: readonly Message[]): string[] {
  return input.map((message) => message.id);
}

function isTraffic({ type }: Message): boolean {
  return type.endsWith('_call') || type.endsWith('_call_output');
}

/** Sets the state that the request brings and returns, as JSON, what it replaces: a rollback puts it back. */
async function replaceState(
  tx: Queryable,
  sessions: SessionStore,
  session: OpenedSession,
  { state }: RunRequest,
  now: number,
): Promise<string | null> {
  if (state === undefined) return null;
  const before = session.runOrdinal === 1 ? {} : await sessions.state(session.rowId, tx);
  await sessions.saveState(tx, session.rowId, state, now);
  return JSON.stringify(before);
}

function stored(request: RunRequest, resumes: ResumedRuns | undefined): StoredRequest {
  return {
    clientTools: request.clientTools,
    ...(request.toolRestrictions ? { toolLimits: request.toolRestrictions } : {}),
    modelOptions: request.modelOptions,
    clientTime: request.clientTime ?? null,
    forwardedProps: request.forwardedProps,
    ...(resumes ? { resumes } : {}),
    ...(request.locale === undefined ? {} : { locale: request.locale }),
    ...(request.systemPrompt === undefined ? {} : { systemPrompt: request.systemPrompt }),
    ...(request.state === undefined ? {} : { state: request.state }),
  };
}

/** What was found out about the run that is to be written. */
interface NewRun {
  readonly starts: boolean;
  readonly resumes: ResumedRuns | undefined;
  readonly stateBefore: string | null;
}

async function insert(
  tx: Queryable,
  { session, sessionId, created }: RunPlace,
  request: RunRequest,
  options: AcceptOptions,
  { starts, resumes, stateBefore }: NewRun,
): Promise<Acceptance['run']> {
  const lease = starts ? options.lease : undefined;
  const startedAt = lease ? options.now : null;
  const values: SqlValue[] = [
    options.runId,
    request.principal.tenantId,
    request.principal.userId,
    sessionId,
    session.rowId,
    session.runOrdinal,
    request.agentType,
    lease ? 'running' : 'queued',
    JSON.stringify(stored(request, resumes)),
    options.fingerprint,
    lease ? 1 : 0,
    lease ? 1 : 0,
    lease?.owner ?? null,
    lease?.until ?? 0,
    options.now,
    startedAt,
    startedAt,
    request.wire ?? DEFAULT_WIRE,
    request.runKey ?? null,
    request.parentRunId ?? null,
    JSON.stringify(request.wireData ?? {}),
    request.store === false ? 'transient' : 'kept',
    created ? 1 : 0,
    stateBefore,
  ];
  const [row] = await tx.all<RunRow>(INSERT, values);
  if (!row) throw new Error('the run was not inserted');
  return runRecord(row);
}

import { Injectable } from '@nestjs/common';
import { AttachmentBinder } from '../../agent/attachment/index.js';
import { AppError, type JsonObject } from '../../common/index.js';
import { isUniqueViolation, type Transaction } from '../../database/index.js';
import { type AgentEvent, LoggedEvent, serializeEvent } from '../../events/index.js';
import { type MessageStates, NO_MESSAGES, type OpenedSession, type StateTexts } from '../../agent/session/index.js';
import { NO_PREFERENCES, UserSettings } from '../../user-settings/index.js';
import type { StartedRun } from '../ports/dispatcher.js';
import { RunListings } from '../ports/run-listings.js';
import type { Lease } from '../ports/run-leases.js';
import type { ActiveRunLimits } from '../ports/run-limits.js';
import { RunLedger } from '../run-ledger.js';
import type { ResumePoint, RunRecord, StoredRequest } from '../run-record.js';
import { DEFAULT_WIRE, type RunRequest } from '../run.types.js';
import { applyBusyPolicy, type QueueLimits, requireQueueRoom, requireRoom, supersedes } from './busy-policy.js';
import { EncoderRevisions } from './encoder-revisions.js';
import { newInput, replacedMessages } from './new-input.js';
import { type ResolvedSession, resolveSession } from './resolve-session.js';
import { firstWords } from './first-words.js';
import { resentStates } from './resent-states.js';
import { findResumePoint, recordAnswers, requireAllAnswered, type Resume } from './resume-point.js';
import { isNamed, type PreparedRun } from './run-preparation.js';

/**
 * What was accepted: the run, its messages without those that the session had already, and its first events. The
 * preferences are read only if it starts.
 */
export interface Acceptance extends StartedRun {
  /** False: the same request had been accepted before. */
  readonly created: boolean;
  /** How many runs of the session are queued before this one; 0 unless it is queued itself. */
  readonly queuedBefore: number;
  /** The runs that were canceled because of this one. */
  readonly canceled: readonly RunRecord[];
}

/** How a prepared run is accepted. */
export interface AcceptOptions {
  readonly queueLimit: number;
  /** How many runs may wait for a worker; undefined without a limit. */
  readonly queue?: QueueLimits | undefined;
  /** How many runs the owner may have that have not ended; undefined without a limit. */
  readonly active?: ActiveRunLimits | undefined;
  /** Given: the run starts at once, unless its session has another run that has not ended. */
  readonly start?: ImmediateStart;
}

/** How a run starts in the process that accepts it. */
export interface ImmediateStart {
  readonly lease: Lease;
  /** The first events of the run. May be called more than once. */
  readonly events: (run: { readonly id: string; readonly sessionId: string }) => readonly AgentEvent[];
  /** Called before each attempt to commit, with the row id of the run. */
  readonly inserted?: (runRowId: number) => void;
}

/** What most requests are granted of other users' attachments. */
const NOTHING: ReadonlySet<string> = new Set();

/** What the transaction found out about the run before it inserts it. */
interface RunPlan {
  /** Undefined when the run is queued. */
  readonly lease: Lease | undefined;
  /** Canonical JSON of the events that are committed with it. */
  readonly lines: readonly string[];
  readonly resume: Resume;
  readonly stateBefore: JsonObject | null;
  readonly inputText: string | null;
}

/** The transaction that accepts a run: session, run, messages, answers and attachments are stored together. */
@Injectable()
export class AcceptTransaction {
  constructor(
    private readonly ledger: RunLedger,
    private readonly attachments: AttachmentBinder,
    private readonly encoders: EncoderRevisions,
    private readonly userSettings: UserSettings,
    private readonly listings: RunListings,
  ) {}

  /**
   * @param committed as that of `UnitOfWork.write`
   * @throws AppError SESSION_BUSY (also while the user's data is being erased), QUEUE_FULL, RUN_ID_CONFLICT, INVALID_PARAMETER, RUN_NOT_FOUND,
   *   (an unknown endpoint, too), SESSION_EXISTS, SESSION_NOT_FOUND, MESSAGE_CONFLICT, INTERRUPT_PENDING, INTERRUPT_NOT_FOUND, INTERRUPT_ALREADY_ANSWERED, INTERRUPT_EXPIRED;
   *   then nothing is written
   */
  async commit(
    prepared: PreparedRun,
    options: AcceptOptions,
    committed?: (accepted: Acceptance) => void,
  ): Promise<Acceptance> {
    const { principal, webhook } = prepared.request;
    if (webhook !== undefined) await this.ledger.causes.check(principal.tenantId, webhook);
    const write = (): Promise<Acceptance> =>
      this.ledger.write((tx) => this.accept(tx, prepared, options), committed, sessionKey(prepared.request));
    try {
      return await write();
    } catch (error) {
      // Of two equal requests at the same time one is refused; its second attempt finds the other one's run.
      const refused = error instanceof AppError && error.code !== 'RUN_ID_CONFLICT';
      if (!isNamed(prepared.request) || !(refused || isUniqueViolation(error))) throw error;
      return write();
    }
  }

  /**
   * Opens the session, which also makes other writers of it wait, checks the request against what the session
   * holds, then writes the run and its messages.
   */
  private async accept(tx: Transaction, prepared: PreparedRun, options: AcceptOptions): Promise<Acceptance> {
    const { request, now } = prepared;
    const { principal } = request;
    const repeated = await this.findRepeated(tx, prepared);
    if (repeated) return repeated;
    if (supersedes(request)) await this.ledger.runs.lockActive(tx, principal, request.sessionId);
    const place = await resolveSession(tx, this.ledger, request, now);
    const { session, forkedFrom } = place;
    if (forkedFrom !== undefined) await this.attachments.copy(tx, forkedFrom, session.rowId);
    if (request.answersAllInterrupts === true) {
      await requireAllAnswered(tx, this.ledger.interrupts, session, { answers: prepared.answers, now });
    }
    const replaced = await replacedMessages(tx, this.ledger, session, request);
    const turn = await applyBusyPolicy(tx, this.ledger, session, request, { now, queueLimit: options.queueLimit });
    if (options.active) await requireRoom(tx, this.ledger, principal, options.active);
    const input = await newInput(tx, this.ledger, session, request, { now, replaced });
    // Results that only repeat earlier ones still count as results: they cancel no interrupt.
    const answered = input.length > 0 ? input : request.input;
    const { answers } = prepared;
    const resume = await findResumePoint(tx, this.ledger, session, answered, { answers, now });
    const start = turn.starts ? options.start : undefined;
    if (!start && options.queue) await requireQueueRoom(tx, this.ledger, principal, options.queue);
    const events = start?.events({ id: prepared.runId, sessionId: place.sessionId }) ?? [];
    const lines = events.map(serializeEvent);
    const stateBefore = await this.replaceState(tx, session, request, now);
    const inputText = request.store === false ? null : firstWords(input);
    // All, so that on PostgreSQL they share a round trip.
    const [preferences, run] = await Promise.all([
      start ? this.userSettings.forRun(principal, tx) : NO_PREFERENCES,
      this.insert(tx, place, prepared, { lease: start?.lease, lines, resume, stateBefore, inputText }),
      this.ledger.sessions.refuseErased(tx, principal),
    ]);
    if (request.listing) await this.listings.insert(tx, run, request.listing);
    const keep = request.keepsInterrupts === true;
    await recordAnswers(tx, this.ledger.interrupts, run, resume, { answers, now, keep });
    const { granted = NOTHING } = prepared;
    await this.attachments.bind(tx, { principal, sessionRowId: session.rowId, messages: input, granted, now });
    const owner = {
      tenantId: principal.tenantId,
      sessionRowId: session.rowId,
      runRowId: run.rowId,
      runOrdinal: run.ordinal,
    };
    const hidden = run.visibility !== 'kept';
    const states = await resentStates(tx, this.ledger.sessions, request.reach, input);
    await this.ledger.sessions.append(tx, owner, input, now, {
      origin: 'input',
      hidden,
      first: session.firstMessage,
      states,
    });
    await this.ledger.causes.written(tx, run, 0, { lines, at: now });
    start?.inserted?.(run.rowId);
    const logged = lines.map((line, seq) => new LoggedEvent(seq, line, events[seq], now));
    const { queuedBefore, canceled } = turn;
    const stored = { messages: input, states: textsOf(states) };
    return { run, input: stored, events: logged, preferences, created: true, queuedBefore, canceled };
  }

  /** True if the request was accepted before. @throws AppError RUN_ID_CONFLICT */
  async isRepeated(prepared: PreparedRun): Promise<boolean> {
    return (await this.findRepeated(undefined, prepared)) !== undefined;
  }

  /** @throws AppError RUN_ID_CONFLICT when the client's run id was used with other content */
  private async findRepeated(tx: Transaction | undefined, prepared: PreparedRun): Promise<Acceptance | undefined> {
    const { runs } = this.ledger;
    const { principal, reach, sessionId, runId, runKey } = prepared.request;
    let run: RunRecord | undefined;
    if (runId !== undefined) run = await runs.find(reach, runId, tx);
    else if (runKey !== undefined) run = await runs.findByKey(principal, sessionId, runKey, tx);
    if (!run) return undefined;
    if (run.fingerprint !== prepared.fingerprint) throw new AppError('RUN_ID_CONFLICT');
    const queuedBefore = run.state === 'queued' ? await runs.queuedBefore(run, tx) : 0;
    return {
      run,
      input: NO_MESSAGES,
      events: [],
      preferences: NO_PREFERENCES,
      created: false,
      queuedBefore,
      canceled: [],
    };
  }

  /** Sets the state that the request brings and returns the one it replaces, which a rollback restores. */
  private async replaceState(
    tx: Transaction,
    session: OpenedSession,
    { state, principal: { tenantId } }: RunRequest,
    now: number,
  ): Promise<JsonObject | null> {
    if (state === undefined) return null;
    const { sessions } = this.ledger;
    const before = session.runOrdinal === 1 ? {} : await sessions.state(session.rowId, tx);
    await sessions.saveState(tx, { tenantId, sessionRowId: session.rowId }, state, now);
    return before;
  }

  private async insert(
    tx: Transaction,
    { session, sessionId, created }: ResolvedSession,
    { request, runId, authority, fingerprint, now }: PreparedRun,
    { lease, lines, resume, stateBefore, inputText }: RunPlan,
  ): Promise<RunRecord> {
    return this.ledger.runs.insert(tx, {
      id: runId,
      principal: request.principal,
      sessionId,
      sessionRowId: session.rowId,
      ordinal: session.runOrdinal,
      createdSession: created,
      agentType: request.agentType,
      request: storedRequest(request, resume.point),
      authority,
      fingerprint,
      wire: request.wire ?? DEFAULT_WIRE,
      runKey: request.runKey ?? null,
      parentRunId: request.parentRunId ?? null,
      wireData: this.encoders.stored(request.wireData),
      visibility: request.store === false ? 'transient' : 'kept',
      stateBefore,
      inputText,
      lease,
      lines,
      createdAt: now,
      rootRunId: resume.rootRunId,
    });
  }
}

/** What the run keeps of traces; nothing if neither the request nor the run that it continues was traced. */
function traceOf({ traceparent, continuesTrace }: RunRequest): Pick<StoredRequest, 'trace'> {
  const parent = traceparent ?? continuesTrace;
  if (parent === undefined) return {};
  return { trace: { parent, ...(continuesTrace !== undefined && { continues: continuesTrace }) } };
}

function storedRequest(request: RunRequest, resumes: ResumePoint | undefined): StoredRequest {
  return {
    clientTools: request.clientTools,
    ...(request.toolRestrictions ? { toolRestrictions: request.toolRestrictions } : {}),
    modelOptions: request.modelOptions,
    clientTime: request.clientTime ?? null,
    forwardedProps: request.forwardedProps,
    ...(resumes ? { resumes } : {}),
    ...(request.locale === undefined ? {} : { locale: request.locale }),
    ...(request.systemPrompt === undefined ? {} : { systemPrompt: request.systemPrompt }),
    ...(request.resendsHistory === true ? { resendsHistory: true } : {}),
    ...(request.state === undefined ? {} : { state: request.state }),
    ...(request.webhook === undefined ? {} : { webhook: request.webhook }),
    ...(request.carried && { carried: request.carried }),
    ...traceOf(request),
  };
}

function textsOf(states: MessageStates): StateTexts {
  const texts = new Map<string, string>();
  for (const [id, { json }] of states) texts.set(id, json);
  return texts;
}

/** The same for requests that lock the same session. */
function sessionKey({ principal, sessionId, after }: RunRequest): string {
  const { tenantId, userId } = principal;
  return JSON.stringify(after === undefined ? [tenantId, userId, sessionId] : [tenantId, userId, null, after]);
}

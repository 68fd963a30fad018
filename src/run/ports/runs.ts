import type { AbortLike, BackpressureGate, Origin, Principal, Reach, Requester } from '../../common/index.js';
import type { AgentResponse, LoggedEvent, Message } from '../../events/index.js';
import type { AcceptedRun, InterruptAnswer, RunRequest, RunState, RunView } from '../run.types.js';

/** How a run is named. */
export interface NameOptions {
  /** True: a run is also found by its client's own id of it (`RunView.runKey`); of several it is the newest. */
  readonly byKey?: boolean;
}

/** Who reads a run. */
export interface ReadOptions extends NameOptions {
  /**
   * True for the request that the run was accepted by: it can read the run also when it is not stored
   * (`RunRequest.store`) and has ended.
   */
  readonly accepted?: boolean;
}

/** How to read a run's log. */
export interface TailOptions extends ReadOptions {
  /** Only events with a greater number; -1, the default, for all. */
  readonly after?: number;
  /** Back-pressure of the socket that the events are written to. */
  readonly gate?: BackpressureGate;
  /** Ends the iteration when it aborts, for example because the client disconnected. The run continues. */
  readonly signal?: AbortLike;
  /** The run as `accept` returned it a moment ago: it is not looked up again. */
  readonly run?: RunView;
}

/** Which runs of a session to list. */
export interface ListOptions {
  /** The maximum number of runs, default 20. */
  readonly limit?: number;
  /** Only runs with a smaller ordinal. */
  readonly before?: number;
  readonly states?: readonly RunState[];
}

/** How a run is canceled. */
export interface CancelOptions {
  /** Also takes the run's messages and state out of the session, as the busy policy `rollback` does. */
  readonly rollback?: boolean;
  /** Who cancels, for the audit trail, which tells of cancels by another than the owner. Absent: the server itself. */
  readonly by?: Origin;
}

/** How interrupts are answered. */
export interface AnswerOptions {
  /** Makes the answer repeatable: the same answers return the same run. */
  readonly runKey?: string;
  /** As `RunRequest.traceparent`. */
  readonly traceparent?: string;
}

/**
 * Runs as wires use them: accept one, read one, cancel one. A run is found by its id within a reach, by the client's
 * run id or its place in its session by the session's owner: ids of sessions are unique for each user. What lies
 * outside is not found (contract access, section 2). Ids of runs are unique for each user, too: where the reach is a
 * tenant and several users have a run with an id, every method that looks it up throws AMBIGUOUS_ID.
 */
export abstract class Runs {
  /**
   * Accepts a run: session, input messages and run are committed when this resolves.
   *
   * @throws AppError SESSION_BUSY (policy `reject`; a fork of a run that has not ended), RUN_ID_CONFLICT,
   *   AGENT_NOT_FOUND, QUEUE_FULL, INVALID_PARAMETER (a tool result that answers no open call),
   *   RUN_NOT_FOUND (`after`), SESSION_EXISTS (a fork under a session id that is taken), SESSION_NOT_FOUND
   *   (`tenantUniqueId`), SHUTTING_DOWN;
   *   INTERRUPT_PENDING (`answersAllInterrupts`);
   *   with answers also INTERRUPT_NOT_FOUND, INTERRUPT_ALREADY_ANSWERED, INTERRUPT_EXPIRED,
   *   INVALID_PARAMETER (edits or a payload that are not allowed or not valid)
   */
  abstract accept(request: RunRequest): Promise<AcceptedRun>;

  /**
   * Answers interrupts of one session: accepts the run that resumes, in the interrupted run's session
   * and with its agent, tools, model options and authority. It is queued when the session is busy.
   *
   * @param requester whoever answers; null without authentication
   * @throws AppError as `accept`
   */
  abstract answer(
    reach: Reach,
    requester: Requester | null,
    answers: readonly InterruptAnswer[],
    options?: AnswerOptions,
  ): Promise<AcceptedRun>;

  /**
   * Reads the log from a cursor: the committed events, then live ones, until the terminal event. Yields
   * batches of at least one event, in order, without gap or repeat.
   *
   * @throws AppError RUN_NOT_FOUND; CURSOR_AHEAD when `after` is beyond the end of the log;
   *   EVENTS_EXPIRED when the events were removed. All with the first batch.
   */
  abstract tail(reach: Reach, runId: string, options?: TailOptions): AsyncIterable<readonly LoggedEvent[]>;

  /** @throws AppError RUN_NOT_FOUND */
  abstract view(reach: Reach, runId: string, options?: ReadOptions): Promise<RunView>;

  /** The run of a session with the client's run id; undefined when it does not exist. */
  abstract findByKey(principal: Principal, sessionId: string, runKey: string): Promise<RunView | undefined>;

  /** The runs of a session, newest first; empty for an unknown session. */
  abstract list(principal: Principal, sessionId: string, options?: ListOptions): Promise<readonly RunView[]>;

  /**
   * The first run of a session with a greater ordinal than `afterOrdinal`, among those that `list` lists:
   * at once when it exists, otherwise when it is accepted, by this process or another one. The session
   * need not exist yet.
   *
   * @returns undefined when the signal aborts or the server stops
   * @throws the driver's error when the database cannot be read
   */
  abstract next(
    principal: Principal,
    sessionId: string,
    afterOrdinal: number,
    signal: AbortLike,
  ): Promise<RunView | undefined>;

  /** The current response, folded from the log. @throws AppError RUN_NOT_FOUND */
  abstract response(reach: Reach, runId: string, options?: ReadOptions): Promise<AgentResponse>;

  /** The messages that a run was accepted with, without what the session had already. @throws AppError RUN_NOT_FOUND */
  abstract input(reach: Reach, runId: string): Promise<readonly Message[]>;

  /**
   * Requests the cancel of a run, durably. Idempotent; of a run that has ended only the interrupts that it waits
   * for are canceled. A run that was never started has ended when this resolves.
   *
   * @throws AppError RUN_NOT_FOUND
   */
  abstract cancel(reach: Reach, runId: string, options?: CancelOptions): Promise<RunView>;

  /**
   * Cancels every run of a session that has not ended or waits for an interrupt. Returns their ids.
   *
   * @param by as `CancelOptions.by`
   */
  abstract cancelSession(principal: Principal, sessionId: string, by?: Origin): Promise<readonly string[]>;

  /**
   * Removes a run: its log, its journal and its messages in the session. A run that has not ended is
   * canceled first, and its end is awaited.
   *
   * @param by who removes it, for the audit trail. Absent: the server itself
   * @throws AppError RUN_NOT_FOUND; SESSION_BUSY when it does not end in time, or the server stops
   */
  abstract remove(reach: Reach, runId: string, by?: Origin): Promise<void>;

  /**
   * Removes a session with everything that belongs to it. Runs that have not ended are canceled first, and their
   * ends are awaited.
   *
   * @param by who removes it, for the audit trail. Absent: the server itself
   * @throws AppError SESSION_NOT_FOUND; SESSION_BUSY when its runs do not end in time, or the server stops
   */
  abstract removeSession(principal: Principal, sessionId: string, by?: Origin): Promise<void>;
}

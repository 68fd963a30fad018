import type { Demand, Principal } from '../common/index.js';
import type { AgentResponse, LoggedEvent } from '../events/index.js';
import type { AcceptedRun, InterruptAnswer, RunRequest, RunView } from './run.types.js';

/** How to read a run's log. */
export interface TailOptions {
  /** Only events with a greater number; -1, the default, for all. */
  readonly after?: number;
  /** Back-pressure of the socket that is fed. */
  readonly demand?: Demand;
  /** Ends the iteration when it aborts (the client is gone). The run goes on. */
  readonly signal?: AbortSignal;
}

/**
 * What protocols need of runs, and all they may use: accept one, read one, cancel one. A foreign
 * tenant's id answers like an unknown one.
 */
export abstract class Runs {
  /**
   * Accepts a run: session, input messages and run are committed when this resolves.
   *
   * @throws AppError SESSION_BUSY (policy `reject`), RUN_ID_CONFLICT, AGENT_NOT_FOUND, QUEUE_FULL,
   *   INVALID_PARAMETER (a tool result that answers no open call), SHUTTING_DOWN; with answers also
   *   INTERRUPT_NOT_FOUND, INTERRUPT_ALREADY_ANSWERED, INTERRUPT_EXPIRED, INVALID_PARAMETER (edits or
   *   a payload that are not allowed or not valid)
   */
  abstract accept(request: RunRequest): Promise<AcceptedRun>;

  /**
   * Answers questions of one session: accepts the run that goes on, in the interrupted run's session
   * and with its agent, tools and model options. Waits its turn when the session is busy.
   *
   * @param options.runKey makes the answer repeatable: the same answers replay the same run
   * @throws AppError as `accept`
   */
  abstract answer(
    principal: Principal,
    answers: readonly InterruptAnswer[],
    options?: { readonly runKey?: string },
  ): Promise<AcceptedRun>;

  /**
   * Reads the log from a cursor: what is committed, then live, until the terminal event. Yields
   * batches of at least one event, in order, without gap or repeat.
   *
   * @throws AppError RUN_NOT_FOUND; CURSOR_AHEAD when `after` lies beyond the end of the log. Both
   *   before the first batch.
   */
  abstract tail(principal: Principal, runId: string, options?: TailOptions): AsyncIterable<readonly LoggedEvent[]>;

  /** @throws AppError RUN_NOT_FOUND */
  abstract view(principal: Principal, runId: string): Promise<RunView>;

  /** The response as it stands, folded from the log. @throws AppError RUN_NOT_FOUND */
  abstract response(principal: Principal, runId: string): Promise<AgentResponse>;

  /**
   * Requests the cancel of a run, durably. Idempotent; a finished run stays as it is, but what it waits
   * for is closed.
   *
   * @throws AppError RUN_NOT_FOUND
   */
  abstract cancel(principal: Principal, runId: string): Promise<RunView>;

  /** Cancels every run of a session that is not over or waits for a person, and returns their ids; none is no error. */
  abstract cancelSession(principal: Principal, sessionId: string): Promise<readonly string[]>;
}

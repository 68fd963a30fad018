import type { Json, JsonObject, Principal } from '../common/index.js';
import type { AskedInterrupt, AuditNote, Resumption } from '../interrupt/index.js';
import type { AgentEvent, Message, ResponseBuilder } from '../events/index.js';
import type { ClientTime, ToolDeclaration, ToolRestriction } from '../tools/index.js';
import type { InputQuestion } from './input-interrupt.js';
import type { ModelOptions } from './ports/model-client.js';

/** A finished step as the journal kept it. */
export interface StepRecord {
  readonly output: JsonObject;
}

/**
 * The journal of a run: a step that is in it is never repeated, whatever happens to the worker.
 * Keys are unique within the run and the same on every attempt, for example `model:0`, `tool:call_1`.
 */
export interface Journal {
  /**
   * The stored output of a finished step, or undefined when it has to be done (again).
   *
   * @throws AppError JOURNAL_MISMATCH when the step was finished or begun with another `inputHash`:
   *   the agent is no longer the one that wrote the journal
   */
  finished(key: string, inputHash: string): StepRecord | undefined;
  /** True when the step is finished, whatever its input was. */
  isFinished(key: string): boolean;
  /** True when an earlier attempt began this step and did not finish it. */
  inDoubt(key: string): boolean;
  /** Writes down that the step begins; resolves when that is committed. For steps with side effects. */
  begin(key: string, inputHash: string): Promise<void>;
  /**
   * Writes down the step's output. It is committed together with the events written since the last
   * `await`, so a step is finished if and only if its events are in the log.
   *
   * `messageIds` are the messages this step wrote: they stand when the run is resumed. Messages of
   * no finished step are discarded then.
   */
  finish(key: string, inputHash: string, output: JsonObject, messageIds: readonly string[]): void;
}

/** One operation of an RFC 6902 patch, for example `{op: 'replace', path: '/title', value: 'x'}`. */
export type StateOperation = JsonObject;

/** A session's shared state: a JSON object that is kept between runs. */
export interface SessionState {
  get(): JsonObject;
  /** Replaces the state; kept when the run ends, shown to richer wires at once. */
  set(state: JsonObject): void;
  /**
   * Changes the state by an RFC 6902 patch, all of it or nothing; richer wires show the patch.
   *
   * @throws AppError AGENT_ERROR when the patch does not fit, or would leave no JSON object
   */
  patch(operations: readonly StateOperation[]): void;
}

/** Everything an agent is given for one run. */
export interface AgentContext {
  readonly runId: string;
  readonly sessionId: string;
  readonly agentType: string;
  /** 1 for the first execution; higher when a lost worker's run is resumed. */
  readonly attempt: number;
  /**
   * Ids of the tool calls that earlier executions of this run have shown, also of those that were taken
   * back: clients keep them, so a call that is made again needs another id.
   */
  readonly shownCallIds: readonly string[];
  readonly principal: Principal;
  /** The messages of this request. */
  readonly input: readonly Message[];
  /** The text of this request's user messages, joined by line breaks. */
  readonly inputText: string;
  /** Earlier messages of the session, oldest first, within the token budget. */
  readonly history: readonly Message[];
  readonly state: SessionState;
  /** Tools the client declared and runs itself. */
  readonly clientTools: readonly ToolDeclaration[];
  /** What the request takes away of the server's tools. */
  readonly toolLimits?: readonly ToolRestriction[];
  readonly modelOptions: ModelOptions;
  readonly clientTime: ClientTime | undefined;
  /** The user's IANA zone: the device's, else that of the user's settings, else UTC (docs/tools.md#time-zones). */
  readonly timeZone: string;
  /** The language the request wants, else that of the user's settings: a BCP 47 tag; null when there is neither. */
  readonly locale: string | null;
  /** When the request was made: the device's clock where it told one, else when the run was accepted. Milliseconds. */
  readonly requestedAt: number;
  readonly forwardedProps: JsonObject;
  /** The answers that this run goes on with, when it goes on where an earlier one waited. */
  readonly resumption: Resumption;
  /**
   * Asks a person for an input and ends the run until it is there; then the agent runs again from its
   * beginning, in a new run of the same session with the same input, history and journal, and this
   * call returns the answer. What must not be done twice before it belongs behind a step of `journal`.
   *
   * @throws InputInterrupt the first time: let it pass
   * @throws InputRefused when the person gave up or the time is over
   */
  interrupt(question: InputQuestion): Promise<Json>;
  /** Writes a line for the audit trail, with the events of this turn. */
  audit(note: AuditNote): void;
  /** What the request adds to the agent's own prompt, for this run only; often empty. */
  readonly instructions: string;
  /**
   * The builder bound to this run's log: every call is an event of the run. The run opens and ends
   * the response itself; an agent makes messages and contents.
   */
  readonly response: ResponseBuilder;
  readonly journal: Journal;
  /** Aborts on cancel, on time-out and when the worker loses the run. */
  readonly signal: AbortSignal;
  /** The subagent that this context belongs to (`beginSubagent`); absent for the run's own agent. */
  readonly subagent?: { readonly id: string; readonly path: string };
  /** Writes an event that the builder does not make: state, step, activity, custom, raw, subagent. */
  emit(event: AgentEvent): void;
  /** Resolves when everything written so far is committed. */
  flush(): Promise<void>;
}

/** How a run of an agent ended, when it was not by a thrown error. */
export type AgentOutcome =
  | { readonly kind: 'completed' }
  /** A limit was reached: the answer is cut. */
  | { readonly kind: 'incomplete'; readonly reason: string }
  /** The run waits for a person or for client tools. */
  | {
      readonly kind: 'interrupted';
      readonly reason: 'client_tool' | 'approval' | 'input';
      readonly message: string | null;
      readonly callIds: readonly string[];
      readonly responseSchema: JsonObject | null;
      /** The questions to a person. */
      readonly asked?: readonly AskedInterrupt[];
    };

/**
 * An agent: one method that writes a run. Values it yields are checkpoints, at which the run may be
 * slowed while the log catches up; events that the bound builder made are already written, any other
 * event it yields is written then. Returning nothing means completed.
 *
 * @throws AppError its code and message end the run as failed; any other error ends it as
 *   AGENT_UNKNOWN_ERROR with nothing of its text shown.
 */
export interface Agent {
  run(context: AgentContext): AsyncGenerator<AgentEvent | undefined, AgentOutcome | void, void>;
}

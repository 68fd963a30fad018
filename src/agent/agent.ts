import type { Authority, Carried, Json, JsonObject, PatchLimits, Principal } from '../common/index.js';
import type { AgentEvent, Message, ResponseBuilder } from '../events/index.js';
import type { RunTelemetry } from '../telemetry/index.js';
import type { UsageMeter } from '../usage/index.js';
import type { AskedInterrupt, AuditNote, Resumption, SettledInterrupt } from './interrupt/index.js';
import type { ClientTime, ToolDeclaration, ToolRestriction } from './tools/index.js';
import type { ModelOptions } from './ports/model-client.js';

/** A finished step in the journal. */
export interface StepRecord {
  /** What the step returned; a resumed run gets it instead of repeating the step. */
  readonly output: JsonObject;
}

/**
 * The journal of a run. A step that it contains is never repeated, even if the worker is lost. Keys are unique
 * in the run and the same in every attempt, for example `model:0` or `tool:call_1`.
 */
export interface Journal {
  /**
   * The stored output of a finished step, or undefined if the step must be executed (again).
   *
   * @throws AppError JOURNAL_MISMATCH if the step was started or finished with another `inputHash`, which means
   *   that the agent has changed since it wrote the journal
   */
  finished(key: string, inputHash: string): StepRecord | undefined;
  /** True if the step is finished, regardless of its input. */
  isFinished(key: string): boolean;
  /** True if an earlier attempt started this step and did not finish it. */
  inDoubt(key: string): boolean;
  /** When the step in doubt was started, in milliseconds of the epoch; undefined if it is not in doubt. */
  begunAt(key: string): number | undefined;
  /** Records the start of a step with side effects. Resolves when it is committed. */
  begin(key: string, inputHash: string): Promise<void>;
  /**
   * Records the output of a step. It is committed together with the events written since the last `await`, so
   * a step is finished if and only if its events are in the log.
   *
   * @param messageIds the messages that this step wrote. When the run is resumed, they are kept, and messages
   *   of unfinished steps are discarded
   */
  finish(key: string, inputHash: string, output: JsonObject, messageIds: readonly string[]): void;
  /**
   * Records why a step failed, for people who look at the run. The step stays unfinished: a resumed run executes it
   * again.
   */
  fail(key: string, inputHash: string, failure: JsonObject): void;
}

/** One operation of an RFC 6902 patch, for example `{op: 'replace', path: '/title', value: 'x'}`. */
export type StateOperation = JsonObject;

/** The shared state of a session: a JSON object that is kept between runs. */
export interface SessionState {
  /** The current state, including changes of this run. */
  get(): JsonObject;
  /** Replaces the state. Clients of wires that show state see it immediately; it is stored when the run ends. */
  set(state: JsonObject): void;
  /**
   * Changes the state by an RFC 6902 patch, which is applied completely or not at all. Wires that show state
   * send the patch.
   *
   * @param limits of the result, for patches that are not the agent's own
   * @throws AppError AGENT_ERROR if the patch cannot be applied, or if the result is not a JSON object or too large
   */
  patch(operations: readonly StateOperation[], limits?: PatchLimits): void;
}

/** An input that an agent requests from a person. */
export interface InputQuestion {
  /** Identifies the question in the run. Default: `input:0`, `input:1` … in the order of the calls. */
  readonly key?: string;
  /** The kind of input, for programs, for example `choose_flight`. */
  readonly reason: string;
  /** The question to the person. */
  readonly message: string;
  /** JSON Schema of the answer. Without one, any JSON value is accepted. */
  readonly responseSchema?: JsonObject;
  /** True if the schema is another server's: one that cannot be used is left out. Default: it is an error. */
  readonly hasForeignSchema?: boolean;
  /** Milliseconds until the question expires. Default: APPROVAL_EXPIRES_IN. */
  readonly expiresInMs?: number;
}

/** Thrown by `context.interrupt()` to end the run, which then waits for the input. Agents must not catch it. */
export class InputInterrupt extends Error {
  constructor(
    readonly asked: AskedInterrupt,
    readonly question: InputQuestion,
  ) {
    super(`The run waits for an input: ${question.message}`);
    this.name = 'InputInterrupt';
  }
}

/** Thrown by `context.interrupt()` if there will be no answer. If the agent does not catch it, the run is canceled. */
export class InputRefused extends Error {
  constructor(readonly interrupt: SettledInterrupt) {
    super(interrupt.status === 'expired' ? 'The question has expired' : 'The question was declined');
    this.name = 'InputRefused';
  }
}

/** What an agent receives for one run. */
export interface AgentContext {
  /** Also the id of the response on wires that have responses. */
  readonly runId: string;
  readonly sessionId: string;
  /** The name under which the agent is registered. */
  readonly agentType: string;
  /** 1 for the first execution, more if the run is resumed after its worker was lost. */
  readonly attempt: number;
  /**
   * Ids of the tool calls that earlier attempts of this run have shown, including discarded ones. Clients keep
   * them, so a call that is made again needs a new id.
   */
  readonly shownCallIds: readonly string[];
  /** The owner of the run: all that it stores or reads belongs to this tenant and user. */
  readonly principal: Principal;
  /** What the run may do; subagents and tools are bound by it. Null for a run that was started without authentication. */
  readonly authority: Authority | null;
  /** The messages of this request. */
  readonly input: readonly Message[];
  /** The texts of this request's user messages, joined by line breaks. */
  readonly inputText: string;
  /** Earlier messages of the session, oldest first, within the token budget. */
  readonly history: readonly Message[];
  /** What model providers want back with messages of `history` and `input`, as JSON texts by the ids of the messages. */
  readonly providerStates?: ReadonlyMap<string, string>;
  /** The statuses of the earlier runs whose calls have no result, by the ids of the messages of the calls. */
  readonly callEnds?: ReadonlyMap<string, string>;
  /** The state that the runs of this session share. */
  readonly state: SessionState;
  /** Tools that the client declared and runs itself. */
  readonly clientTools: readonly ToolDeclaration[];
  /** Restrictions of the server's tools by the request. */
  readonly toolRestrictions?: readonly ToolRestriction[];
  /** What the request asks of the model; settings of the server apply where it asks nothing. */
  readonly modelOptions: ModelOptions;
  /** The device's clock and zone; undefined if the request did not send them. */
  readonly clientTime: ClientTime | undefined;
  /**
   * The user's IANA zone: the device's, otherwise that of the user's settings, otherwise UTC
   * (docs/tools.md#time-zones).
   */
  readonly timeZone: string;
  /** The language of the request, otherwise that of the user's settings: a BCP 47 tag; null if neither is set. */
  readonly locale: string | null;
  /**
   * When the request was made, in milliseconds: by the device's clock if it sent one, otherwise when the run was
   * accepted.
   */
  readonly requestedAt: number;
  /** What the client sent for the agent and its tools; not checked by the server. */
  readonly forwardedProps: JsonObject;
  /** What its requests to remote agents carry on; absent: nothing. */
  readonly carried?: Carried;
  /** The answers to interrupts that this run continues with. */
  readonly resumption: Resumption;
  /**
   * Requests an input from a person and ends the run. When it is answered, the agent runs again from its
   * beginning, in a new run of the same session with the same input, history and journal, and this call
   * returns the answer. Side effects before this call must be steps of `journal`, so that they are not repeated.
   *
   * @throws InputInterrupt the first time; must not be caught
   * @throws InputRefused if the person declined or the question has expired
   */
  interrupt(question: InputQuestion): Promise<Json>;
  /** What the wire of the run adds to the metadata of a message that holds a summary; absent: nothing. */
  readonly summaryLabel?: (summary: string) => JsonObject;
  /** Adds an entry to the audit log, committed with the events of this turn. */
  audit(note: AuditNote): void;
  /** Text that the request adds to the agent's system prompt for this run; empty if there is none. */
  readonly instructions: string;
  /**
   * The builder that writes to this run's log: every call makes an event of the run. The run starts and ends
   * the response itself; an agent makes messages and contents.
   */
  readonly response: ResponseBuilder;
  readonly journal: Journal;
  /**
   * Books what model calls use and keeps them within budgets. `ModelLoop` uses it by itself; an agent with a model of its
   * own begins each of its calls with it.
   */
  readonly usage: UsageMeter;
  /** Logs, spans and metrics of this execution of the run; absent in tests of agents. */
  readonly telemetry?: RunTelemetry;
  /** Aborts on cancellation, on timeout and when the worker loses the run. */
  readonly signal: AbortSignal;
  /** The subagent that this context belongs to (`beginSubagent`); absent for the run's own agent. */
  readonly subagent?: { readonly id: string; readonly path: string };
  /** Writes an extension event: state, step, activity, custom, raw, subagent. */
  emit(event: AgentEvent): void;
  /** Resolves when everything written so far is committed. */
  flush(): Promise<void>;
  /**
   * Waits for a turn before a step begins. A process that shuts down hands the run over meanwhile, unless another step is in
   * progress.
   *
   * @throws the reason of `signal`
   */
  readonly waitForTurn: (turn: Promise<void>) => Promise<void>;
}

/** How a run of an agent ended, if it did not throw. */
export type AgentOutcome =
  | { readonly kind: 'completed' }
  /**
   * A limit was reached, so the answer is incomplete. If a limit of `OUTPUT_LIMITS` has cut a message, the agent closes
   * it as incomplete, with the limit as its `code`; `ModelLoop` does this itself.
   */
  | { readonly kind: 'incomplete'; readonly reason: string }
  /** The run waits for a person or for results of client tools. */
  | {
      readonly kind: 'interrupted';
      readonly reason: 'client_tool' | 'approval' | 'input';
      readonly message: string | null;
      readonly callIds: readonly string[];
      readonly responseSchema: JsonObject | null;
      /** The approvals and inputs that are requested. */
      readonly asked?: readonly AskedInterrupt[];
    };

/**
 * An agent: one method that executes a run. At every `yield` the run may be paused until the log has caught
 * up. A yielded event is written, unless the builder of the context made it and therefore wrote it already.
 * Returning nothing means completed.
 *
 * @throws AppError ends the run as failed with its code and message; any other error ends it as
 *   AGENT_UNKNOWN_ERROR, without showing the error's message
 */
export interface Agent {
  run(context: AgentContext): AsyncGenerator<AgentEvent | undefined, AgentOutcome | void, void>;
}

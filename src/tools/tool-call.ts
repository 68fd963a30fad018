import type { JsonObject, Principal } from '../common/index.js';
import type { ClientTime, ServerTool, ToolProgress } from './tool.js';

/** A call as the model made it. */
export interface ToolCall {
  readonly callId: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

/** Why a call has no proper result. All of them are answers for the model. */
export type ToolFailure = 'unknown_tool' | 'invalid_arguments' | 'failed' | 'timeout' | 'denied' | 'in_doubt';

/** The answer to a call, for the model and for the log. */
export interface ToolResult {
  readonly callId: string;
  readonly name: string;
  /** Text within TOOL_OUTPUT_LIMIT_BYTES. */
  readonly output: string;
  readonly isError: boolean;
  /** How to show the result; the model does not see it. */
  readonly uiHints?: JsonObject;
  /** Set exactly when `isError`. */
  readonly failure?: ToolFailure;
}

/** On whose behalf and in which run a call is made. */
export interface ToolCaller {
  readonly principal: Principal;
  readonly sessionId: string;
  readonly runId: string;
  readonly agentType: string;
  readonly signal: AbortSignal;
  readonly clientTime: ClientTime | undefined;
  /** The user's zone (docs/tools.md#time-zones). */
  readonly timeZone: string;
  /** The language of the user's settings, if any. */
  readonly locale: string | null;
  readonly forwardedProps: JsonObject;
  /** Told how far a call is while it runs. */
  onProgress?(call: ToolCall, update: ToolProgress): void;
}

/** What a call needs before it is made: a person's permission. */
export interface NeededPermission {
  readonly call: ToolCall;
  readonly tool: ServerTool;
  /** Of the rule that asks, for the person. */
  readonly reason: string | null;
  /** Milliseconds in which it may be given. */
  readonly expiresInMs: number;
  /** The person may change the arguments. */
  readonly mayEdit: boolean;
}

/** What the pipeline needs of a run's journal. The caller writes down the end, together with the events. */
export interface ToolJournal {
  /** True when an earlier attempt began this step and did not finish it. */
  inDoubt(key: string): boolean;
  /** Writes down that the step begins; resolves when that is committed. */
  begin(key: string, inputHash: string): Promise<void>;
}

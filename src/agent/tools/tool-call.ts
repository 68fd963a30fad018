import { createHash } from 'node:crypto';
import { type Authority, fingerprint, type JsonObject, type Principal } from '../../common/index.js';
import type { ApproverRule } from './policy/policy-rule.js';
import type { ClientTime, ServerTool, ToolProgress } from './tool.js';

/** A tool call as the model made it. */
export interface ToolCall {
  readonly callId: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

/** Why a call failed. Every failure is answered to the model. */
export type ToolFailure = 'unknown_tool' | 'invalid_arguments' | 'failed' | 'timeout' | 'denied' | 'in_doubt';

/** The answer to a call, for the model and for the run log. */
export interface ToolResult {
  readonly callId: string;
  readonly name: string;
  /** Text of at most TOOL_OUTPUT_LIMIT_BYTES. */
  readonly output: string;
  readonly isError: boolean;
  /** Images of the result as `data:` URLs: part of it, next to the text. */
  readonly images?: readonly string[];
  /** The blocks of the result as the tool has made them, where the text is not all. Not sent to the model. */
  readonly contents?: JsonObject;
  /** How user interfaces show the result. Not sent to the model. */
  readonly uiHints?: JsonObject;
  /** Set exactly when `isError`. */
  readonly failure?: ToolFailure;
  /** Why a call that needed an approval was not made; absent if nobody was asked. Only the journal has it. */
  readonly unapproved?: 'denied' | 'cancelled' | 'expired';
}

/** The principal and the run that a call is made for. */
export interface ToolCaller {
  readonly principal: Principal;
  /** What the run may do; null without authentication. */
  readonly authority: Authority | null;
  readonly sessionId: string;
  readonly runId: string;
  readonly agentType: string;
  readonly signal: AbortSignal;
  readonly clientTime: ClientTime | undefined;
  /** The user's time zone (docs/tools.md#time-zones). */
  readonly timeZone: string;
  /** The language of the user's settings, if any. */
  readonly locale: string | null;
  readonly forwardedProps: JsonObject;
  /** For what the call causes elsewhere, as the header `traceparent`; absent if it is not traced. */
  readonly traceparent?: string;
  /** Receives the progress reports of a running call. */
  onProgress?(call: ToolCall, update: ToolProgress): void;
}

/** The approval that a call requires before it is made. */
export interface RequiredApproval {
  readonly call: ToolCall;
  readonly tool: ServerTool;
  /** The reason stated by the policy rule, shown to the person who decides. */
  readonly reason: string | null;
  /** Milliseconds until the approval expires. */
  readonly expiresInMs: number;
  /** Whether the person may change the arguments. */
  readonly mayEdit: boolean;
  /** Who may decide; absent: whoever may decide approvals. */
  readonly approvers?: ApproverRule;
  /** What the approval is bound to. */
  readonly binding: ApprovalBinding;
}

/**
 * What an approval is bound to, besides the arguments: it holds for no call that another rule of the policy reserves, and
 * for no other tool of the same name.
 */
export interface ApprovalBinding {
  /** The rule that asked for it: `ToolPolicy.ruleKey`. */
  readonly rule: string;
  /** The tool that was meant: `toolIdentity`. */
  readonly tool: string;
}

/** The part of a run's journal that tool calls need. The caller records the end of a step, together with its events. */
export interface ToolJournal {
  /** True if an earlier attempt started this step and did not finish it. */
  inDoubt(key: string): boolean;
  /** Records the start of a step. Resolves when it is committed. */
  begin(key: string, inputHash: string): Promise<void>;
}

/** The journal key of a call. */
export function toolStepKey(callId: string): string {
  return `tool:${callId}`;
}

/** A hash by which the journal checks that a resumed call is the same call. */
export function toolInputHash(call: ToolCall): string {
  return fingerprint({ name: call.name, arguments: call.arguments });
}

/** Identifies a tool by its source, its name and the schema of its arguments: other tools may have the same name. */
export function toolIdentity({ name, origin, parameters }: Pick<ServerTool, 'name' | 'origin' | 'parameters'>): string {
  return fingerprint({ name, origin, parameters });
}

/**
 * Identifies a call: equal for every execution of it, different for every other call of any run. Run ids are unique for
 * each user only, so the owner is part of it; without authentication it is not, and keys of earlier versions stay valid.
 */
export function idempotencyKey(
  { runId, principal, authority }: Pick<ToolCaller, 'runId' | 'principal' | 'authority'>,
  callId: string,
): string {
  const owner = authority === null ? '' : `${JSON.stringify([principal.tenantId, principal.userId])}:`;
  return createHash('sha256').update(`${owner}${runId}:${callId}`).digest('hex');
}

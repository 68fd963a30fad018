import { type ContentInput, type Message, messageOf } from '../../events/index.js';
import type { SettledInterrupt } from '../../interrupt/index.js';
import type { ToolCall, ToolInvoker, ToolSet, ToolResult } from '../../tools/index.js';
import type { AgentContext } from '../agent.js';
import { callsOf, outputsOf } from '../prompt/tool-traffic.js';
import { answerCall, type DecidedApproval, refuseCall } from './answer-call.js';
import { allSettled, refuseInDoubt } from './tool-round.js';

/** The results of the calls that a person decided on. */
export interface ResumedCalls {
  /** The results as messages for the model. */
  readonly outputs: readonly Message[];
  /** In the order of `outputs`. */
  readonly results: readonly ToolResult[];
}

/**
 * Processes the decisions that this run continues with: makes the approved calls and refuses the others. Writes
 * only the outputs, because the calls have been shown before.
 *
 * @throws AppError TOOL_IN_DOUBT before any call is made; the reason of `context.signal`
 */
export async function resumeCalls(
  context: AgentContext,
  invoker: ToolInvoker,
  toolSet: ToolSet,
): Promise<ResumedCalls> {
  const { approvals } = context.resumption;
  if (approvals.length === 0) return { outputs: [], results: [] };
  const approved = approvals.filter(({ status }) => status === 'approved');
  refuseInDoubt(context, invoker, toolSet, approved.map(callOf));
  const results = await allSettled(
    approvals.map((one) =>
      one.status === 'approved'
        ? answerCall(context, invoker, toolSet, callOf(one), decidedApproval(one))
        : refuseCall(context, callOf(one), decidedApproval(one), refusalOf(one)),
    ),
  );
  return { outputs: results.map(outputMessage), results };
}

/**
 * The client tool calls without results, if this run was started by decisions only: the client still has to
 * send them. If the request contains results, calls that it does not answer are skipped.
 */
export function owedClientCalls(context: AgentContext): readonly string[] {
  const { history, input, resumption } = context;
  if (resumption.approvals.length === 0 || input.some((message) => message.type === 'function_call_output')) return [];
  const begins = history.findLastIndex((message) => message.role === 'user' && message.type === 'message');
  const recent = [...history.slice(begins + 1), ...input];
  const answered = new Set(recent.flatMap(outputsOf).map(({ callId }) => callId));
  // A limit may have cut a call: nobody has to answer it.
  const calls = recent
    .filter(({ type, status }) => type === 'function_call' && status !== 'incomplete')
    .flatMap(callsOf);
  return calls.map(({ id }) => id).filter((id) => !answered.has(id));
}

/** The approved calls, with the arguments with which they are made. */
export function approvedCalls({ resumption }: AgentContext): { id: string; name: string; arguments: string }[] {
  return resumption.approvals
    .filter(({ status }) => status === 'approved')
    .map(callOf)
    .map(({ callId, name, arguments: text }) => ({ id: callId, name, arguments: text }));
}

/** The call that was waiting, rebuilt from its interrupt. */
function callOf({ callId, toolName, argumentsText }: SettledInterrupt): ToolCall {
  return { callId: callId ?? '', name: toolName ?? '', arguments: argumentsText };
}

/** Calls of MCP servers have outputs of another type than those of local tools. */
function decidedApproval({ id, serverLabel }: SettledInterrupt): DecidedApproval {
  const isLocal = serverLabel === null || serverLabel === 'local';
  return { approvalId: id, outputType: isLocal ? 'plugin_call_output' : 'mcp_call_output' };
}

/** The result of a call that was not approved, as a sentence for the model. */
function refusalOf({ status, decision }: SettledInterrupt): string {
  if (status === 'expired') return 'The call was not made: it was not approved in time.';
  const reason = decision?.['reason'];
  const why = typeof reason === 'string' && reason !== '' ? ` The reason: ${reason}` : '';
  if (status === 'cancelled') return `The call was not made: it was cancelled by the user.${why}`;
  return `The call was not made: the user denied it.${why}`;
}

/** The id follows from the call's, so that every attempt writes the same message. */
function outputMessage({ callId, name, output, images = [] }: ToolResult): Message {
  const shown = images.map((url): ContentInput => ({ type: 'image', image_url: url }));
  const contents: ContentInput[] = [{ type: 'data', data: { call_id: callId, name, output } }, ...shown];
  return messageOf({ id: `msg_of_${callId}`, role: 'tool', type: 'plugin_call_output' }, contents);
}

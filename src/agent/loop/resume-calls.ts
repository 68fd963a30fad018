import { dataMessage, type Message } from '../../events/index.js';
import type { SettledInterrupt } from '../../interrupt/index.js';
import type { ToolCall, ToolInvoker, ToolSet, ToolResult } from '../../tools/index.js';
import type { AgentContext } from '../agent.js';
import { callsOf, outputsOf } from '../prompt/tool-traffic.js';
import { answerCall, type Permission, refuseCall } from './answer-call.js';
import { allSettled, refuseDoubt } from './tool-round.js';

/** What came of the calls that a person decided on. */
export interface ResumedCalls {
  /** The results as messages for the model. */
  readonly outputs: readonly Message[];
  readonly results: readonly ToolResult[];
}

/**
 * Acts on the decisions that this run goes on with: makes the calls that were approved, answers those
 * that were not. No call is shown again, only its output. Returns the outputs, also as messages for the model.
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
  refuseDoubt(context, invoker, toolSet, approved.map(callOf));
  const results = await allSettled(
    approvals.map((one) =>
      one.status === 'approved'
        ? answerCall(context, invoker, toolSet, callOf(one), permissionOf(one))
        : refuseCall(context, callOf(one), permissionOf(one), refusalOf(one)),
    ),
  );
  return { outputs: results.map(outputMessage), results };
}

/**
 * The calls of client tools that nobody has answered yet, when this run was begun by a person's decision
 * alone: the client still owes their results. With results of its own a request skips those it leaves out.
 */
export function owedClientCalls(context: AgentContext): readonly string[] {
  const { history, input, resumption } = context;
  if (resumption.approvals.length === 0 || input.some((message) => message.type === 'function_call_output')) return [];
  const begins = history.findLastIndex((message) => message.role === 'user' && message.type === 'message');
  const recent = [...history.slice(begins + 1), ...input];
  const answered = new Set(recent.flatMap(outputsOf).map(({ callId }) => callId));
  const calls = recent.filter(({ type }) => type === 'function_call').flatMap(callsOf);
  return calls.map(({ id }) => id).filter((id) => !answered.has(id));
}

/** The calls that a person allowed, with the arguments they are made with. */
export function approvedCalls({ resumption }: AgentContext): { id: string; name: string; arguments: string }[] {
  return resumption.approvals
    .filter(({ status }) => status === 'approved')
    .map(callOf)
    .map(({ callId, name, arguments: text }) => ({ id: callId, name, arguments: text }));
}

function callOf({ callId, toolName, argumentsText }: SettledInterrupt): ToolCall {
  return { callId: callId ?? '', name: toolName ?? '', arguments: argumentsText };
}

function permissionOf({ id, serverLabel }: SettledInterrupt): Permission {
  const isLocal = serverLabel === null || serverLabel === 'local';
  return { approvalId: id, outputType: isLocal ? 'plugin_call_output' : 'mcp_call_output' };
}

/** What the model is told of a call that nobody allowed. */
function refusalOf({ status, decision }: SettledInterrupt): string {
  if (status === 'expired') return 'The call was not made: nobody allowed it in time.';
  const reason = decision?.['reason'];
  const why = typeof reason === 'string' && reason !== '' ? ` The reason: ${reason}` : '';
  if (status === 'cancelled') return `The call was not made: it was cancelled by the user.${why}`;
  return `The call was not made: the user denied it.${why}`;
}

function outputMessage({ callId, name, output }: ToolResult): Message {
  const data = { call_id: callId, name, output };
  return dataMessage({ id: `msg_of_${callId}`, role: 'tool', type: 'plugin_call_output', data });
}

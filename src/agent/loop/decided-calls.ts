import { type ContentInput, type Message, messageOf } from '../../events/index.js';
import { holdsUnder, isBoundTo, isEdited, type SettledInterrupt } from '../interrupt/index.js';
import type { RequiredApproval, ToolCall, ToolInvoker, ToolSet, ToolResult } from '../tools/index.js';
import type { AgentContext } from '../agent.js';
import { callsOf, outputsOf } from '../prompt/tool-traffic.js';
import { answerCall, answerWith, type DecidedApproval, refuseCall } from './answer-call.js';
import { approversOf } from './approvals.js';
import { allSettled, refuseInDoubt, requiredApproval } from './tool-round.js';

/** The results of the calls that a person decided on. */
export interface ResumedCalls {
  /** The results as messages for the model. */
  readonly outputs: readonly Message[];
  /** In the order of `outputs`. */
  readonly results: readonly ToolResult[];
  /** The calls for which the policy asks for another approval than the one that was given. */
  readonly asked: readonly RequiredApproval[];
}

/**
 * Processes the decisions that this run continues with: makes the approved calls and refuses the others. Writes
 * only the outputs, because the calls have been shown before. An approval holds for the tool for which it was asked,
 * and under the rule that asked for it: the policy, or the arguments, may be others now.
 *
 * @throws AppError TOOL_IN_DOUBT before any call is made; the reason of `context.signal`
 */
export async function resumeCalls(
  context: AgentContext,
  invoker: ToolInvoker,
  toolSet: ToolSet,
): Promise<ResumedCalls> {
  const { approvals } = context.resumption;
  if (approvals.length === 0) return { outputs: [], results: [], asked: [] };
  const isMade = (one: SettledInterrupt): boolean => one.status === 'approved' && isBound(one, toolSet);
  refuseInDoubt(context, invoker, toolSet, approvals.filter(isMade).map(callOf));
  const asked = approvals.filter(isMade).flatMap((one) => approvalLacking(context, invoker, toolSet, one) ?? []);
  const waiting = new Set(asked.map(({ call }) => call.callId));
  const results = await allSettled(
    approvals
      .filter(({ callId }) => !waiting.has(callId ?? ''))
      .map((one) => {
        const [call, decided] = [callOf(one), decidedApproval(one)];
        if (isMade(one)) return answerCall(context, invoker, toolSet, call, decided);
        if (one.status === 'approved')
          return answerWith(context, invoker.withoutTool(call, context.journal), call, decided);
        return refuseCall(context, call, decided, { sentence: refusalOf(one), why: unapproved(one) });
      }),
  );
  return { outputs: results.map(outputMessage), results, asked };
}

/** False if another tool has the name of the one that was meant. A name that no tool of the server has is no matter here. */
function isBound(one: SettledInterrupt, toolSet: ToolSet): boolean {
  const resolved = toolSet.resolve(one.toolName ?? '');
  return resolved.kind !== 'server' || isBoundTo(one, resolved.tool);
}

/** The approval that an approved call requires all the same; undefined if the one that was given holds. */
function approvalLacking(
  context: AgentContext,
  invoker: ToolInvoker,
  toolSet: ToolSet,
  one: SettledInterrupt,
): RequiredApproval | undefined {
  const required = requiredApproval(context, invoker, toolSet, callOf(one));
  if (!required) return undefined;
  const { binding, mayEdit } = required;
  const rule = { key: binding.rule, mayEdit, approvers: approversOf(context, required) };
  return holdsUnder(rule, one, { isEdited: isEdited(one), by: one.decidedBy }) ? undefined : required;
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

/** Why a call was not approved. */
export function unapproved({ status }: SettledInterrupt): NonNullable<ToolResult['unapproved']> {
  return status === 'expired' || status === 'cancelled' ? status : 'denied';
}

/** The result of a call that was not approved, as a sentence for the model. */
export function refusalOf({ status, decision }: SettledInterrupt): string {
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

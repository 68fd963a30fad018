import { isObjectText, isoTimeOrNull } from '../../common/index.js';
import { dataOf, type InterruptEvent, type Message, type OpenInterrupt } from '../../events/index.js';
import { APPROVAL_TOOL, clientCallId, type CompletionInfo, INPUT_TOOL } from './completion-info.js';
import type { CompletionCall } from './completion.types.js';

/** The data of a call in the log. */
export interface CallData {
  readonly callId: string;
  readonly name: string;
  /** JSON text as the model wrote it. */
  readonly arguments: string;
  /** Of an output: its text. */
  readonly output: string;
}

/** The fields of a call, or of the output of one; empty where the message has none. */
export function callDataOf(message: Pick<Message, 'content'>): CallData {
  const data = dataOf(message) ?? {};
  const field = (name: string): string => (typeof data[name] === 'string' ? data[name] : '');
  return { callId: field('call_id'), name: field('name'), arguments: field('arguments'), output: field('output') };
}

/** What a waiting run asks the client. */
export interface Question {
  /** Calls of the client's tools, and approvals and inputs that it gets as calls. */
  readonly calls: readonly CompletionCall[];
  /** The approvals and inputs that it does not get as calls, in words; empty if there are none. */
  readonly text: string;
}

/**
 * What a run that waits asks of its client (contract chat-completions, section C2). Each call is sent whole, when it
 * stands: this protocol has no word to take one back.
 *
 * @param calls the client's calls in the log, by their ids
 */
export function questionOf(
  info: CompletionInfo,
  { call_ids: callIds, items }: Pick<InterruptEvent, 'call_ids' | 'items'>,
  calls: ReadonlyMap<string, CallData>,
): Question {
  const clientCalls = callIds.flatMap((id, position) => {
    const call = calls.get(id);
    return call ? [toolCall(clientCallId(info, position), call.name, call.arguments)] : [];
  });
  const asked = items.filter((item) => isToldAsCall(info, item)).map(questionCall);
  const others = info.approvalText ? items.filter((item) => !isToldAsCall(info, item)) : [];
  return { calls: [...clientCalls, ...asked], text: others.map(questionText).join(' ') };
}

function isToldAsCall({ asksApproval, asksInput }: CompletionInfo, { kind }: OpenInterrupt): boolean {
  return kind === 'approval' ? asksApproval : asksInput;
}

function toolCall(id: string, name: string, args: string): CompletionCall {
  return { id, type: 'function', function: { name, arguments: args === '' ? '{}' : args } };
}

function questionCall(item: OpenInterrupt): CompletionCall {
  if (item.kind === 'input') {
    const args = { message: item.message, schema: item.response_schema };
    return toolCall(item.id, INPUT_TOOL, JSON.stringify(args));
  }
  // The text of the arguments is passed on as it is: parsing it would change large numbers.
  const given = item.arguments ?? '{}';
  const args = isObjectText(given) ? given : JSON.stringify(given);
  const { tool_name, message, reason, may_edit } = item;
  const expiresAt = isoTimeOrNull(item.expires_at);
  const rest = JSON.stringify({ message, reason, may_edit, expires_at: expiresAt }).slice(1);
  return toolCall(item.id, APPROVAL_TOOL, `{"tool_name":${JSON.stringify(tool_name)},"arguments":${args},${rest}`);
}

function questionText({ id, kind, message, tool_name: tool, arguments: args }: OpenInterrupt): string {
  if (kind === 'input') return `${message ?? 'An answer is needed.'} (The question ${id} waits for an answer.)`;
  return `The call of ${tool ?? 'a tool'} with ${args ?? '{}'} waits for approval (${id}).`;
}

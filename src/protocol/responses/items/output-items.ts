import { dataOf, type Message } from '../../../events/index.js';
import { inputItem } from './input-item.js';
import {
  type ApprovedCall,
  HISTORY_VIEW,
  type Item,
  type ItemView,
  type McpListToolsItem,
  type OutputItem,
} from './item.types.js';
import {
  approvalRequestItem,
  approvedCallItem,
  approvedItem,
  functionCallItem,
  listToolsItem,
  mcpCallItem,
  messageItem,
  reasoningItem,
} from './make-item.js';
import { callData, isOutput, isServerCall, outputData, permissionOf } from './tool-data.js';

/** The tool traffic of a run, paired by call id. */
interface Traffic {
  /** The calls that wait, or waited, for a permission, and those that may come to it. */
  readonly asked: ReadonlySet<string>;
  readonly calls: ReadonlyMap<string, Message>;
  readonly outputs: ReadonlyMap<string, Message>;
}

/**
 * The output items of a run's messages (contract responses, sections A3 and E). The calls that the request allowed
 * come first. A call and its outcome are one item, at the place of the call; a call that was allowed in
 * some other way stands where its outcome is. Messages this wire has no item for are left out.
 */
export function outputItems(messages: readonly Message[], view: ItemView): OutputItem[] {
  const traffic = trafficOf(messages);
  const outcomes = new Map(view.approved.map((one) => [one, outcomeOf(one, messages)]));
  const told = new Set(outcomes.values());
  const approved = [...outcomes].map(([one, outcome]) => approvedItem(one, outcome, view));
  const rest = messages.filter((message) => !told.has(message));
  return [...approved, ...rest.flatMap((message) => itemsOf(message, traffic, view))];
}

/** True for the outcome of a call that a request allowed. */
export function isOutcomeOf({ request, callId }: ApprovedCall, output: Message): boolean {
  const data = outputData(output);
  return data.approvalRequestId === request.id || (callId !== '' && data.callId === callId);
}

function outcomeOf(approved: ApprovedCall, messages: readonly Message[]): Message | undefined {
  return messages.find((message) => isOutput(message.type) && isOutcomeOf(approved, message));
}

/** The call that an approval request is about; undefined when it does not say. */
export function askedCallId(message: Message): string | undefined {
  const id = message.metadata?.['call_id'] ?? dataOf(message)?.['call_id'];
  return typeof id === 'string' ? id : undefined;
}

/**
 * The items of a conversation, or of a request's input: what users and tools said among what the
 * assistant did, in order.
 */
export function historyItems(messages: readonly Message[], view: ItemView): Item[] {
  const traffic = trafficOf(messages);
  return messages.flatMap((message): Item[] => {
    const said = inputItem(message);
    if (said) return [said];
    if (message.type === 'function_call') return [functionCallItem(message, view.isOver)];
    return itemsOf(message, traffic, view);
  });
}

/** The items of messages of any runs, all of them over. */
export function itemsOfHistory(messages: readonly Message[]): readonly Item[] {
  return historyItems(messages, HISTORY_VIEW);
}

function trafficOf(messages: readonly Message[]): Traffic {
  const asked = new Set<string>();
  const calls = new Map<string, Message>();
  const outputs = new Map<string, Message>();
  for (const message of messages) {
    if (message.type === 'mcp_approval_request') {
      const id = askedCallId(message);
      if (id !== undefined) asked.add(id);
    } else if (isOutput(message.type)) outputs.set(outputData(message).callId, message);
    else if (isServerCall(message.type) || message.type === 'function_call') {
      const { callId } = callData(message, '');
      calls.set(callId, message);
      if (permissionOf(message) !== undefined) asked.add(callId);
    }
  }
  return { asked, calls, outputs };
}

function itemsOf(message: Message, traffic: Traffic, view: ItemView): OutputItem[] {
  switch (message.type) {
    case 'message':
      return message.role === 'assistant' ? [messageItem(message, view.isOver)] : [];
    case 'reasoning':
      return [reasoningItem(message, view.isOver)];
    case 'mcp_list_tools':
      return shownList(message, view);
    case 'mcp_approval_request':
      return [approvalRequestItem(message)];
    default:
      if (isOutput(message.type)) return outcomeItems(message, traffic, view);
      return isServerCall(message.type) || message.type === 'function_call' ? callItems(message, traffic, view) : [];
  }
}

/**
 * The list of a server's tools, when the request names the server. An agent lists every server that is
 * configured: who asked for none of them expects the answer to come first (contract responses, section D).
 */
export function shownList(message: Message, { namedServers }: Pick<ItemView, 'namedServers'>): McpListToolsItem[] {
  const item = listToolsItem(message);
  return namedServers.has(item.server_label) ? [item] : [];
}

function callItems(message: Message, { asked, outputs }: Traffic, view: ItemView): OutputItem[] {
  const { callId, name } = callData(message, view.agentLabel);
  const output = outputs.get(callId);
  if (message.type === 'function_call') {
    if (view.clientTools?.has(name) ?? output === undefined) return [functionCallItem(message, view.isOver)];
  }
  return asked.has(callId) ? [] : [mcpCallItem(message, output, view)];
}

/** Of an outcome whose call has no item of its own. A call that a person refused was never made. */
function outcomeItems(message: Message, { asked, calls }: Traffic, view: ItemView): OutputItem[] {
  const { callId, isDenied } = outputData(message);
  const call = calls.get(callId);
  if (isDenied || message.type === 'function_call_output' || (call && !asked.has(callId))) return [];
  return [approvedCallItem(message, view, call)];
}

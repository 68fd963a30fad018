import { assertUnreachable } from '../../../common/index.js';
import { dataOf, type Message } from '../../../events/index.js';
import { compactionItem } from './compaction.js';
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
import { keptPhases, type Phase, phasesOf } from './phase.js';
import { callData, isOutput, isServerCall, outputData, permissionOf } from './tool-data.js';

/** What items depend on besides their own message: phases by message, calls and outputs by call id. */
interface ItemIndex {
  readonly phases: ReadonlyMap<Message, Phase>;
  /** The calls that need an approval, or may need one. */
  readonly asked: ReadonlySet<string>;
  /** Calls and outputs by call id. */
  readonly calls: ReadonlyMap<string, Message>;
  readonly outputs: ReadonlyMap<string, Message>;
}

/**
 * The output items of a run's messages (contract responses, sections A3 and E). The calls that the request
 * approved come first. A call and its output are one item, at the position of the call; a call that was approved
 * by another request is at the position of its output. Messages without an item on this wire are left out.
 *
 * @param last the phase of a text at the end; undefined while it is not known whether it is the end
 */
export function outputItems(messages: readonly Message[], view: ItemView, last?: Phase): OutputItem[] {
  const index = indexOf(messages, phasesOf(messages, last));
  const outputs = new Map(view.approved.map((one) => [one, outputOf(one, messages)]));
  const shown = new Set(outputs.values());
  const approved = [...outputs].map(([one, output]) => approvedItem(one, output, view));
  const rest = messages.filter((message) => !shown.has(message));
  return [...approved, ...rest.flatMap((message) => itemsOf(message, index, view))];
}

/** True for the output of a call that a request approved. */
export function isOutputOf({ request, callId }: ApprovedCall, output: Message): boolean {
  const data = outputData(output);
  return data.approvalRequestId === request.id || (callId !== '' && data.callId === callId);
}

/** The output of an approved call is in a later run than the call. */
function outputOf(approved: ApprovedCall, messages: readonly Message[]): Message | undefined {
  return messages.find((message) => isOutput(message.type) && isOutputOf(approved, message));
}

/** The id of the call that an approval request is about; undefined when it has none. */
export function askedCallId(message: Message): string | undefined {
  const id = message.metadata?.['call_id'] ?? dataOf(message)?.['call_id'];
  return typeof id === 'string' ? id : undefined;
}

/** The items of the input of a request, in order. @param phases of its texts; default: those that the client sent */
export function historyItems(messages: readonly Message[], view: ItemView, phases = keptPhases(messages)): Item[] {
  const index = indexOf(messages, phases);
  return messages.flatMap((message): Item[] => {
    const input = compactionItem(message) ?? inputItem(message);
    if (input) return [input];
    if (message.type === 'function_call') return [functionCallItem(message, view.isOver)];
    return itemsOf(message, index, view);
  });
}

/** The items of messages that clients sent. */
export function itemsOfHistory(messages: readonly Message[]): readonly Item[] {
  return historyItems(messages, HISTORY_VIEW);
}

/** The items of a conversation, input and output, all of its runs being over. */
export function itemsOfConversation(messages: readonly Message[]): readonly Item[] {
  return historyItems(messages, HISTORY_VIEW, phasesOf(messages, 'final_answer'));
}

/** One pass over the messages, so that items find their counterparts without searching. */
function indexOf(messages: readonly Message[], phases: ReadonlyMap<Message, Phase>): ItemIndex {
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
  return { phases, asked, calls, outputs };
}

/** The items of one message; none for messages that this wire does not show. */
function itemsOf(message: Message, index: ItemIndex, view: ItemView): OutputItem[] {
  switch (message.type) {
    case 'message':
      return message.role === 'assistant' ? [messageItem(message, view.isOver, index.phases.get(message))] : [];
    case 'reasoning':
      return [compactionItem(message) ?? reasoningItem(message, view.isOver)];
    case 'mcp_list_tools':
      return shownList(message, view);
    case 'mcp_approval_request':
      return [approvalRequestItem(message)];
    case 'function_call':
    case 'plugin_call':
    case 'component_call':
    case 'mcp_call':
      return callItems(message, index, view);
    case 'function_call_output':
    case 'plugin_call_output':
    case 'component_call_output':
    case 'mcp_call_output':
      return outputOnlyItems(message, index, view);
    case 'mcp_approval_response':
    case 'heartbeat':
    case 'error':
    case 'a2ui_response':
    case 'a2ui_action':
      return [];
    default:
      return assertUnreachable(message.type);
  }
}

/**
 * The list of a server's tools when the request names the server. Agents list every configured server, and clients
 * that name none expect the message to come first (contract responses, section D).
 */
export function shownList(message: Message, { namedServers }: Pick<ItemView, 'namedServers'>): McpListToolsItem[] {
  const item = listToolsItem(message);
  return namedServers.has(item.server_label) ? [item] : [];
}

/** A call of the client's tool, or of the server's. Calls that wait for an approval are shown by its request. */
function callItems(message: Message, { asked, outputs }: ItemIndex, view: ItemView): OutputItem[] {
  const { callId, name } = callData(message, view.agentLabel);
  const output = outputs.get(callId);
  if (message.type === 'function_call') {
    if (view.clientTools?.has(name) ?? output === undefined) return [functionCallItem(message, view.isOver)];
  }
  return asked.has(callId) ? [] : [mcpCallItem(message, output, view)];
}

/** The item of an output whose call has none. A call that was denied is not made, so it has no item. */
function outputOnlyItems(message: Message, { asked, calls }: ItemIndex, view: ItemView): OutputItem[] {
  const { callId, isDenied } = outputData(message);
  const call = calls.get(callId);
  if (isDenied || message.type === 'function_call_output' || (call && !asked.has(callId))) return [];
  return [approvedCallItem(message, view, call)];
}

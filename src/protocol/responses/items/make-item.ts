import type { JsonObject } from '../../../common/index.js';
import { dataOf, type Content, type Message, type RunStatus } from '../../../events/index.js';
import { itemIdOf } from './item-ids.js';
import type { ItemView } from './item-view.js';
import type {
  FunctionCallItem,
  ItemStatus,
  McpApprovalRequestItem,
  McpCallItem,
  McpListToolsItem,
  MessageItem,
  OutputPart,
  ReasoningItem,
  SummaryPart,
} from './item.types.js';
import { partText } from './part-text.js';
import { type CallData, callData, type OutputData, outputData, text, wireLabel } from './tool-data.js';

/** The state of the item that shows a message in this state. */
export function itemStatus(status: RunStatus | null, isOver: boolean): ItemStatus {
  if (status === 'completed') return 'completed';
  const isOpen = status === 'created' || status === 'in_progress' || status === 'queued' || status === null;
  return isOpen && !isOver ? 'in_progress' : 'incomplete';
}

export function outputPart(content: Content): OutputPart {
  if (content.type === 'refusal') return { type: 'refusal', refusal: content.refusal ?? '' };
  return textPart(partText(content));
}

export function textPart(value: string): OutputPart {
  return { type: 'output_text', text: value, annotations: [], logprobs: [] };
}

export function summaryPart(value: string): SummaryPart {
  return { type: 'summary_text', text: value };
}

export function messageItem(message: Message, isOver: boolean): MessageItem {
  return {
    id: itemIdOf(message),
    type: 'message',
    status: itemStatus(message.status, isOver),
    role: message.role ?? 'assistant',
    content: (message.content ?? []).map(outputPart),
  };
}

export function reasoningItem(message: Message, isOver: boolean): ReasoningItem {
  return {
    id: itemIdOf(message),
    type: 'reasoning',
    status: itemStatus(message.status, isOver),
    summary: (message.content ?? []).map((content) => summaryPart(partText(content))),
  };
}

export function functionCallItem(message: Message, isOver: boolean): FunctionCallItem {
  const call = callData(message, '');
  return {
    id: itemIdOf(message),
    type: 'function_call',
    status: itemStatus(message.status, isOver),
    call_id: call.callId,
    name: call.name,
    arguments: call.arguments,
  };
}

/** A call of the server's with the outcome it has so far. */
export function mcpCallItem(message: Message, output: Message | undefined, view: ItemView): McpCallItem {
  const id = serverCallId(message);
  const call = callData(message, view.agentLabel);
  return mcpItem(id, call, output && outputData(output), output ? 'completed' : itemStatus('in_progress', view.isOver));
}

/** An approved call, which an earlier run has shown: what it was stands in the request for its approval. */
export function approvedCallItem(output: Message, view: ItemView, call?: Message): McpCallItem {
  const data = outputData(output);
  const request = view.approvals.get(data.approvalRequestId ?? '');
  const asked = call ? callData(call, view.agentLabel) : callData(output, view.agentLabel);
  const label = text(data.metadata['server_label']) || request?.server_label;
  const made = {
    callId: data.callId,
    name: data.name || asked.name || request?.name || '',
    arguments: text(data.metadata['arguments']) || (call ? asked.arguments : '') || request?.arguments || '{}',
    serverLabel: label === undefined ? asked.serverLabel : wireLabel(label),
  };
  const isShown = output.status !== 'in_progress' && output.status !== 'created';
  return mcpItem(serverCallId(output), made, data, isShown ? 'completed' : itemStatus('in_progress', view.isOver));
}

function mcpItem(id: string, call: CallData, output: OutputData | undefined, status: ItemStatus): McpCallItem {
  const failed = output?.isError === true;
  return {
    id,
    type: 'mcp_call',
    status: failed ? 'failed' : status,
    server_label: call.serverLabel,
    name: call.name,
    arguments: call.arguments,
    output: output && !failed ? output.output : null,
    error: failed ? { type: 'mcp_tool_execution_error', content: [{ type: 'text', text: output.output }] } : null,
    approval_request_id: output?.approvalRequestId ?? null,
  };
}

/** Calls and outputs of the server are both shown as `mcp_call`, whatever kind of message tells of them. */
export function serverCallId(message: Message): string {
  return itemIdOf({ ...message, type: 'mcp_call' });
}

export function listToolsItem(message: Message): McpListToolsItem {
  const data = dataOf(message) ?? {};
  const tools = Array.isArray(data['tools']) ? (data['tools'] as JsonObject[]) : [];
  const error = text(data['error']);
  return {
    id: itemIdOf(message),
    type: 'mcp_list_tools',
    server_label: wireLabel(text(data['server_label'])),
    tools: tools.map(withoutNulls),
    ...(error !== '' && { error }),
  };
}

export function approvalRequestItem(message: Message): McpApprovalRequestItem {
  const data = dataOf(message) ?? {};
  return {
    id: itemIdOf(message),
    type: 'mcp_approval_request',
    server_label: wireLabel(text(data['server_label'])),
    name: text(data['name']),
    arguments: text(data['arguments']),
  };
}

/** Optional members of a listed tool are absent, never null: clients refuse a null there. */
function withoutNulls(tool: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(tool).filter(([, value]) => value !== null));
}

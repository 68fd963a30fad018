import { type JsonObject } from '../../../common/index.js';
import { citationsOf, dataOf, type Content, type Message, type RunStatus } from '../../../events/index.js';
import { partText } from '../../openai/index.js';
import { itemIdOf } from './item-ids.js';
import type {
  ApprovedCall,
  FunctionCallItem,
  ItemStatus,
  ItemView,
  McpApprovalRequestItem,
  McpCallItem,
  McpListToolsItem,
  MessageItem,
  OutputPart,
  ReasoningItem,
  SummaryPart,
} from './item.types.js';
import type { Phase } from './phase.js';
import { type CallData, callData, type OutputData, outputData, text, wireLabel } from './tool-data.js';

/** The status of the item of a message. @param isOver the run has ended */
export function itemStatus(status: RunStatus | null, isOver: boolean): ItemStatus {
  if (status === 'completed') return 'completed';
  const isOpen = status === 'created' || status === 'in_progress' || status === 'queued' || status === null;
  return isOpen && !isOver ? 'in_progress' : 'incomplete';
}

/** The part of a content in a message. */
export function outputPart(content: Content, annotations: readonly JsonObject[] = []): OutputPart {
  if (content.type === 'refusal') return { type: 'refusal', refusal: content.refusal ?? '' };
  return textPart(partText(content), annotations);
}

/** A part with text. @param annotations its sources */
export function textPart(value: string, annotations: readonly JsonObject[] = []): OutputPart {
  return { type: 'output_text', text: value, annotations, logprobs: [] };
}

/** The sources of a message, which its first content cites. */
export function annotationsOf(message: Pick<Message, 'metadata'>): readonly JsonObject[] {
  return citationsOf(message).map((citation) => ({ type: 'url_citation', ...citation }));
}

/** A part of the summary of a reasoning item. */
export function summaryPart(value: string): SummaryPart {
  return { type: 'summary_text', text: value };
}

/** The item of a message of the assistant. @param isOver the run has ended @param phase undefined if it has none */
export function messageItem(message: Message, isOver: boolean, phase?: Phase): MessageItem {
  return {
    id: itemIdOf(message),
    type: 'message',
    status: itemStatus(message.status, isOver),
    role: message.role ?? 'assistant',
    content: (message.content ?? []).map((content, at) => outputPart(content, at === 0 ? annotationsOf(message) : [])),
    ...(phase !== undefined && { phase }),
  };
}

/** The item of a reasoning message. @param isOver the run has ended */
export function reasoningItem(message: Message, isOver: boolean): ReasoningItem {
  return {
    id: itemIdOf(message),
    type: 'reasoning',
    status: itemStatus(message.status, isOver),
    summary: (message.content ?? []).map((content) => summaryPart(partText(content))),
  };
}

/** The item of a call of a client's tool. @param isOver the run has ended */
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

/** The item of a call of the server. @param output undefined while the call has none */
export function mcpCallItem(message: Message, output: Message | undefined, view: ItemView): McpCallItem {
  const call = callData(message, view.agentLabel);
  const waiting = itemStatus(message.status === 'completed' ? 'in_progress' : message.status, view.isOver);
  const status = output ? outputStatus(output, view) : waiting;
  return mcpItem(serverCallId(message), call, output && outputData(output), status);
}

/** The status of the item of a call with this output. */
export function outputStatus({ status }: Message, { isOver }: Pick<ItemView, 'isOver'>): ItemStatus {
  return itemStatus(status, isOver);
}

/** The item of a call that the request approved. @param output undefined while the call has none */
export function approvedItem({ request }: ApprovedCall, output: Message | undefined, view: ItemView): McpCallItem {
  const { id, name, arguments: args, server_label: serverLabel } = request;
  const status = output ? outputStatus(output, view) : itemStatus('in_progress', view.isOver);
  const item = mcpItem(
    approvedCallId(id),
    { name, arguments: args, serverLabel },
    output && outputData(output),
    status,
  );
  return { ...item, approval_request_id: id };
}

/** The item of an output whose call was not shown: the call is in an earlier run, or waited for an approval. */
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
  const { approvalRequestId: id } = data;
  return mcpItem(id === null ? serverCallId(output) : approvedCallId(id), made, data, outputStatus(output, view));
}

/** The prefix of an approved call's item. */
const ALLOWED_PREFIX = 'mcp_';

/** The id of the item of an approved call: it is known before the call has a message. */
export function approvedCallId(requestId: string): string {
  return ALLOWED_PREFIX + requestId;
}

/** The inverse of `approvedCallId`; undefined for other ids. */
export function approvalOf(itemId: string): string | undefined {
  return itemId.startsWith(ALLOWED_PREFIX) ? itemId.slice(ALLOWED_PREFIX.length) : undefined;
}

/** The item of a call that the server makes. */
export function mcpItem(
  id: string,
  call: Omit<CallData, 'callId'>,
  output: OutputData | undefined,
  status: ItemStatus,
): McpCallItem {
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

/** The id of the `mcp_call` that shows a call of the server, whatever the type of its message. */
export function serverCallId(message: Message): string {
  return itemIdOf({ ...message, type: 'mcp_call' });
}

/** The item of a list of tools. */
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

/** The item of an approval request. */
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

/** Clients refuse a listed tool with a null: optional fields are absent. */
function withoutNulls(tool: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(tool).filter(([, value]) => value !== null));
}

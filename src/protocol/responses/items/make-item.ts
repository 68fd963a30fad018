import { assertUnreachable, type JsonObject } from '../../../common/index.js';
import { dataOf, type Content, type Message, type RunStatus } from '../../../events/index.js';
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
  const call = callData(message, view.agentLabel);
  const waiting = itemStatus(message.status === 'completed' ? 'in_progress' : message.status, view.isOver);
  const status = output ? outcomeStatus(output, view) : waiting;
  return mcpItem(serverCallId(message), call, output && outputData(output), status);
}

/** The state of the item of a call, by its outcome. */
export function outcomeStatus({ status }: Message, { isOver }: Pick<ItemView, 'isOver'>): ItemStatus {
  return itemStatus(status, isOver);
}

/** A call that this response's request allowed, with the outcome it has so far. */
export function approvedItem({ request }: ApprovedCall, output: Message | undefined, view: ItemView): McpCallItem {
  const { id, name, arguments: args, server_label: serverLabel } = request;
  const status = output ? outcomeStatus(output, view) : itemStatus('in_progress', view.isOver);
  const item = mcpItem(
    approvedCallId(id),
    { name, arguments: args, serverLabel },
    output && outputData(output),
    status,
  );
  return { ...item, approval_request_id: id };
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
  const { approvalRequestId: id } = data;
  return mcpItem(id === null ? serverCallId(output) : approvedCallId(id), made, data, outcomeStatus(output, view));
}

const ALLOWED_PREFIX = 'mcp_';

/** The id of the item of an approved call: known as soon as the call is allowed, and that of no message. */
export function approvedCallId(requestId: string): string {
  return ALLOWED_PREFIX + requestId;
}

/** The inverse of `approvedCallId`; undefined for what cannot be the id of an approved call. */
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

/**
 * What a content says in an `output_text` part. The wire has no parts for pictures, sounds, files and
 * data in answers, so they become Markdown links and JSON text; the lossless form stays in the log.
 */
export function partText(content: Content): string {
  switch (content.type) {
    case 'text':
      return content.text ?? '';
    case 'refusal':
      return content.refusal ?? '';
    case 'image':
      return content.image_url ? `![image](${content.image_url})` : '';
    case 'video':
      return content.video_url ? `[video](${content.video_url})` : '';
    case 'file':
      return fileText(content.filename ?? content.file_id ?? 'file', content.file_url);
    case 'audio':
      return content.data ? audioText(content.data, content.format ?? 'wav') : '';
    case 'data':
      return content.data ? JSON.stringify(content.data) : '';
    default:
      return assertUnreachable(content);
  }
}

function fileText(name: string, url: string | null): string {
  return url ? `[${name}](${url})` : `[${name}]`;
}

function audioText(data: string, format: string): string {
  const isAddress = /^(https?|data):/.test(data);
  return `[audio](${isAddress ? data : `data:audio/${format};base64,${data}`})`;
}

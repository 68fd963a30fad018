import type { JsonObject } from '../../../common/index.js';
import { CALL_PERMISSION, type CallPermission, dataOf, type Message, type MessageType } from '../../../events/index.js';

/** A call as its message tells it; what is missing is empty. */
export interface CallData {
  readonly callId: string;
  readonly name: string;
  readonly arguments: string;
  /** Whose tool it is, as the wire names it. */
  readonly serverLabel: string;
}

/** The outcome of a call as its message tells it. */
export interface OutputData {
  readonly callId: string;
  readonly name: string;
  readonly output: string;
  readonly isError: boolean;
  /** A person refused the call: it was not made. */
  readonly isDenied: boolean;
  readonly approvalRequestId: string | null;
  /** What only the output of an approved call tells, for its call was shown in an earlier run. */
  readonly metadata: JsonObject;
}

/** Labels of the tools that belong to no MCP server. */
export const PLUGIN_LABEL = 'plugin';
const COMPONENT_LABEL = 'component';
/** What the log calls the server's own tools in approval requests. */
const LOCAL_LABEL = 'local';

const SERVER_CALLS: ReadonlySet<MessageType> = new Set(['plugin_call', 'component_call', 'mcp_call']);
const SERVER_OUTPUTS: ReadonlySet<MessageType> = new Set([
  'function_call_output',
  'plugin_call_output',
  'component_call_output',
  'mcp_call_output',
]);

/** True for calls of tools that the server runs. */
export function isServerCall(type: MessageType): boolean {
  return SERVER_CALLS.has(type);
}

/** True for the outcome of any call. */
export function isOutput(type: MessageType): boolean {
  return SERVER_OUTPUTS.has(type);
}

/** True for the outcome of a call of a tool that the server runs. */
export function isServerOutput(type: MessageType): boolean {
  return isOutput(type) && type !== 'function_call_output';
}

/** Whether a call has to be allowed by a person, as far as its message tells; undefined when it is made without. */
export function permissionOf({ metadata }: Pick<Message, 'metadata'>): CallPermission | undefined {
  const value = metadata?.[CALL_PERMISSION];
  return value === 'possible' || value === 'needed' ? value : undefined;
}

export function callData(message: Pick<Message, 'content' | 'type'>, agentLabel: string): CallData {
  return callDataOf(dataOf(message) ?? {}, message.type, agentLabel);
}

/** The same of a `data` content alone. */
export function callDataOf(data: JsonObject, type: MessageType, agentLabel: string): CallData {
  return {
    callId: text(data['call_id']),
    name: text(data['name']),
    arguments: text(data['arguments']),
    serverLabel: labelOf(data, type, agentLabel),
  };
}

export function outputData(message: Pick<Message, 'content' | 'metadata'>): OutputData {
  const data = dataOf(message) ?? {};
  const metadata = message.metadata ?? {};
  const approvalRequestId = metadata['approval_request_id'];
  return {
    callId: text(data['call_id']),
    name: text(data['name']),
    output: text(data['output']),
    isError: metadata['is_error'] === true,
    isDenied: metadata['denied'] === true,
    approvalRequestId: typeof approvalRequestId === 'string' ? approvalRequestId : null,
    metadata,
  };
}

/** The label under which this wire shows a server: the server's own tools have one name everywhere. */
export function wireLabel(label: string): string {
  return label === LOCAL_LABEL || label === '' ? PLUGIN_LABEL : label;
}

/** What the log calls the server that this wire shows under a label; the inverse of `wireLabel`. */
export function logLabel(label: string): string {
  return label === PLUGIN_LABEL ? LOCAL_LABEL : label;
}

function labelOf(data: JsonObject, type: MessageType, agentLabel: string): string {
  const given = data['server_label'];
  if (typeof given === 'string' && given !== '') return wireLabel(given);
  if (type === 'component_call' || type === 'component_call_output') return COMPONENT_LABEL;
  return type === 'function_call' || type === 'function_call_output' ? agentLabel : PLUGIN_LABEL;
}

/** A value of tool traffic as text: what is no string becomes JSON. */
export function text(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

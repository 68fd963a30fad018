import type { JsonObject } from '../../../common/index.js';
import {
  CALL_PERMISSION,
  CALL_TYPES,
  type CallPermission,
  dataOf,
  type Message,
  type MessageType,
  OUTPUT_TYPES,
} from '../../../events/index.js';

/** The fields of a call; empty where the message has none. */
export interface CallData {
  /** Empty if the message has none yet. */
  readonly callId: string;
  readonly name: string;
  /** JSON text, possibly incomplete while the model is writing. */
  readonly arguments: string;
  /** The label of the server on this wire. */
  readonly serverLabel: string;
}

/** The fields of the output of a call; empty where the message has none. */
export interface OutputData {
  readonly callId: string;
  readonly name: string;
  /** Text as the model receives it. */
  readonly output: string;
  /** The call failed: `output` describes the error. */
  readonly isError: boolean;
  /** The call was denied, so it was not made. */
  readonly isDenied: boolean;
  /** The approval request that allowed the call; null if none was needed. */
  readonly approvalRequestId: string | null;
  /** For an approved call: what is known of the call, which is in an earlier run. */
  readonly metadata: JsonObject;
}

/** The labels of tools that are not those of an MCP server. */
export const PLUGIN_LABEL = 'plugin';
/** The label of components, which belong to no MCP server. */
const COMPONENT_LABEL = 'component';
/** The label of the server's own tools in the log. */
const LOCAL_LABEL = 'local';

/** True for calls that only the server can make. A `function_call` can be the client's as well. */
export function isServerCall(type: MessageType): boolean {
  return type !== 'function_call' && CALL_TYPES.includes(type);
}

/** True for the output of any call. */
export function isOutput(type: MessageType): boolean {
  return OUTPUT_TYPES.includes(type);
}

/** True for the output of a tool that the server runs. */
export function isServerOutput(type: MessageType): boolean {
  return isOutput(type) && type !== 'function_call_output';
}

/** Whether a call needs an approval, as far as is known; undefined when it needs none. */
export function permissionOf({ metadata }: Pick<Message, 'metadata'>): CallPermission | undefined {
  const value = metadata?.[CALL_PERMISSION];
  return value === 'possible' || value === 'needed' ? value : undefined;
}

/** The fields of a call. @param agentLabel as `ItemView.agentLabel` */
export function callData(message: Pick<Message, 'content' | 'type'>, agentLabel: string): CallData {
  return callDataOf(dataOf(message) ?? {}, message.type, agentLabel);
}

/** The same from a `data` content of the call. */
export function callDataOf(data: JsonObject, type: MessageType, agentLabel: string): CallData {
  return {
    callId: text(data['call_id']),
    name: text(data['name']),
    arguments: text(data['arguments']),
    serverLabel: labelOf(data, type, agentLabel),
  };
}

/** The fields of the output of a call. */
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

/** The label of a server on this wire, by its label in the log. */
export function wireLabel(label: string): string {
  return label === LOCAL_LABEL || label === '' ? PLUGIN_LABEL : label;
}

/** The label of a server in the log; the inverse of `wireLabel`. */
export function logLabel(label: string): string {
  return label === PLUGIN_LABEL ? LOCAL_LABEL : label;
}

/** The label that the message gives, otherwise one that follows from the kind of tool. */
function labelOf(data: JsonObject, type: MessageType, agentLabel: string): string {
  const given = data['server_label'];
  if (typeof given === 'string' && given !== '') return wireLabel(given);
  if (type === 'component_call' || type === 'component_call_output') return COMPONENT_LABEL;
  return type === 'function_call' || type === 'function_call_output' ? agentLabel : PLUGIN_LABEL;
}

/** A string unchanged, other values as JSON, null and undefined as the empty string. */
export function text(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

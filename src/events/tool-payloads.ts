import type { JsonObject } from '../common/index.js';
import type { MessageType } from './agent-objects.js';

/** The types of messages with a tool call. Only a `function_call` can be the client's. */
export const CALL_TYPES: readonly MessageType[] = ['function_call', 'plugin_call', 'component_call', 'mcp_call'];
/** The types of messages with the output of a tool call. */
export const OUTPUT_TYPES: readonly MessageType[] = [
  'function_call_output',
  'plugin_call_output',
  'component_call_output',
  'mcp_call_output',
];

/**
 * The data of `function_call`, `plugin_call` and `component_call` messages (contract agent-api, section a.2).
 * `arguments` is JSON text as the model wrote it.
 */
export interface FunctionCall {
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}

/** The data of `function_call_output`, `plugin_call_output` and `component_call_output` messages. */
export interface FunctionCallOutput {
  readonly call_id: string;
  readonly name?: string;
  readonly output: string;
}

/**
 * The metadata key of a server tool call that may require an approval. Its value is `possible` from the start
 * of the call, and `needed` once the arguments are known and an approval will be requested. Without the key
 * the call is made.
 */
export const CALL_PERMISSION = 'permission';

/** A value of the metadata `CALL_PERMISSION`. */
export type CallPermission = 'possible' | 'needed';

/** The data of an `mcp_call` message. */
export interface McpCall extends FunctionCall {
  readonly server_label: string;
}

/** The data of an `mcp_call_output` message. */
export type McpCallOutput = FunctionCallOutput;
/** The data of an `mcp_list_tools` message. */
export interface McpListTools {
  readonly id: string;
  readonly server_label: string;
  readonly tools: readonly McpToolInfo[];
  readonly error?: string;
}

/** A tool in an `mcp_list_tools` message. */
export interface McpToolInfo {
  readonly name: string;
  readonly input_schema: JsonObject;
  readonly description?: string;
  readonly annotations?: JsonObject;
}

/** The data of an `mcp_approval_request` message. */
export interface McpApprovalRequest {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly server_label: string;
}

/** The data of an `mcp_approval_response` message. */
export interface McpApprovalResponse {
  readonly approval_request_id: string;
  readonly approve: boolean;
  readonly id?: string;
  readonly reason?: string;
}

/** The metadata key of a result with its blocks, for clients that have called the tool themselves: `{content, structuredContent?}`. */
export const TOOL_CONTENTS = 'tool_contents';

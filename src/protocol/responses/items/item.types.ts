import type { Json, JsonObject } from '../../../common/index.js';

/** The statuses of an item. */
export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/** A part of an assistant's message. */
export type OutputPart =
  | {
      readonly type: 'output_text';
      readonly text: string;
      readonly annotations: readonly Json[];
      readonly logprobs: readonly Json[];
    }
  | { readonly type: 'refusal'; readonly refusal: string };

/** A message of the assistant. */
export interface MessageItem {
  readonly id: string;
  readonly type: 'message';
  readonly status: ItemStatus;
  readonly role: string;
  readonly content: readonly OutputPart[];
}

/** A call of a tool that the client runs. */
export interface FunctionCallItem {
  readonly id: string;
  readonly type: 'function_call';
  readonly status: ItemStatus;
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}

/** The output of a tool that the client runs. */
export interface FunctionCallOutputItem {
  readonly id: string;
  readonly type: 'function_call_output';
  readonly status: ItemStatus;
  readonly call_id: string;
  readonly output: string;
}

/** A part of the summary of a reasoning item. */
export interface SummaryPart {
  readonly type: 'summary_text';
  readonly text: string;
}

/** The reasoning of the model. */
export interface ReasoningItem {
  readonly id: string;
  readonly type: 'reasoning';
  readonly status: ItemStatus;
  readonly summary: readonly SummaryPart[];
}

/** Why a call of the server failed. */
export interface McpError {
  readonly type: 'mcp_tool_execution_error';
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
}

/** A call of a tool that the server runs, with its output. */
export interface McpCallItem {
  readonly id: string;
  readonly type: 'mcp_call';
  readonly status: ItemStatus | 'failed';
  readonly server_label: string;
  readonly name: string;
  readonly arguments: string;
  readonly output: string | null;
  readonly error: McpError | null;
  readonly approval_request_id: string | null;
}

/** The tools of one server. `error` is absent unless listing failed. */
export interface McpListToolsItem {
  readonly id: string;
  readonly type: 'mcp_list_tools';
  readonly server_label: string;
  readonly tools: readonly JsonObject[];
  readonly error?: string;
}

/** A call that waits for an approval. */
export interface McpApprovalRequestItem {
  readonly id: string;
  readonly type: 'mcp_approval_request';
  readonly server_label: string;
  readonly name: string;
  readonly arguments: string;
}

/** The items of `output`. */
export type OutputItem =
  MessageItem | FunctionCallItem | ReasoningItem | McpCallItem | McpListToolsItem | McpApprovalRequestItem;

/** The items of lists. */
export type Item = OutputItem | FunctionCallOutputItem | (JsonObject & { readonly id: string; readonly type: string });

/** A call that a request approved: its run makes it first. */
export interface ApprovedCall {
  /** The approval request. */
  readonly request: McpApprovalRequestItem;
  readonly callId: string;
}

/** What the items of a run depend on besides its messages. */
export interface ItemView {
  /** The server label of calls that the agent both makes and answers. */
  readonly agentLabel: string;
  /** The tools that the client runs; undefined when another wire accepted the run. */
  readonly clientTools: ReadonlySet<string> | undefined;
  /** The MCP servers that the request names: lists of tools are shown for these only. */
  readonly namedServers: ReadonlySet<string>;
  /** The approval requests that the request answers, by id. */
  readonly approvals: ReadonlyMap<string, McpApprovalRequestItem>;
  /** The calls that the request approved, in the order of its answers; empty where they are unknown. */
  readonly approved: readonly ApprovedCall[];
  /** True when the run has ended: open items are incomplete. */
  readonly isOver: boolean;
}

/** The view for messages of any runs that have ended. */
export const HISTORY_VIEW: ItemView = {
  agentLabel: '',
  clientTools: undefined,
  namedServers: new Set(),
  approvals: new Map(),
  approved: [],
  isOver: true,
};

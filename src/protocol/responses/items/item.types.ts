import type { Json, JsonObject } from '../../../common/index.js';
import type { Phase } from './phase.js';

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
  /** Absent where it is not known: OR refuses null. */
  readonly phase?: Phase;
}

/** A call of a tool that the client runs. */
export interface FunctionCallItem {
  readonly id: string;
  readonly type: 'function_call';
  readonly status: ItemStatus;
  /** Identifies the call in the later output; differs from the item's `id`. */
  readonly call_id: string;
  readonly name: string;
  /** JSON text as the model wrote it. */
  readonly arguments: string;
}

/** The output of a tool that the client runs. */
export interface FunctionCallOutputItem {
  readonly id: string;
  readonly type: 'function_call_output';
  readonly status: ItemStatus;
  readonly call_id: string;
  /** Text; other values are sent as JSON text. */
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
  /** Empty if the model has shown no reasoning. */
  readonly summary: readonly SummaryPart[];
}

/** Why a call of the server failed. */
export interface McpError {
  readonly type: 'mcp_tool_execution_error';
  /** What the tool reported, as text parts. */
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
}

/** A call of a tool that the server runs, with its output. */
export interface McpCallItem {
  readonly id: string;
  readonly type: 'mcp_call';
  readonly status: ItemStatus | 'failed';
  /** The label of the request, or that of the server's own tools. */
  readonly server_label: string;
  readonly name: string;
  readonly arguments: string;
  /** Null until the call has succeeded, and if it has failed. */
  readonly output: string | null;
  /** Null unless the call has failed. */
  readonly error: McpError | null;
  /** The approval request that allowed the call; null if none was needed. */
  readonly approval_request_id: string | null;
}

/** The tools of one server. `error` is absent unless listing failed. */
export interface McpListToolsItem {
  readonly id: string;
  readonly type: 'mcp_list_tools';
  readonly server_label: string;
  /** Each with `name` and `input_schema`, and optionally `description` and `annotations`. */
  readonly tools: readonly JsonObject[];
  /** Present if the server could not be asked for its tools; then `tools` is empty. */
  readonly error?: string;
}

/** A call that waits for an approval. */
export interface McpApprovalRequestItem {
  /** Also the id of the interrupt, which an `mcp_approval_response` refers to. */
  readonly id: string;
  readonly type: 'mcp_approval_request';
  readonly server_label: string;
  readonly name: string;
  readonly arguments: string;
}

/** What stands for the conversation before it. */
export interface CompactionItem {
  readonly id: string;
  readonly type: 'compaction';
  /** Readable for this server only. */
  readonly encrypted_content: string;
}

/** The items of `output`. */
export type OutputItem =
  | MessageItem
  | FunctionCallItem
  | ReasoningItem
  | McpCallItem
  | McpListToolsItem
  | McpApprovalRequestItem
  | CompactionItem;

/** The items of lists. */
export type Item = OutputItem | FunctionCallOutputItem | (JsonObject & { readonly id: string; readonly type: string });

/** A call that a request approved: its run makes it first. */
export interface ApprovedCall {
  /** The approval request. */
  readonly request: McpApprovalRequestItem;
  /** The call that was approved, which an earlier response made. */
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

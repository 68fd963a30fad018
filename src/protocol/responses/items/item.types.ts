import type { Json, JsonObject } from '../../../common/index.js';

/** Where an output item stands. */
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

/** What the assistant says. */
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

/** The client's answer to a call. */
export interface FunctionCallOutputItem {
  readonly id: string;
  readonly type: 'function_call_output';
  readonly status: ItemStatus;
  readonly call_id: string;
  readonly output: string;
}

/** One part of a reasoning's summary. */
export interface SummaryPart {
  readonly type: 'summary_text';
  readonly text: string;
}

/** What the model thought. */
export interface ReasoningItem {
  readonly id: string;
  readonly type: 'reasoning';
  readonly status: ItemStatus;
  readonly summary: readonly SummaryPart[];
}

/** Why a call that the server made itself failed. */
export interface McpError {
  readonly type: 'mcp_tool_execution_error';
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
}

/** A call of a tool that the server runs, with its outcome. */
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

/** A call that waits for a person's permission. */
export interface McpApprovalRequestItem {
  readonly id: string;
  readonly type: 'mcp_approval_request';
  readonly server_label: string;
  readonly name: string;
  readonly arguments: string;
}

/** Everything that stands in `output`. */
export type OutputItem =
  MessageItem | FunctionCallItem | ReasoningItem | McpCallItem | McpListToolsItem | McpApprovalRequestItem;

/** Any item, as lists of items show it. */
export type Item = OutputItem | FunctionCallOutputItem | (JsonObject & { readonly id: string; readonly type: string });

/** A call that a request allowed: the run that it starts makes it first of all. */
export interface ApprovedCall {
  /** As the wire showed it. */
  readonly request: McpApprovalRequestItem;
  readonly callId: string;
}

/** What is known of a run beside its messages, and needed to show them as items. */
export interface ItemView {
  /** The label of calls that the agent made and answered by itself. */
  readonly agentLabel: string;
  /** The tools that the client runs; undefined when the request is not known to this wire. */
  readonly clientTools: ReadonlySet<string> | undefined;
  /** The MCP servers that the request names: only their lists of tools are shown. */
  readonly namedServers: ReadonlySet<string>;
  /** The approval requests that this run answers, by id: their calls were shown in an earlier run. */
  readonly approvals: ReadonlyMap<string, McpApprovalRequestItem>;
  /** Those of them that were allowed, in the order of the request's answers; empty where that is not known. */
  readonly approved: readonly ApprovedCall[];
  /** True when nothing more will come: what is open is cut. */
  readonly isOver: boolean;
}

/** Messages of whichever runs, all of them over. */
export const HISTORY_VIEW: ItemView = {
  agentLabel: '',
  clientTools: undefined,
  namedServers: new Set(),
  approvals: new Map(),
  approved: [],
  isOver: true,
};

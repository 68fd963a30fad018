import type { JsonObject, Json } from '../common/index.js';

/** The roles of a message (contract agent-api, section a.2). */
export const ROLES = ['assistant', 'user', 'system', 'tool'] as const;
export type Role = (typeof ROLES)[number];

/** The kinds of message (contract agent-api, section a.2). */
export const MESSAGE_TYPES = [
  'message',
  'function_call',
  'function_call_output',
  'plugin_call',
  'plugin_call_output',
  'component_call',
  'component_call_output',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_call',
  'mcp_approval_response',
  'mcp_call_output',
  'reasoning',
  'heartbeat',
  'error',
  'a2ui_response',
  'a2ui_action',
] as const;
export type MessageType = (typeof MESSAGE_TYPES)[number];

/** The states of a response, a message or a content (contract agent-api, section a.2). */
export const RUN_STATUSES = [
  'created',
  'in_progress',
  'completed',
  'canceled',
  'failed',
  'rejected',
  'unknown',
  'queued',
  'incomplete',
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** The states after which nothing follows. */
export const TERMINAL_STATUSES = ['completed', 'canceled', 'failed', 'rejected', 'incomplete'] as const;
export type TerminalStatus = (typeof TERMINAL_STATUSES)[number];

/** The kinds of content (contract agent-api, section a.2). */
export const CONTENT_TYPES = ['text', 'image', 'data', 'audio', 'file', 'refusal', 'video'] as const;
export type ContentType = (typeof CONTENT_TYPES)[number];

/** The Error model of every object and every answer. */
export interface ErrorModel {
  readonly code: string;
  readonly message: string;
}

/** What a model call or a run used, in tokens. */
export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly total_tokens?: number;
  /** Part of `output_tokens`. */
  readonly reasoning_tokens?: number;
  /** Part of `input_tokens`. */
  readonly cached_tokens?: number;
}

interface ContentBase {
  readonly object: 'content';
  readonly status: RunStatus | null;
  readonly error?: ErrorModel | null;
  /** The slot of this content in its message, from 0. */
  readonly index: number | null;
  /** True: `text`, `data` … is a piece to append or merge. False: it is the whole value. */
  readonly delta: boolean | null;
  readonly msg_id: string | null;
}

export interface TextContent extends ContentBase {
  readonly type: 'text';
  readonly text: string | null;
}
export interface ImageContent extends ContentBase {
  readonly type: 'image';
  /** An address or a `data:<mime>;base64,…` URL. */
  readonly image_url: string | null;
}
export interface DataContent extends ContentBase {
  readonly type: 'data';
  readonly data: JsonObject | null;
}
export interface AudioContent extends ContentBase {
  readonly type: 'audio';
  readonly data: string | null;
  readonly format: string | null;
}
export interface FileContent extends ContentBase {
  readonly type: 'file';
  readonly file_url: string | null;
  readonly file_id: string | null;
  readonly filename: string | null;
  readonly file_data: string | null;
}
export interface RefusalContent extends ContentBase {
  readonly type: 'refusal';
  readonly refusal: string | null;
}
export interface VideoContent extends ContentBase {
  readonly type: 'video';
  readonly video_url: string | null;
}

/** One content, as an event of its own or inside a message. */
export type Content =
  TextContent | ImageContent | DataContent | AudioContent | FileContent | RefusalContent | VideoContent;

/** A message, as an event of its own, inside a response, in a request and in a session. */
export interface Message {
  readonly object: 'message';
  readonly status: RunStatus;
  readonly error?: ErrorModel | null;
  readonly id: string;
  readonly type: MessageType;
  readonly role: Role | null;
  readonly content: readonly Content[] | null;
  readonly code: string | null;
  readonly message: string | null;
  readonly usage: Usage | null;
  readonly metadata: JsonObject | null;
}

/** A run as the Agent API shows it. Times are whole seconds since the epoch. */
export interface AgentResponse {
  readonly object: 'response';
  readonly status: RunStatus;
  readonly error: ErrorModel | null;
  readonly id: string;
  readonly created_at: number;
  readonly completed_at: number | null;
  readonly output: readonly Message[] | null;
  readonly usage: Usage | null;
  readonly session_id: string | null;
}

/* ---- Tool traffic: the payloads of `data` contents (contract agent-api, section a.2) ---- */

/** Of `function_call`, `plugin_call`, `component_call`. `arguments` is JSON text as the model wrote it. */
export interface FunctionCall {
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}
/** Of `function_call_output`, `plugin_call_output`, `component_call_output`. */
export interface FunctionCallOutput {
  readonly call_id: string;
  readonly name?: string;
  readonly output: string;
}
/**
 * The metadata of a call that the server makes, where a person may have to allow it first: `possible` from
 * its beginning, `needed` once its arguments are known and a permission will be asked for. Absent: it is made.
 */
export const CALL_PERMISSION = 'permission';
export type CallPermission = 'possible' | 'needed';

/** Of `mcp_call`. */
export interface McpCall extends FunctionCall {
  readonly server_label: string;
}
/** Of `mcp_call_output`. */
export type McpCallOutput = FunctionCallOutput;
/** Of `mcp_list_tools`. */
export interface McpListTools {
  readonly id: string;
  readonly server_label: string;
  readonly tools: readonly McpToolInfo[];
  readonly error?: string;
}
export interface McpToolInfo {
  readonly name: string;
  readonly input_schema: JsonObject;
  readonly description?: string;
  readonly annotations?: JsonObject;
}
/** Of `mcp_approval_request`. */
export interface McpApprovalRequest {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly server_label: string;
}
/** Of `mcp_approval_response`. */
export interface McpApprovalResponse {
  readonly approval_request_id: string;
  readonly approve: boolean;
  readonly id?: string;
  readonly reason?: string;
}

/* ---- What richer wires need and the Agent API leaves out of its stream (docs/architecture.md) ---- */

/** An event may say which subagent it comes from; messages say it in their metadata (`SUBAGENT_ID`). */
interface OfSubagent {
  readonly subagent_id?: string;
}

/**
 * The session's shared state: the whole of it, or an RFC 6902 patch. `initial`: it is what the run
 * found, not what it made.
 */
export type StateEvent = OfSubagent &
  (
    | { readonly object: 'state'; readonly kind: 'snapshot'; readonly snapshot: Json; readonly initial?: true }
    | { readonly object: 'state'; readonly kind: 'delta'; readonly patch: readonly JsonObject[] }
  );

/** A named phase of the run begins or ends. */
export interface StepEvent extends OfSubagent {
  readonly object: 'step';
  readonly name: string;
  readonly status: 'started' | 'finished';
}

/** Progress that is shown but is no message: the whole of it, or an RFC 6902 patch. */
export type ActivityEvent = OfSubagent &
  (
    | {
        readonly object: 'activity';
        readonly kind: 'snapshot';
        readonly id: string;
        readonly activity_type: string;
        readonly content: JsonObject;
      }
    | {
        readonly object: 'activity';
        readonly kind: 'delta';
        readonly id: string;
        readonly activity_type: string;
        readonly patch: readonly JsonObject[];
      }
  );

/** Anything else an agent or the server wants to say, by name. */
export interface CustomEvent extends OfSubagent {
  readonly object: 'custom';
  readonly name: string;
  readonly value: Json;
}

/** An event of another system, passed on as it is. `source` names the system. */
export interface RawEvent extends OfSubagent {
  readonly object: 'raw';
  readonly event: Json;
  readonly source?: string;
}

/**
 * A part of the run that another agent does begins or ends. `id` is of this one part; `parent_id` is the
 * part that it belongs to, `call_id` the tool call that asked for it.
 */
export type SubagentEvent =
  | {
      readonly object: 'subagent';
      readonly status: 'started';
      readonly id: string;
      readonly name: string;
      readonly description?: string;
      readonly parent_id?: string;
      readonly call_id?: string;
    }
  | { readonly object: 'subagent'; readonly status: 'finished'; readonly id: string; readonly result?: Json }
  | { readonly object: 'subagent'; readonly status: 'failed'; readonly id: string; readonly error: ErrorModel };

/** The key in the metadata of a message of a subagent that names it. */
export const SUBAGENT_ID = 'subagent_id';

/** The `custom` event of a resumed run; its value is a `RunRecovered`. */
export const RUN_RECOVERED = 'run.recovered';

/** A worker was lost and another goes on. The named messages no longer count: they are begun again. */
export interface RunRecovered {
  readonly attempt: number;
  readonly discardedMessageIds: readonly string[];
}

/**
 * The run ends here and waits: for the results of client tools, for an approval, or for an input of
 * an agent's own. The terminal response event follows.
 */
export interface InterruptEvent {
  readonly object: 'interrupt';
  readonly id: string;
  /** `approval` or `input` whenever `items` is not empty. */
  readonly reason: 'client_tool' | 'approval' | 'input';
  readonly message: string | null;
  /** The calls of client tools this interrupt waits for. */
  readonly call_ids: readonly string[];
  readonly response_schema: JsonObject | null;
  /** What a person has to decide or to say; empty when only client tools are waited for. */
  readonly items: readonly OpenInterrupt[];
}

/** One question to a person: a permission for a tool call, or an input that an agent asks for. */
export interface OpenInterrupt {
  /** What an answer names; the same as long as the question is open. */
  readonly id: string;
  readonly kind: 'approval' | 'input';
  /** The call that waits for permission; null for an input. */
  readonly call_id: string | null;
  readonly tool_name: string | null;
  /** JSON text as the model wrote it. */
  readonly arguments: string | null;
  /** The MCP server's label, `local` for a tool of this server. */
  readonly server_label: string | null;
  readonly reason: string | null;
  readonly message: string | null;
  /** What an input has to look like. */
  readonly response_schema: JsonObject | null;
  /** True when an approval may come with other arguments. */
  readonly may_edit: boolean;
  /** Milliseconds since the epoch; null: never. */
  readonly expires_at: number | null;
}

/** An event of the three-layer builder. */
export type BuilderEvent = AgentResponse | Message | Content;

/** Everything a run's log can hold. */
export type AgentEvent =
  BuilderEvent | StateEvent | StepEvent | ActivityEvent | CustomEvent | RawEvent | SubagentEvent | InterruptEvent;

/** True for an event of the three-layer builder: a response, a message or a content. */
export function isBuilderEvent(event: AgentEvent): event is BuilderEvent {
  return event.object === 'content' || event.object === 'message' || event.object === 'response';
}

/** True for the states after which nothing follows. */
export function isTerminalStatus(status: unknown): status is TerminalStatus {
  return (TERMINAL_STATUSES as readonly unknown[]).includes(status);
}

/** True for the one event that ends a run. */
export function isTerminalEvent(event: AgentEvent): event is AgentResponse {
  return event.object === 'response' && isTerminalStatus(event.status);
}

import type { JsonObject } from '../common/index.js';

/** The roles of a message (contract agent-api, section a.2). */
export const ROLES = ['assistant', 'user', 'system', 'tool'] as const;
/** A role of a message. */
export type Role = (typeof ROLES)[number];

/** The types of a message (contract agent-api, section a.2). */
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
/** A type of a message. */
export type MessageType = (typeof MESSAGE_TYPES)[number];

/** The statuses of a response, a message or a content (contract agent-api, section a.2). */
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
/** A status of a response, a message or a content. */
export type RunStatus = (typeof RUN_STATUSES)[number];

/** The statuses after which nothing follows. */
export const TERMINAL_STATUSES = ['completed', 'canceled', 'failed', 'rejected', 'incomplete'] as const;
/** A status after which nothing follows. */
export type TerminalStatus = (typeof TERMINAL_STATUSES)[number];

/** The types of a content (contract agent-api, section a.2). */
export const CONTENT_TYPES = ['text', 'image', 'data', 'audio', 'file', 'refusal', 'video'] as const;
/** A type of a content. */
export type ContentType = (typeof CONTENT_TYPES)[number];

/** The error of an object or of a request. */
export interface ErrorModel {
  readonly code: string;
  readonly message: string;
}

/** Tokens used by a model call or a run. */
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
  /** The position of this content in its message, from 0. */
  readonly index: number | null;
  /** If true, `text`, `data` … is a delta to append or merge; if false, it is the whole value. */
  readonly delta: boolean | null;
  readonly msg_id: string | null;
}

/** Text, in deltas or whole. */
export interface TextContent extends ContentBase {
  readonly type: 'text';
  readonly text: string | null;
}

/** An image by its address. */
export interface ImageContent extends ContentBase {
  readonly type: 'image';
  /** A URL, possibly a `data:<mime>;base64,…` URL. */
  readonly image_url: string | null;
}

/** A JSON object, such as the payload of a tool call. */
export interface DataContent extends ContentBase {
  readonly type: 'data';
  readonly data: JsonObject | null;
}

/** Audio as base64 or a `data:` URL, with its format, for example `wav`. */
export interface AudioContent extends ContentBase {
  readonly type: 'audio';
  readonly data: string | null;
  readonly format: string | null;
}

/** A file by its address, its id or its data. */
export interface FileContent extends ContentBase {
  readonly type: 'file';
  readonly file_url: string | null;
  readonly file_id: string | null;
  readonly filename: string | null;
  readonly file_data: string | null;
}

/** Text in which the model declines to answer. */
export interface RefusalContent extends ContentBase {
  readonly type: 'refusal';
  readonly refusal: string | null;
}

/** A video by its address. */
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

/** A run as the Agent API represents it. Times are whole seconds since the epoch. */
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

/** True for a status after which nothing follows. */
export function isTerminalStatus(status: unknown): status is TerminalStatus {
  return (TERMINAL_STATUSES as readonly unknown[]).includes(status);
}

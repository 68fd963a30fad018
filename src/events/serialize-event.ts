import { jsonCharacters, jsonString } from '../common/index.js';
import { VALUE_FIELDS } from './content-value.js';
import type { AgentEvent, ExtensionEvent } from './agent-event.js';
import type { AgentResponse, Content, Message } from './agent-objects.js';

/** The fields of the extension events, in order. */
const EXTENSION_FIELDS = {
  state: ['kind', 'snapshot', 'initial', 'patch', 'subagent_id'],
  step: ['status', 'name', 'subagent_id'],
  activity: ['kind', 'id', 'activity_type', 'content', 'patch', 'subagent_id'],
  custom: ['name', 'value', 'subagent_id'],
  raw: ['event', 'source', 'subagent_id'],
  subagent: ['status', 'id', 'name', 'description', 'parent_id', 'call_id', 'result', 'error'],
  interrupt: ['id', 'reason', 'message', 'call_ids', 'response_schema', 'items'],
} as const satisfies Record<ExtensionEvent['object'], readonly string[]>;

/**
 * The canonical JSON of an event: one line, with `object` first, then `status` and `error` (null if absent),
 * then the other fields in the order of contract agent-api, section a.3; likewise for nested messages and
 * contents. Equal events have equal text, apart from the member order of opaque objects.
 */
export function serializeEvent(event: AgentEvent): string {
  if (event.object === 'content') {
    if (event.type === 'text' && event.status === 'in_progress' && !event.error && event.text !== null)
      return textPiece(event);
    return JSON.stringify(orderedContent(event));
  }
  if (event.object === 'message') return JSON.stringify(orderedMessage(event));
  if (event.object === 'response') return JSON.stringify(orderedResponse(event));
  return JSON.stringify(ordered({ object: event.object }, event, EXTENSION_FIELDS[event.object]));
}

/** The head of the last text delta: the deltas of one content mostly come one after another. */
let last = { msgId: null as string | null, index: null as number | null, delta: null as boolean | null, head: '' };

/** The hot path: only the text is serialized. */
function textPiece({ index, delta, msg_id: msgId, text }: Extract<Content, { type: 'text' }>): string {
  if (last.head === '' || last.msgId !== msgId || last.index !== index || last.delta !== delta) {
    last = { msgId, index, delta, head: textHead(msgId, index, delta) };
  }
  return `${last.head}${jsonCharacters(text ?? '')}"}`;
}

/** Joined, so that it is one text in memory: parts would be put together again with every piece. */
function textHead(msgId: string | null, index: number | null, delta: boolean | null): string {
  const id = msgId === null ? 'null' : jsonString(msgId);
  const place = `"index":${index},"delta":${delta},"msg_id":${id}`;
  return ['{"object":"content","status":"in_progress","error":null,"type":"text",', place, ',"text":"'].join('');
}

function orderedContent(content: Content): Record<string, unknown> {
  const { status, error, type, index, delta, msg_id } = content;
  const own: Record<string, unknown> = {
    object: 'content',
    status: status ?? null,
    error: error ?? null,
    type,
    index: index ?? null,
    delta: delta ?? null,
    msg_id: msg_id ?? null,
  };
  for (const field of VALUE_FIELDS[type]) own[field] = (content as unknown as Record<string, unknown>)[field] ?? null;
  return own;
}

function orderedMessage(message: Message): Record<string, unknown> {
  return {
    object: 'message',
    status: message.status,
    error: message.error ?? null,
    id: message.id,
    type: message.type,
    role: message.role ?? null,
    content: message.content?.map(orderedContent) ?? null,
    code: message.code ?? null,
    message: message.message ?? null,
    usage: message.usage ?? null,
    metadata: message.metadata ?? null,
  };
}

function orderedResponse(response: AgentResponse): Record<string, unknown> {
  return {
    object: 'response',
    status: response.status,
    error: response.error ?? null,
    id: response.id,
    created_at: response.created_at,
    completed_at: response.completed_at ?? null,
    output: response.output?.map(orderedMessage) ?? null,
    usage: response.usage ?? null,
    session_id: response.session_id ?? null,
  };
}

function ordered(head: Record<string, unknown>, source: object, fields: readonly string[]): Record<string, unknown> {
  const members = source as Readonly<Record<string, unknown>>;
  for (const field of fields) if (members[field] !== undefined) head[field] = members[field];
  return head;
}

import type { IdFactory, Json, JsonObject } from '../../common/index.js';
import {
  type Content,
  fieldsOf,
  isContentType,
  makeContent,
  type Message,
  MESSAGE_TYPES,
  type MessageType,
  type Role,
  ROLES,
  RUN_STATUSES,
  type RunStatus,
  type Usage,
  withMessageId,
} from '../../events/index.js';
import { type FieldReader, fieldError, fieldReaderAt, kindOf } from '../http/bodies/field-reader.js';

/** Contents that one message may have. */
const MAX_CONTENTS = 1000;
/** Characters of message ids. */
const ID_LENGTH = { min: 1, max: 256 };
/** What a client may call a field of a content besides its own name. */
const ALIASES: Readonly<Record<string, string>> = { filename: 'file_name' };

/**
 * Decodes one message of `input` (contract agent-api, section a.2): unknown keys are dropped, nulls are
 * absent, an unknown `type` counts as `message` and is kept as `metadata.original_type`.
 *
 * @throws AppError naming the path of the first wrong field
 */
export function decodeMessage(value: unknown, path: string, nextId: () => string): Message {
  const fields = fieldReaderAt(value, path);
  const named = fields.string('type') ?? 'message';
  const type = (MESSAGE_TYPES as readonly string[]).includes(named) ? (named as MessageType) : 'message';
  const role = roleOf(fields) ?? defaultRole(type);
  const id = fields.string('id', ID_LENGTH) ?? nextId();
  const metadata = fields.object('metadata') as JsonObject | undefined;
  return {
    object: 'message',
    status: statusOf(fields) ?? 'created',
    error: null,
    id,
    type,
    role,
    content: contentsOf(fields, type, id),
    code: fields.string('code') ?? null,
    message: fields.string('message') ?? null,
    usage: usageOf(fields),
    metadata: type === named ? (metadata ?? null) : { ...metadata, original_type: named },
  };
}

/** Gives every message an id that no earlier one has: a repeated id stays with its first message. */
export function withOwnIds(messages: readonly Message[], nextId: (index: number) => string): readonly Message[] {
  const seen = new Set<string>();
  return messages.map((message, index) => {
    if (!seen.has(message.id)) {
      seen.add(message.id);
      return message;
    }
    const id = nextId(index);
    seen.add(id);
    return withMessageId(message, id);
  });
}

/** Ids for messages without one: the same for a repeated request when the request names its run. */
export function messageIds(ids: IdFactory, derive: ((name: string) => string) | undefined): (name: string) => string {
  return (name) => (derive ? `msg_${derive(name)}` : ids.next('msg_'));
}

/** Null counts as absent. @throws AppError INVALID_PARAMETER for an unknown role */
function roleOf(fields: FieldReader): Role | undefined {
  const role = fields.string('role');
  if (role === undefined || (ROLES as readonly string[]).includes(role)) return role as Role | undefined;
  throw fieldError(fields.at('role'), `must be one of ${ROLES.join(', ')}, or null`, 'INVALID_PARAMETER');
}

/** A message without a role is the user's, unless its type determines the role. */
function defaultRole(type: MessageType): Role {
  if (type.endsWith('_call_output')) return 'tool';
  return type === 'reasoning' || type.endsWith('_call') ? 'assistant' : 'user';
}

/** Undefined for an unknown status, which is not an error. */
function statusOf(fields: FieldReader): RunStatus | undefined {
  const status = fields.string('status');
  return (RUN_STATUSES as readonly (string | undefined)[]).includes(status) ? (status as RunStatus) : undefined;
}

/** Null unless both token counts are numbers. */
function usageOf(fields: FieldReader): Usage | null {
  const usage = fields.object('usage');
  const isUsage = typeof usage?.['input_tokens'] === 'number' && typeof usage['output_tokens'] === 'number';
  return isUsage ? (usage as unknown as Usage) : null;
}

/**
 *
 * The contents; null if the message has none.
 *
 * @throws AppError MISSING_PARAMETER for a tool output without data
 */
function contentsOf(fields: FieldReader, type: MessageType, id: string): readonly Content[] | null {
  const items = fields.list('content', MAX_CONTENTS);
  const contents = items?.map((item, index) => decodeContent(item, `${fields.at('content')}[${index}]`, index, id));
  if (type === 'function_call_output' && !contents?.some((content) => content.type === 'data' && content.data)) {
    throw fieldError(fields.at('content'), 'must have a data content with the call_id', 'MISSING_PARAMETER');
  }
  if (type.endsWith('_call_output')) return (contents ?? []).map((content) => outputOf(content, fields));
  return contents ?? null;
}

/**
 *
 * One content with the fields of its type only.
 *
 * @throws AppError MISSING_PARAMETER without a type, INVALID_PARAMETER for an unknown one
 */
function decodeContent(value: unknown, path: string, index: number, msgId: string): Content {
  const fields = fieldReaderAt(value, path);
  const type = fields.required('type');
  if (!isContentType(type)) {
    throw fieldError(
      fields.at('type'),
      'must be one of text, image, data, audio, file, refusal, video',
      'INVALID_PARAMETER',
    );
  }
  const own = fieldsOf({ type });
  const entries = Object.keys(own).map((name): [string, Json] => [name, valueField(fields, name, type)]);
  const status = statusOf(fields) ?? 'completed';
  return makeContent({ type, index, msgId, status, delta: false }, Object.fromEntries(entries));
}

/** The value of a field: an object for data, text for all other types. */
function valueField(fields: FieldReader, name: string, type: string): Json {
  if (type === 'data') return (fields.object(name) as JsonObject | undefined) ?? null;
  const alias = ALIASES[name];
  return fields.string(name) ?? (alias === undefined ? undefined : fields.string(alias)) ?? null;
}

/** A tool's output: it must name the call that it answers; a value that is not text becomes JSON text. */
function outputOf(content: Content, message: FieldReader): Content {
  if (content.type !== 'data' || !content.data) return content;
  const path = `${message.at('content')}[${content.index}].data`;
  const { call_id: callId, output } = content.data;
  if (callId === undefined || callId === null) throw fieldError(`${path}.call_id`, 'is required', 'MISSING_PARAMETER');
  if (typeof callId !== 'string') throw fieldError(`${path}.call_id`, `must be a string, not ${kindOf(callId)}`);
  if (typeof output === 'string') return content;
  return { ...content, data: { ...content.data, output: JSON.stringify(output ?? null) } };
}

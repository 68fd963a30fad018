import { fingerprint, type Json, type JsonObject } from '../../common/index.js';
import {
  type ContentInput,
  dataMessage,
  type Message,
  messageOf,
  type MessageInput,
  SUBAGENT_ID,
} from '../../events/index.js';
import { type FieldReader, fieldError, fieldReaderAt } from '../http/bodies/field-reader.js';
import { CLIENT_METADATA } from './message-kinds.js';
import { decodeParts, partsText } from './part.decoder.js';

/** Tool calls of one assistant message, at most. */
const MAX_CALLS = 256;
/** Characters of ids. They are stored, so they have an upper limit. */
const ID_LENGTH = { min: 1, max: 256 };
/** The roles that are accepted, as the error of an unknown role lists them. */
const ROLES = ['developer', 'system', 'user', 'assistant', 'tool', 'reasoning', 'activity'] as const;

/** What a CopilotKit client puts where a tool's result will be. It is no result. */
const PLACEHOLDER = 'Forwarded to client';

/** Messages in the server's vocabulary. */
export interface DecodedMessages {
  readonly messages: readonly Message[];
  /** The ids that are not the client's own. */
  readonly unnamed: ReadonlySet<string>;
}

/**
 * Decodes AG-UI messages into the server's vocabulary (contract ag-ui, section 1.2): an assistant's
 * message becomes its text and one message a call; activities are the client's own and left out. A
 * message without an id, or with one that came before, gets an id derived from `seed` and what it
 * says, so the same in every request that repeats it.
 *
 * @throws AppError naming the path of the first wrong field
 */
export function decodeMessages(items: readonly unknown[], seed: readonly string[]): DecodedMessages {
  const ids = new Set<string>();
  const unnamed = new Set<string>();
  const deriveId = idDeriver(seed, ids);
  const callNames = new Map<string, string>();
  const messages = items.flatMap((item, index) => {
    const fields = fieldReaderAt(item, `messages[${index}]`);
    const named = fields.string('id', ID_LENGTH);
    const isNamed = named !== undefined && !ids.has(named);
    const id = isNamed ? named : deriveId(fields.source);
    if (!isNamed) unnamed.add(id);
    ids.add(id);
    return decodeMessage(fields, id, callNames);
  });
  return { messages, unnamed };
}

/** Derives ids from what messages say. Equal messages are distinguished by how many of them came before. */
function idDeriver(seed: readonly string[], taken: ReadonlySet<string>): (source: FieldReader['source']) => string {
  const places = new Map<string, number>();
  return ({ role, content, toolCalls, toolCallId }) => {
    const parts = [...seed, role, content, toolCalls, toolCallId];
    const said = fingerprint(parts);
    for (let place = places.get(said) ?? 0; ; place += 1) {
      const id = `msg_${fingerprint([...parts, place]).slice(0, 32)}`;
      if (taken.has(id)) continue;
      places.set(said, place + 1);
      return id;
    }
  };
}

/**
 *
 * One AG-UI message as messages of the server: several for calls, none for an activity.
 *
 * @throws AppError MISSING_PARAMETER without a role, INVALID_PARAMETER for an unknown one
 */
function decodeMessage(fields: FieldReader, id: string, callNames: Map<string, string>): Message[] {
  const role = fields.required('role');
  const metadata = metadataOf(fields);
  switch (role) {
    case 'developer':
    case 'system':
      return [plain(fields, { id, role: 'system', metadata: Object.assign({}, metadata, { original_role: role }) })];
    case 'user':
      return [plain(fields, { id, role, metadata })];
    case 'assistant':
      return assistant(fields, { id, role, metadata }, callNames);
    case 'tool':
      return toolOutput(fields, id, metadata, callNames);
    case 'reasoning':
      return [plain(fields, { id, role: 'assistant', type: 'reasoning', metadata })];
    case 'activity':
      return [];
    default:
      throw fieldError(fields.at('role'), `must be one of ${ROLES.join(', ')}`, 'INVALID_PARAMETER');
  }
}

/** A message of text or parts. */
function plain(fields: FieldReader, input: MessageInput): Message {
  return messageOf({ ...input, metadata: filled(input.metadata) }, contentsOf(fields));
}

/** The name of the author, the subagent, the metadata of the client and the encrypted value of the provider. */
function metadataOf(fields: FieldReader): JsonObject {
  const name = fields.string('name');
  const owner = fields.string('subagentRunId', ID_LENGTH);
  const clientMetadata = fields.object('metadata') as JsonObject | undefined;
  const metadata: Record<string, Json> = {};
  if (name !== undefined) metadata['name'] = name;
  if (owner !== undefined) metadata[SUBAGENT_ID] = owner;
  if (clientMetadata) metadata[CLIENT_METADATA] = clientMetadata;
  return Object.assign(metadata, encrypted(fields));
}

/** Null for metadata without entries: the message is then equal to one without metadata. */
function filled(metadata: JsonObject | null | undefined): JsonObject | null {
  return metadata && Object.keys(metadata).length > 0 ? metadata : null;
}

/** The contents of a message; a missing content is an empty text. */
function contentsOf(fields: FieldReader): readonly ContentInput[] {
  const { content } = fields.source;
  if (Array.isArray(content)) return decodeParts(content, fields.at('content'));
  return [{ type: 'text', text: fields.string('content') ?? '' }];
}

/** An assistant's text, if it has any, and one message per call. A message without both is an empty text. */
function assistant(fields: FieldReader, input: MessageInput, callNames: Map<string, string>): Message[] {
  const calls = fields.list('toolCalls', MAX_CALLS) ?? [];
  const { content } = fields.source;
  const hasText = Array.isArray(content) ? content.length > 0 : (fields.string('content') ?? '') !== '';
  const words = hasText || calls.length === 0 ? [plain(fields, input)] : [];
  const made = calls.map((call, index) => {
    const own = fieldReaderAt(call, `${fields.at('toolCalls')}[${index}]`);
    const callId = own.required('id', ID_LENGTH);
    // The server shows a call without words under the id of its first call's message.
    const id = index === 0 && !hasText ? input.id : `msg_${fingerprint([input.id, callId]).slice(0, 32)}`;
    return toolCall(own, callId, { ...input, id }, callNames);
  });
  return [...words, ...made];
}

/**
 *
 * One call. `callNames` gets its name, which AG-UI does not repeat in the call's result.
 *
 * @throws AppError MISSING_PARAMETER without a name
 */
function toolCall(fields: FieldReader, callId: string, input: MessageInput, callNames: Map<string, string>): Message {
  const called = fieldReaderAt(fields.source['function'] ?? {}, fields.at('function'));
  const name = called.required('name');
  callNames.set(callId, name);
  const args = called.string('arguments') ?? '{}';
  return dataMessage({
    id: input.id,
    role: 'assistant',
    type: 'function_call',
    metadata: filled(Object.assign({}, ownerMetadata(input), encrypted(fields))),
    data: { call_id: callId, name, arguments: args },
  });
}

/** The output of a call. A placeholder is not an output. */
function toolOutput(
  fields: FieldReader,
  id: string,
  metadata: JsonObject,
  callNames: ReadonlyMap<string, string>,
): Message[] {
  const callId = fields.required('toolCallId', ID_LENGTH);
  const { content } = fields.source;
  const error = fields.string('error');
  const parts = Array.isArray(content) ? decodeParts(content, fields.at('content')) : undefined;
  const text = parts ? partsText(parts) : fields.string('content');
  const images = parts?.filter(({ type }) => type === 'image') ?? [];
  if (text === PLACEHOLDER) return [];
  const name = callNames.get(callId);
  return [
    messageOf(
      {
        id,
        role: 'tool',
        type: 'function_call_output',
        metadata: filled(error === undefined ? metadata : Object.assign({}, metadata, { is_error: true })),
      },
      [
        {
          type: 'data',
          data: { call_id: callId, ...(name !== undefined && { name }), output: text || (error ?? '') },
        },
        ...images,
      ],
    ),
  ];
}

/** The calls of a subagent's message belong to the same subagent. */
function ownerMetadata({ metadata }: MessageInput): JsonObject {
  const owner = metadata?.[SUBAGENT_ID];
  return owner === undefined ? {} : { [SUBAGENT_ID]: owner };
}

/** The provider's encrypted value, which is sent back to the provider unchanged. */
function encrypted(fields: FieldReader): JsonObject | null {
  const value = fields.string('encryptedValue');
  return value === undefined ? null : { encrypted_value: value };
}

import { fingerprint } from '../../common/index.js';
import { type ContentInput, dataMessage, type Message, type MessageInput, messageOf } from '../../events/index.js';
import { type FieldReader, fieldError, fieldReaderAt, kindOf } from '../http/bodies/field-reader.js';
import { OpenAiError, unsupported } from '../openai/index.js';
import { mediaPart } from './media.decoder.js';

/** The most parts of one message, and calls of one message. */
const MAX_PARTS = 1000;
const MAX_CALLS = 128;

const NAME_LENGTH = { min: 0, max: 256 };

/** The key of a message's metadata with the name that the client gives to who speaks. */
export const SPEAKER = 'chat_name';
/** The key of a message's metadata that the client has not sent. */
export const ADDED = 'chat_added';
/** The result of a call that the client leaves out. */
export const NOT_ANSWERED = 'The call was not answered.';

/** A call in a request. */
export interface DecodedCall {
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

/** A message of a request. */
export interface DecodedMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  /** What it becomes: a text with its calls are several messages. */
  readonly messages: readonly Message[];
  /** The calls that an assistant message makes. */
  readonly calls: readonly DecodedCall[];
  /** The call that a tool message answers, and the answer. */
  readonly result?: { readonly callId: string; readonly text: string };
  /** What makes it equal to another message, whatever form the client gives it. */
  readonly identity: unknown;
}

/**
 * Decodes the messages of a request (contract chat-completions, section A3). Ids follow from position and content, so
 * that equal requests have equal messages.
 *
 * @param maxBytes of one image, sound, video or file
 * @throws AppError naming the path of the first invalid field
 */
export function decodeMessages(items: readonly unknown[], maxBytes: number): readonly DecodedMessage[] {
  const open = new Set<string>();
  const answered = new Set<string>();
  const decoded = items.map((item, index) => {
    const message = decodeMessage(fieldReaderAt(item, `messages[${index}]`), index, maxBytes);
    for (const { id } of message.calls) open.add(id);
    const { result } = message;
    if (result) {
      const path = `messages[${index}].tool_call_id`;
      if (answered.has(result.callId)) throw fieldError(path, 'names a call that has a result', 'INVALID_PARAMETER');
      if (!open.has(result.callId)) {
        const reason = `${path} names ${result.callId}, which no message before it calls`;
        throw new OpenAiError('INVALID_PARAMETER', reason, path, { wireCode: 'tool_call_not_found' });
      }
      answered.add(result.callId);
    }
    return message;
  });
  return withResults(decoded, answered);
}

function decodeMessage(fields: FieldReader, index: number, maxBytes: number): DecodedMessage {
  const role = fields.string('role');
  switch (role) {
    case 'system':
    case 'developer':
      return plain('system', fields, textParts(fields), index);
    case 'user':
      return plain('user', fields, userParts(fields, maxBytes), index);
    case 'assistant':
      return assistant(fields, index);
    case 'tool':
      return toolResult(fields, index);
    case 'function':
      throw unsupported(fields.at('role'), 'function is not supported: use tools, and messages of the role tool');
    case undefined:
      throw fieldError(fields.at('role'), 'is required', 'MISSING_PARAMETER');
    default:
      throw fieldError(fields.at('role'), 'must be system, developer, user, assistant or tool', 'INVALID_PARAMETER');
  }
}

function plain(
  role: 'system' | 'user',
  fields: FieldReader,
  contents: readonly ContentInput[],
  index: number,
): DecodedMessage {
  const identity = [role, contents];
  const message = messageOf({ id: idOf(index, identity), role, ...nameOf(fields) }, contents);
  return { role, messages: [message], calls: [], identity };
}

/** Who speaks, in the words of the client: kept with the message. */
function nameOf(fields: FieldReader): Pick<MessageInput, 'metadata'> {
  const name = fields.string('name', NAME_LENGTH);
  return name === undefined ? {} : { metadata: { [SPEAKER]: name } };
}

/** What an answer leaves open that something else follows: it gets a result, so that the model need not guess. */
function withResults(decoded: readonly DecodedMessage[], answered: ReadonlySet<string>): readonly DecodedMessage[] {
  return decoded.map((one, at) => {
    const open = at === decoded.length - 1 ? [] : one.calls.filter(({ id }) => !answered.has(id));
    if (open.length === 0) return one;
    const results = open.map(({ id }, place) => {
      const result = resultMessage(`${idOf(at, one.identity)}_open_${place}`, id, NOT_ANSWERED);
      return { ...result, metadata: { [ADDED]: true } };
    });
    return { ...one, messages: [...one.messages, ...results] };
  });
}

/** The result of a call of the client. */
export function resultMessage(id: string, callId: string, text: string): Message {
  const data = { call_id: callId, output: text };
  return dataMessage({ id, role: 'tool', type: 'function_call_output', data });
}

function assistant(fields: FieldReader, index: number): DecodedMessage {
  const contents = assistantParts(fields);
  const calls = (fields.list('tool_calls', MAX_CALLS) ?? []).map((call, at) =>
    decodeCall(fieldReaderAt(call, `${fields.at('tool_calls')}[${at}]`)),
  );
  const identity = ['assistant', contents, calls];
  const id = idOf(index, identity);
  const name = nameOf(fields);
  const text =
    contents.length > 0 || calls.length === 0 ? [messageOf({ id, role: 'assistant', ...name }, contents)] : [];
  const made = calls.map((call, at) => {
    const data = { call_id: call.id, name: call.name, arguments: call.arguments };
    return dataMessage({ id: `${id}_${at}`, role: 'assistant', type: 'function_call', data });
  });
  return { role: 'assistant', messages: [...text, ...made], calls, identity };
}

function decodeCall(fields: FieldReader): DecodedCall {
  const id = fields.filled('id');
  const inner = fields.requiredFields('function');
  return { id, name: inner.filled('name'), arguments: inner.string('arguments') ?? '{}' };
}

function toolResult(fields: FieldReader, index: number): DecodedMessage {
  const callId = fields.filled('tool_call_id');
  const text = textParts(fields)
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('');
  const identity = ['tool', callId, text];
  const message = resultMessage(idOf(index, identity), callId, text);
  return { role: 'tool', messages: [message], calls: [], result: { callId, text }, identity };
}

/** A text, or a list of nothing but texts. */
function textParts(fields: FieldReader): readonly ContentInput[] {
  return partsOf(fields, (part) => {
    const type = part.string('type') ?? 'text';
    if (type === 'text') return { type: 'text', text: part.required('text') };
    throw fieldError(part.at('type'), 'must be text', 'INVALID_PARAMETER');
  });
}

function userParts(fields: FieldReader, maxBytes: number): readonly ContentInput[] {
  const parts = partsOf(fields, (part) => userPart(part, maxBytes));
  if (parts.some((part) => part.type !== 'text' || part.text !== '')) return parts;
  throw fieldError(fields.at('content'), 'must not be empty', 'INVALID_PARAMETER');
}

/** Absent or null: none. Other parts than texts and refusals are the server's own, and are not read. */
function assistantParts(fields: FieldReader): readonly ContentInput[] {
  const refusal = fields.string('refusal');
  const refused: readonly ContentInput[] = refusal === undefined ? [] : [{ type: 'refusal', refusal }];
  const value = fields.source['content'];
  if (value === undefined || value === null || value === '') return refused;
  const parts = partsOf(fields, (part): ContentInput => {
    const type = part.string('type');
    if (type === 'text') return { type: 'text', text: part.required('text') };
    if (type === 'refusal') return { type: 'refusal', refusal: part.required('refusal') };
    throw fieldError(part.at('type'), 'must be text or refusal', 'INVALID_PARAMETER');
  });
  return [...parts, ...refused];
}

function partsOf(fields: FieldReader, decode: (part: FieldReader) => ContentInput): readonly ContentInput[] {
  const value = fields.source['content'];
  const path = fields.at('content');
  if (value === undefined || value === null) throw fieldError(path, 'is required', 'MISSING_PARAMETER');
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  if (!Array.isArray(value)) throw fieldError(path, `must be a string or a list of parts, not ${kindOf(value)}`);
  const parts = fields.list('content', MAX_PARTS) ?? [];
  return parts.map((part, index) => decode(fieldReaderAt(part, `${path}[${index}]`)));
}

function userPart(part: FieldReader, maxBytes: number): ContentInput {
  const type = part.required('type');
  if (type === 'text') return { type, text: part.required('text') };
  const media = mediaPart(type, part, maxBytes);
  if (media) return media;
  const rule = 'must be one of text, image_url, input_audio, file, video_url';
  throw fieldError(part.at('type'), rule, 'INVALID_PARAMETER');
}

function idOf(index: number, identity: unknown): string {
  return `msg_${fingerprint([index, identity]).slice(0, 32)}`;
}

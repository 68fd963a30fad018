import { fingerprint, isPlainObject } from '../../common/index.js';
import { type ContentInput, dataMessage, type Message, messageOf } from '../../events/index.js';
import { type FieldReader, fieldError, fieldReaderAt, kindOf } from '../http/field-reader.js';
import { OpenAiError } from '../openai/index.js';
import { unsupported } from './chat-completions.errors.js';

/** The most parts of one message, and calls of one message. */
const MAX_PARTS = 1000;
const MAX_CALLS = 128;

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
 * @throws AppError naming the path of the first invalid field
 */
export function decodeMessages(items: readonly unknown[]): readonly DecodedMessage[] {
  const open = new Set<string>();
  const answered = new Set<string>();
  return items.map((item, index) => {
    const decoded = decodeMessage(fieldReaderAt(item, `messages[${index}]`), index);
    for (const { id } of decoded.calls) open.add(id);
    const { result } = decoded;
    if (result) {
      const path = `messages[${index}].tool_call_id`;
      if (answered.has(result.callId)) throw fieldError(path, 'names a call that has a result', 'INVALID_PARAMETER');
      if (!open.has(result.callId)) {
        const message = `${path} names ${result.callId}, which no message before it calls`;
        throw new OpenAiError('INVALID_PARAMETER', message, path, { wireCode: 'tool_call_not_found' });
      }
      answered.add(result.callId);
    }
    return decoded;
  });
}

function decodeMessage(fields: FieldReader, index: number): DecodedMessage {
  const role = fields.string('role');
  switch (role) {
    case 'system':
    case 'developer':
      return plain('system', textParts(fields), index);
    case 'user':
      return plain('user', userParts(fields), index);
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

function plain(role: 'system' | 'user', contents: readonly ContentInput[], index: number): DecodedMessage {
  const identity = [role, contents];
  return { role, messages: [messageOf({ id: idOf(index, identity), role }, contents)], calls: [], identity };
}

function assistant(fields: FieldReader, index: number): DecodedMessage {
  if (fields.source['function_call'] !== undefined && fields.source['function_call'] !== null) {
    throw unsupported(fields.at('function_call'), 'is not supported: use tool_calls');
  }
  const contents = assistantParts(fields);
  const calls = (fields.list('tool_calls', MAX_CALLS) ?? []).map((call, at) =>
    decodeCall(fieldReaderAt(call, `${fields.at('tool_calls')}[${at}]`)),
  );
  const identity = ['assistant', contents, calls];
  const id = idOf(index, identity);
  const text = contents.length > 0 || calls.length === 0 ? [messageOf({ id, role: 'assistant' }, contents)] : [];
  const made = calls.map((call, at) => {
    const data = { call_id: call.id, name: call.name, arguments: call.arguments };
    return dataMessage({ id: `${id}_${at}`, role: 'assistant', type: 'function_call', data });
  });
  return { role: 'assistant', messages: [...text, ...made], calls, identity };
}

function decodeCall(fields: FieldReader): DecodedCall {
  const id = required(fields, 'id');
  const given = fields.object('function');
  if (!given) throw fieldError(fields.at('function'), 'is required', 'MISSING_PARAMETER');
  const inner = fieldReaderAt(given, fields.at('function'));
  return { id, name: required(inner, 'name'), arguments: inner.string('arguments') ?? '{}' };
}

function toolResult(fields: FieldReader, index: number): DecodedMessage {
  const callId = required(fields, 'tool_call_id');
  const text = textParts(fields)
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('');
  const identity = ['tool', callId, text];
  const data = { call_id: callId, output: text };
  const message = dataMessage({ id: idOf(index, identity), role: 'tool', type: 'function_call_output', data });
  return { role: 'tool', messages: [message], calls: [], result: { callId, text }, identity };
}

/** A text, or a list of nothing but texts. */
function textParts(fields: FieldReader): readonly ContentInput[] {
  return partsOf(fields, (part) => {
    const type = part.string('type') ?? 'text';
    if (type === 'text') return { type: 'text', text: stringOf(part, 'text') };
    throw fieldError(part.at('type'), 'must be text', 'INVALID_PARAMETER');
  });
}

function userParts(fields: FieldReader): readonly ContentInput[] {
  const parts = partsOf(fields, userPart);
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
    if (type === 'text') return { type: 'text', text: stringOf(part, 'text') };
    if (type === 'refusal') return { type: 'refusal', refusal: stringOf(part, 'refusal') };
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

function userPart(part: FieldReader): ContentInput {
  const type = part.string('type');
  switch (type) {
    case 'text':
      return { type: 'text', text: stringOf(part, 'text') };
    case 'image_url':
      return { type: 'image', image_url: urlOf(part, 'image_url') };
    case 'video_url':
      return { type: 'video', video_url: urlOf(part, 'video_url') };
    case 'input_audio':
      return audioOf(part);
    case 'file':
      return fileOf(part);
    case undefined:
      throw fieldError(part.at('type'), 'is required', 'MISSING_PARAMETER');
    default:
      throw fieldError(
        part.at('type'),
        'must be one of text, image_url, input_audio, file, video_url',
        'INVALID_PARAMETER',
      );
  }
}

/** `{url}`; some clients send the address itself. */
function urlOf(part: FieldReader, name: string): string {
  const given = part.source[name];
  const url = isPlainObject(given) ? required(fieldReaderAt(given, part.at(name)), 'url') : required(part, name);
  const path = isPlainObject(given) ? `${part.at(name)}.url` : part.at(name);
  if (!url.startsWith('data:')) return url;
  const [, data] = /^data:[\w.+-]+\/[\w.+-]+(?:;[\w=.+-]+)*;base64,([\s\S]*)$/.exec(url) ?? [];
  if (data !== undefined && isBase64(data)) return url;
  throw fieldError(path, 'must be a base64 data: URL with a media type', 'INVALID_PARAMETER');
}

function audioOf(part: FieldReader): ContentInput {
  const given = part.object('input_audio');
  if (!given) throw fieldError(part.at('input_audio'), 'is required', 'MISSING_PARAMETER');
  const inner = fieldReaderAt(given, part.at('input_audio'));
  const data = required(inner, 'data');
  if (!isBase64(data)) throw fieldError(inner.at('data'), 'must be base64', 'INVALID_PARAMETER');
  const format = inner.string('format') ?? 'wav';
  if (format !== 'wav' && format !== 'mp3') {
    throw fieldError(inner.at('format'), 'must be wav or mp3', 'INVALID_PARAMETER');
  }
  return { type: 'audio', data, format };
}

function fileOf(part: FieldReader): ContentInput {
  const given = part.object('file');
  if (!given) throw fieldError(part.at('file'), 'is required', 'MISSING_PARAMETER');
  const inner = fieldReaderAt(given, part.at('file'));
  const [id, data, filename] = [inner.string('file_id'), inner.string('file_data'), inner.string('filename')];
  if (id === undefined && data === undefined) {
    throw fieldError(inner.at('file_data'), 'is required, or file_id', 'MISSING_PARAMETER');
  }
  if (data !== undefined && !isBase64(data.replace(/^data:[^,]*,/, ''))) {
    throw fieldError(inner.at('file_data'), 'must be base64', 'INVALID_PARAMETER');
  }
  return { type: 'file', file_url: null, file_id: id ?? null, filename: filename ?? null, file_data: data ?? null };
}

function isBase64(text: string): boolean {
  return text !== '' && /^[A-Za-z0-9+/_-]*={0,2}$/.test(text);
}

function idOf(index: number, identity: unknown): string {
  return `msg_${fingerprint([index, identity]).slice(0, 32)}`;
}

/** A string that must not be empty. @throws AppError MISSING_PARAMETER */
function required(fields: FieldReader, name: string): string {
  const value = fields.string(name);
  if (value === undefined || value === '') throw fieldError(fields.at(name), 'is required', 'MISSING_PARAMETER');
  return value;
}

/** A string that may be empty. @throws AppError MISSING_PARAMETER */
function stringOf(fields: FieldReader, name: string): string {
  const value = fields.string(name);
  if (value === undefined) throw fieldError(fields.at(name), 'is required', 'MISSING_PARAMETER');
  return value;
}

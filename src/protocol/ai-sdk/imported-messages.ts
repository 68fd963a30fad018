import { AppError, type Json, type JsonObject } from '../../common/index.js';
import { type ContentInput, dataMessage, type Message, messageOf } from '../../events/index.js';
import { isPlainObject } from '../../common/index.js';
import { FieldReader } from '../http/bodies/field-reader.js';
import { TEXT_OUTPUT, UI_METADATA } from './ai-sdk-data.js';
import { looksLikeJson } from './client-json.js';
import { decodeFile, decodeUserMessage, fileFacts, ID_LENGTH } from './user-message.decoder.js';

/** What an imported message keeps: that it is the client's word, and of which message of the client it is. */
export interface ImportedMark {
  readonly imported: true;
  /** The id of the client's message. */
  readonly of: string;
  /** Of a call: the type of the client's part. */
  readonly type?: string;
  /** As `fileFacts`, by the indexes of contents. */
  readonly files?: JsonObject;
}

/** Imported messages. */
export interface ImportedMessages {
  readonly messages: readonly Message[];
  /** The paths of the addresses of files of users, by message and index of the content. */
  readonly addresses: ReadonlyMap<string, ReadonlyMap<number, string>>;
}

/**
 * The earlier messages of a chat that the server does not know yet as history (contract ui-message-stream, section A3):
 * texts, files, and finished calls with their outputs. Nothing is executed, and nothing is open. What is not understood
 * is left out, because it was the business of another server.
 *
 * @param maxBytes of one file
 * @param taken ids that the messages must not have
 */
export function importedMessages(
  items: readonly unknown[],
  maxBytes: number,
  taken: readonly string[],
): ImportedMessages {
  const ids = new Set(taken);
  const addresses = new Map<string, ReadonlyMap<number, string>>();
  const messages = items.flatMap((item, index) => {
    if (!isPlainObject(item)) return [];
    const fields = new FieldReader(item, `messages[${index}]`);
    const id = attempt(() => fields.string('id', ID_LENGTH));
    if (id === undefined || ids.has(id)) return [];
    ids.add(id);
    return attempt(() => decoded(fields, id, maxBytes, addresses)) ?? [];
  });
  return { messages, addresses };
}

function decoded(
  fields: FieldReader,
  id: string,
  maxBytes: number,
  addresses: Map<string, ReadonlyMap<number, string>>,
): readonly Message[] {
  const role = fields.string('role');
  if (role === 'user') {
    const user = decodeUserMessage(fields, id, maxBytes);
    addresses.set(id, user.addresses);
    return [marked(user.message, { imported: true, of: id })];
  }
  if (role !== 'assistant' && role !== 'system') return [];
  const messages: Message[] = [];
  let contents: ContentInput[] = [];
  let files: JsonObject = {};
  const nextId = (): string => (messages.length === 0 ? id : `${id.slice(0, 240)}:${messages.length}`);
  const flush = (): void => {
    if (contents.length > 0) {
      const mark = { imported: true, of: id, ...(Object.keys(files).length > 0 && { files }) } as const;
      messages.push(marked(messageOf({ id: nextId(), role }, contents), mark));
    }
    [contents, files] = [[], {}];
  };
  for (const part of partsOf(fields)) {
    const type = attempt(() => part.string('type')) ?? '';
    const text = type === 'text' ? attempt(() => part.string('text')) : undefined;
    if (text !== undefined && text !== '') contents.push({ type: 'text', text });
    const file = type === 'file' ? attempt(() => decodeFile(part, maxBytes)) : undefined;
    if (file) {
      files[contents.length] = fileFacts(part);
      contents.push(file);
    }
    if (role === 'system' || !(type.startsWith('tool-') || type === 'dynamic-tool')) continue;
    const call = finishedCall(part, type);
    if (!call) continue;
    flush();
    const mark = { imported: true, of: id, type } as const;
    const { callId: call_id, name, input, output, isText, isError } = call;
    const data = { call_id, name, arguments: JSON.stringify(input) };
    messages.push(marked(dataMessage({ id: nextId(), role: 'assistant', type: 'function_call', data }), mark));
    const result = { call_id, name, output };
    const message = dataMessage({
      id: nextId(),
      role: 'tool',
      type: 'function_call_output',
      data: result,
      ...(isError && { metadata: { is_error: true } }),
    });
    messages.push(marked(message, { ...mark, ...(isText && TEXT_OUTPUT) }));
  }
  flush();
  return messages;
}

/** The parts of a message that are objects; of old clients its `content`. */
function partsOf(fields: FieldReader): readonly FieldReader[] {
  const { parts, content } = fields.source;
  if (!Array.isArray(parts)) {
    return typeof content === 'string' ? [new FieldReader({ type: 'text', text: content }, fields.at('content'))] : [];
  }
  return parts.flatMap((part: unknown, at) =>
    isPlainObject(part) ? [new FieldReader(part, `${fields.at('parts')}[${at}]`)] : [],
  );
}

function finishedCall(
  { source }: FieldReader,
  type: string,
): { callId: string; name: string; input: Json; output: string; isText: boolean; isError: boolean } | undefined {
  const { state, toolCallId: callId, toolName, input, output, errorText } = source as Record<string, Json | undefined>;
  const name = type === 'dynamic-tool' ? toolName : type.slice('tool-'.length);
  const isError = state === 'output-error';
  if (state !== 'output-available' && !isError) return undefined;
  if (typeof callId !== 'string' || callId === '' || typeof name !== 'string' || name === '') return undefined;
  const given = isError ? (errorText ?? '') : (output ?? null);
  return {
    callId,
    name,
    input: input ?? {},
    output: typeof given === 'string' ? given : JSON.stringify(given),
    isText: typeof given === 'string' && looksLikeJson(given),
    isError,
  };
}

function marked(message: Message, mark: ImportedMark): Message {
  const before = message.metadata?.[UI_METADATA];
  const own = { ...(isPlainObject(before) && before), ...mark } as JsonObject;
  return { ...message, metadata: { ...message.metadata, [UI_METADATA]: own } };
}

/** Undefined for what cannot be decoded. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

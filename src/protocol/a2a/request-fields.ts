import { isPlainObject, isStorable, type JsonObject } from '../../common/index.js';
import { FieldReader, fieldError, fieldReaderAt, kindOf } from '../http/bodies/field-reader.js';
import type { A2aMessage, Part, PushConfigInput } from './a2a.types.js';

/** Characters of ids, which are stored. */
const ID_LENGTH = { min: 1, max: 256 };
/** Parts of a message (contract a2a, section 14). */
const MAX_PARTS = 100;
/** Bytes of metadata, as JSON. */
const METADATA_BYTES = 16 * 1024;
const MAX_REFERENCES = 20;
const MAX_TEXTS = 100;
const LONGEST_ADDRESS = 2048;
const LONGEST_SECRET = 4096;

/**
 * The fields of a message in ProtoJSON: names in camel case, or as the proto spells them. The names of its own members
 * alone: what is in `metadata` or `data` stays as it is.
 */
export function protoFields(value: unknown, path: string): FieldReader {
  const { source } = fieldReaderAt(value, path);
  const names = Object.keys(source);
  if (!names.some((name) => name.includes('_'))) return new FieldReader(source, path);
  const fields: Record<string, unknown> = { ...source };
  for (const name of names) {
    const camel = name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    if (!Object.hasOwn(fields, camel)) fields[camel] = source[name];
  }
  return new FieldReader(fields, path);
}

/** An id of a client. @throws AppError for one that is empty, too long, or has control characters */
export function idField(fields: FieldReader, name: string): string | undefined {
  const id = fields.string(name, ID_LENGTH);
  if (id === undefined) return undefined;
  if (!isStorable(id) || /\p{Cc}/u.test(id))
    throw fieldError(fields.at(name), 'must not have control characters', 'INVALID_PARAMETER');
  return id;
}

/** As `idField`. @throws AppError if it is absent */
export function requiredId(fields: FieldReader, name: string): string {
  const id = idField(fields, name);
  if (id === undefined) throw fieldError(fields.at(name), 'is required', 'MISSING_PARAMETER');
  return id;
}

/** The parts of a message: at least one, and not only empty texts. */
export function partFields(fields: FieldReader): readonly unknown[] {
  const parts = fields.list('parts', MAX_PARTS);
  if (!parts || parts.length === 0)
    throw fieldError(fields.at('parts'), 'must have at least one part', 'MISSING_PARAMETER');
  return parts;
}

/** Metadata of a client, 16 KiB at most. */
export function metadataField(fields: FieldReader): JsonObject | undefined {
  const metadata = fields.object('metadata') as JsonObject | undefined;
  if (metadata && Buffer.byteLength(JSON.stringify(metadata)) > METADATA_BYTES) {
    throw fieldError(fields.at('metadata'), `must not exceed ${METADATA_BYTES} bytes`, 'INVALID_PARAMETER');
  }
  return metadata;
}

/** A list of texts, such as media types. */
export function textsField(fields: FieldReader, name: string): readonly string[] | undefined {
  return fields.list(name, MAX_TEXTS)?.map((item, index) => {
    if (typeof item === 'string' && item.length <= LONGEST_ADDRESS) return item;
    throw fieldError(`${fields.at(name)}[${index}]`, `must be a string, not ${kindOf(item)}`);
  });
}

/** Ids of other tasks, which are kept with the message. */
export function referencesField(fields: FieldReader): readonly string[] | undefined {
  const ids = textsField(fields, 'referenceTaskIds');
  if (ids && ids.length > MAX_REFERENCES) {
    throw fieldError(fields.at('referenceTaskIds'), `must have at most ${MAX_REFERENCES} items`, 'INVALID_PARAMETER');
  }
  return ids;
}

/** How many messages of the history are asked for: a whole number from 0. */
export function historyLengthField(fields: FieldReader): number | undefined {
  return fields.integer('historyLength', { min: 0, max: Number.MAX_SAFE_INTEGER });
}

/** Base64 in the standard or the URL-safe alphabet, as the standard one. @throws AppError for anything else */
export function base64Field(fields: FieldReader, name: string): string | undefined {
  const text = fields.string(name);
  if (text === undefined) return undefined;
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) throw fieldError(fields.at(name), 'must be base64', 'INVALID_PARAMETER');
  return text.replaceAll('-', '+').replaceAll('_', '/');
}

/** An http or https address, which is kept and never fetched. */
export function addressField(fields: FieldReader, name: string): string | undefined {
  const url = fields.string(name);
  if (url === undefined) return undefined;
  if (/^https?:\/\/[^\s]+$/i.test(url)) return url;
  throw fieldError(fields.at(name), 'must be an http or https address', 'INVALID_PARAMETER');
}

/** The fields of a push configuration that both versions have. @param auth the authentication, read by the version */
export function pushFields(fields: FieldReader, auth: PushConfigInput['authentication']): PushConfigInput {
  const id = idField(fields, 'id');
  const url = fields.filled('url');
  if (url.length > LONGEST_ADDRESS)
    throw fieldError(fields.at('url'), `must have at most ${LONGEST_ADDRESS} characters`, 'INVALID_PARAMETER');
  const token = secretField(fields, 'token');
  return {
    ...(id !== undefined && { id }),
    url,
    ...(token !== undefined && { token }),
    ...(auth && { authentication: auth }),
  };
}

/** A text that goes into a header of a callback. */
export function secretField(fields: FieldReader, name: string): string | undefined {
  const text = fields.string(name);
  if (text === undefined || text === '') return undefined;
  if (/^[\x20-\x7e]*$/.test(text) && text.length <= LONGEST_SECRET) return text;
  throw fieldError(
    fields.at(name),
    `must be at most ${LONGEST_SECRET} printable ASCII characters`,
    'INVALID_PARAMETER',
  );
}

/**
 * The message of a user with the given parts, from the fields that both versions name alike.
 *
 * @throws AppError for one that is wrong
 */
export function userMessage(fields: FieldReader, parts: readonly Part[]): A2aMessage {
  requireContent(fields.at('parts'), parts);
  const [contextId, taskId] = [idField(fields, 'contextId'), idField(fields, 'taskId')];
  const metadata = metadataField(fields);
  const [extensions, referenceTaskIds] = [textsField(fields, 'extensions'), referencesField(fields)];
  return {
    messageId: requiredId(fields, 'messageId'),
    role: 'user',
    parts,
    ...(contextId !== undefined && { contextId }),
    ...(taskId !== undefined && { taskId }),
    ...(metadata && { metadata }),
    ...(extensions && { extensions }),
    ...(referenceTaskIds && { referenceTaskIds }),
  };
}

/** Refuses parts that are all empty texts. */
function requireContent(path: string, parts: readonly object[]): void {
  if (parts.some((part) => !('text' in part) || part.text !== '')) return;
  throw fieldError(path, 'must not be only empty texts', 'INVALID_PARAMETER');
}

/** The parameters of a method: absent ones are none. */
export function paramsOf(params: unknown): Readonly<Record<string, unknown>> {
  if (params === undefined || params === null) return {};
  if (isPlainObject(params)) return params;
  throw fieldError('params', `must be an object, not ${kindOf(params)}`);
}

import { AppError, type JsonObject } from '../../common/index.js';
import { type ContentInput, type Message, messageOf } from '../../events/index.js';
import { type FieldReader, fieldError, fieldReaderAt } from '../http/bodies/field-reader.js';
import { UI_METADATA } from './ai-sdk-data.js';
import type { UiPart } from './chunk.types.js';

/** Parts of one message, at most. */
export const MAX_PARTS = 1000;
/** Characters of ids. They are stored. */
export const ID_LENGTH = { min: 1, max: 256 };
const DATA_URL = /^data:[\w.+-]+\/[\w.+-]+(?:;[\w=.+-]+)*;base64,([A-Za-z0-9+/_-]+={0,2})$/;
const ATTACHMENT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A message of the user in the server's vocabulary. */
export interface UserMessage {
  readonly message: Message;
  /** The contents that name an upload by its id, which only its owner may use, and the paths of their addresses. */
  readonly uploads: ReadonlyMap<number, string>;
  /** The paths of the addresses of files, by the indexes of their contents. */
  readonly addresses: ReadonlyMap<number, string>;
}

/**
 * Decodes a message of the user (contract ui-message-stream, section A2): its text and files. `data-*` parts are kept
 * with the message and not shown to the model.
 *
 * @param maxBytes of one file
 * @throws AppError naming the path of the first invalid field
 */
export function decodeUserMessage(fields: FieldReader, id: string, maxBytes: number): UserMessage {
  const contents: ContentInput[] = [];
  const uploads = new Map<number, string>();
  const addresses = new Map<number, string>();
  const files: JsonObject = {};
  const kept: (UiPart & { readonly at: number })[] = [];
  for (const [index, part] of partsOf(fields).entries()) {
    const type = part.string('type') ?? '';
    if (type === 'text') {
      const text = part.required('text');
      if (text !== '') contents.push({ type: 'text', text });
      else kept.push({ type, text, at: index });
    } else if (type === 'file') {
      const content = decodeFile(part, maxBytes);
      if (content.type === 'file' && content.file_id) uploads.set(contents.length, part.at('url'));
      addresses.set(contents.length, part.at('url'));
      files[contents.length] = fileFacts(part);
      contents.push(content);
    } else if (type.startsWith('data-')) {
      kept.push({ ...(part.source as JsonObject), type, at: index });
    }
  }
  if (contents.length === 0) {
    throw fieldError(fields.at('parts'), 'must have a text or a file', 'INVALID_PARAMETER');
  }
  const own: JsonObject = {};
  const metadata = fields.source['metadata'];
  if (metadata !== undefined && metadata !== null) own['metadata'] = metadata as JsonObject;
  if (kept.length > 0) own['parts'] = kept;
  if (addresses.size > 0) own['files'] = files;
  const hasOwn = Object.keys(own).length > 0;
  return {
    message: messageOf({ id, role: 'user', ...(hasOwn && { metadata: { [UI_METADATA]: own } }) }, contents),
    uploads,
    addresses,
  };
}

/** What a page says of a file, which the file itself does not tell in every case. */
export function fileFacts({ source }: FieldReader): JsonObject {
  const { mediaType, filename } = source;
  return {
    ...(typeof mediaType === 'string' && { mediaType }),
    ...(typeof filename === 'string' && { filename }),
  };
}

/** The parts of a message; of old clients its `content`. */
export function partsOf(fields: FieldReader): readonly FieldReader[] {
  const parts = fields.list('parts', MAX_PARTS);
  if (parts) return parts.map((part, index) => fieldReaderAt(part, `${fields.at('parts')}[${index}]`));
  const text = fields.string('content');
  return text === undefined ? [] : [fieldReaderAt({ type: 'text', text }, fields.at('content'))];
}

/** A file by its media type. Addresses are kept, never fetched. */
export function decodeFile(part: FieldReader, maxBytes: number): ContentInput {
  const url = part.filled('url');
  const mediaType = part.filled('mediaType').toLowerCase();
  const filename = part.string('filename') ?? null;
  if (ATTACHMENT_ID.test(url)) return { type: 'file', file_id: url, filename, file_url: null, file_data: null };
  const base64 = DATA_URL.exec(url)?.[1];
  if (base64 === undefined && !/^https?:\/\/[^\s]+$/i.test(url)) {
    const rule = 'must be an http or https address, a base64 data: URL with a media type, or the id of an upload';
    throw fieldError(part.at('url'), rule, 'INVALID_PARAMETER');
  }
  if (base64 !== undefined && (base64.length * 3) / 4 - 2 > maxBytes) {
    const message = `${part.at('url')} exceeds the size limit of ${maxBytes} bytes`;
    throw new AppError('ATTACHMENT_TOO_LARGE', message, { details: [{ path: part.at('url'), message }] });
  }
  if (mediaType.startsWith('image/')) return { type: 'image', image_url: url };
  if (mediaType.startsWith('video/')) return { type: 'video', video_url: url };
  if (mediaType.startsWith('audio/') && base64 !== undefined) {
    return { type: 'audio', data: base64, format: mediaType.slice('audio/'.length) };
  }
  if (base64 !== undefined) return { type: 'file', file_data: url, filename, file_url: null, file_id: null };
  return { type: 'file', file_url: url, filename, file_id: null, file_data: null };
}

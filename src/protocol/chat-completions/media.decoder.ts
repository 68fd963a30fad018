import { imageInfo } from '../../agent/attachment/index.js';
import { AppError, isPlainObject } from '../../common/index.js';
import type { ContentInput } from '../../events/index.js';
import { type FieldReader, fieldError, fieldReaderAt } from '../http/bodies/field-reader.js';

/** How many bytes of an image are enough to know its type. */
const MAGIC_BYTES = 256;
const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w=.+-]+)*;base64,([\s\S]*)$/;

/**
 * A part of a user's message that is no text; undefined for another type. `file_id` is kept as it is: only the owner of
 * the run decides what it names.
 *
 * @param maxBytes of one image, sound, video or file
 * @throws AppError naming the path of the first invalid field
 */
export function mediaPart(type: string, part: FieldReader, maxBytes: number): ContentInput | undefined {
  switch (type) {
    case 'image_url':
      return { type: 'image', image_url: addressOf(part, type, 'image', maxBytes) };
    case 'video_url':
      return { type: 'video', video_url: addressOf(part, type, 'video', maxBytes) };
    case 'input_audio':
      return audioOf(part, maxBytes);
    case 'file':
      return fileOf(part, maxBytes);
    default:
      return undefined;
  }
}

/** `{url}`; some clients send the address itself. */
function addressOf(part: FieldReader, name: string, kind: 'image' | 'video', maxBytes: number): string {
  const given = part.source[name];
  const isObject = isPlainObject(given);
  const url = isObject ? fieldReaderAt(given, part.at(name)).filled('url') : part.filled(name);
  const path = isObject ? `${part.at(name)}.url` : part.at(name);
  if (/^https?:\/\//i.test(url)) return url;
  const [, type = '', data = ''] = DATA_URL.exec(url) ?? [];
  if (!url.startsWith('data:')) throw fieldError(path, 'must be an http, https or data: URL', 'INVALID_PARAMETER');
  if (!isBase64(data)) throw fieldError(path, 'must be a base64 data: URL with a media type', 'INVALID_PARAMETER');
  if (!type.toLowerCase().startsWith(`${kind}/`)) {
    throw fieldError(path, `must have a media type of ${kind}/…, not ${type}`, 'INVALID_PARAMETER');
  }
  checkSize(path, data, maxBytes);
  if (kind === 'image') checkImage(path, type.toLowerCase(), data);
  return url;
}

/** Bytes that are certainly those of another kind of image are refused: no model server could read them. */
function checkImage(path: string, type: string, data: string): void {
  const info = imageInfo(Buffer.from(data.slice(0, MAGIC_BYTES), 'base64'));
  const said = type === 'image/jpg' ? 'image/jpeg' : type;
  if (info && info.mimeType !== said) {
    throw fieldError(path, `is ${info.mimeType}, but its address says ${type}`, 'INVALID_PARAMETER');
  }
}

function audioOf(part: FieldReader, maxBytes: number): ContentInput {
  const inner = part.requiredFields('input_audio');
  const data = inner.filled('data');
  if (!isBase64(data)) throw fieldError(inner.at('data'), 'must be base64', 'INVALID_PARAMETER');
  checkSize(inner.at('data'), data, maxBytes);
  const format = inner.string('format') ?? 'wav';
  if (format !== 'wav' && format !== 'mp3') {
    throw fieldError(inner.at('format'), 'must be wav or mp3', 'INVALID_PARAMETER');
  }
  return { type: 'audio', data, format };
}

function fileOf(part: FieldReader, maxBytes: number): ContentInput {
  const inner = part.requiredFields('file');
  const [id, data, filename] = [inner.string('file_id'), inner.string('file_data'), inner.string('filename')];
  if (id === undefined && data === undefined) {
    throw fieldError(inner.at('file_data'), 'is required, or file_id', 'MISSING_PARAMETER');
  }
  if (data !== undefined) {
    const base64 = data.replace(/^data:[^,]*,/, '');
    if (!isBase64(base64)) throw fieldError(inner.at('file_data'), 'must be base64', 'INVALID_PARAMETER');
    checkSize(inner.at('file_data'), base64, maxBytes);
  }
  return { type: 'file', file_url: null, file_id: id ?? null, filename: filename ?? null, file_data: data ?? null };
}

/** @throws AppError ATTACHMENT_TOO_LARGE */
function checkSize(path: string, base64: string, maxBytes: number): void {
  if ((base64.length * 3) / 4 - 2 <= maxBytes) return;
  const message = `${path} exceeds the size limit of ${maxBytes} bytes`;
  throw new AppError('ATTACHMENT_TOO_LARGE', message, { details: [{ path, message }] });
}

function isBase64(text: string): boolean {
  return text !== '' && /^[A-Za-z0-9+/_-]*={0,2}$/.test(text);
}

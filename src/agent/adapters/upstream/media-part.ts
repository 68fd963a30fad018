import { AppError } from '../../../common/index.js';
import type { ModelPart } from '../../ports/model-client.js';

/** A `data:` URL taken apart; `base64` is the payload without its prefix. */
interface DataUrl {
  /** Lower case, without parameters; empty when the URL names none. */
  readonly mediaType: string;
  /** Padded or not; not decoded. */
  readonly base64: string;
}

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Takes a `data:` URL apart, or undefined when it is not one or its payload cannot be decoded. */
function parseDataUrl(url: string): DataUrl | undefined {
  if (!url.slice(0, 5).toLowerCase().startsWith('data:')) return undefined;
  const comma = url.indexOf(',');
  if (comma < 0) return undefined;
  const [mediaType = '', ...parameters] = url.slice(5, comma).split(';');
  const isBase64 = parameters.some((parameter) => parameter.trim().toLowerCase() === 'base64');
  const base64 = isBase64 ? normalBase64(url.slice(comma + 1)) : percentDecoded(url.slice(comma + 1));
  return base64 === undefined ? undefined : { mediaType: mediaType.trim().toLowerCase(), base64 };
}

/** Base64 without white space and in the standard alphabet, or undefined when the text is not base64. */
function normalBase64(text: string): string | undefined {
  const compact = /\s|%/.test(text) ? safeDecode(text)?.replace(/\s+/g, '') : text;
  if (compact === undefined || !BASE64.test(compact)) return undefined;
  return /[-_]/.test(compact) ? compact.replace(/-/g, '+').replace(/_/g, '/') : compact;
}

/** The percent-encoded text of a URL without `;base64`, as base64. Undefined if it is malformed. */
function percentDecoded(text: string): string | undefined {
  const decoded = safeDecode(text);
  return decoded === undefined ? undefined : Buffer.from(decoded, 'utf8').toString('base64');
}

function safeDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** A part of a user's message, checked: text, a media file by its address, or its bytes. */
export type MediaPart =
  | { readonly kind: 'text'; readonly text: string }
  /** `mediaType` may be a range: `image/*`. */
  | { readonly kind: 'address'; readonly mediaType: string; readonly url: URL; readonly filename?: string }
  | { readonly kind: 'bytes'; readonly mediaType: string; readonly base64: string; readonly filename?: string };

type FilePart = Extract<ModelPart, { type: 'file' }>;

/** Used where the request gives no media type. */
const TYPE_OF_EXTENSION: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  xml: 'text/xml',
  json: 'application/json',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
};

/**
 * Checks a part and finds out its media type. Text files become text.
 *
 * @throws AppError INVALID_PARAMETER for data that is not base64, addresses that are not http(s), and
 *   media types that are unknown or do not fit the part
 */
export function toMediaPart(part: ModelPart): MediaPart {
  switch (part.type) {
    case 'text':
      return { kind: 'text', text: part.text };
    case 'image':
      return imagePart(part.url);
    case 'audio':
      return audioPart(part.data, part.format);
    case 'file':
      return filePart(part);
  }
}

/** The error for a part that cannot be sent to the model. */
export function unsupportedPart(message: string): AppError {
  return new AppError('INVALID_PARAMETER', message);
}

/** @throws AppError for an inline image of another media type */
function imagePart(url: string): MediaPart {
  const inline = parseDataUrl(url);
  if (!inline) return { kind: 'address', mediaType: 'image/*', url: webAddress(url, 'An image') };
  const mediaType = inline.mediaType || 'image/*';
  if (!mediaType.startsWith('image/')) throw unsupportedPart(`An image cannot have the media type ${mediaType}`);
  return { kind: 'bytes', mediaType, base64: inline.base64 };
}

/** @throws AppError for other formats than wav and mp3, and for invalid base64 */
function audioPart(data: string, format: string): MediaPart {
  const inline = parseDataUrl(data);
  const name = format.toLowerCase().replace(/^audio\/(x-)?/, '') || inline?.mediaType.replace(/^audio\/(x-)?/, '');
  const mediaType = name === 'wav' ? 'audio/wav' : name === 'mp3' || name === 'mpeg' ? 'audio/mpeg' : undefined;
  if (!mediaType) throw unsupportedPart('The model takes audio in the formats wav and mp3 only');
  return { kind: 'bytes', mediaType, base64: base64Of(inline?.base64 ?? data, 'The audio') };
}

/** The media type is that of the data URL, otherwise it follows from the file's name or content. */
function filePart(part: FilePart): MediaPart {
  const inline = parseDataUrl(part.data ?? part.url ?? '');
  const extension = /\.([a-z0-9]+)(?:[?#].*)?$/i.exec(part.filename ?? part.url ?? '')?.[1]?.toLowerCase() ?? '';
  const mediaType = inline?.mediaType || TYPE_OF_EXTENSION[extension] || magicType(part.data) || '';
  const content = inline?.base64 ?? part.data;
  if (content === null) return fileByAddress(part, mediaType);
  const base64 = base64Of(content, 'The file');
  if (mediaType.startsWith('text/') || mediaType === 'application/json') {
    return { kind: 'text', text: Buffer.from(base64, 'base64').toString('utf8') };
  }
  if (mediaType.startsWith('audio/')) return audioPart(base64, mediaType);
  if (mediaType !== 'application/pdf' && !mediaType.startsWith('image/')) {
    throw unsupportedPart('The model takes files that are PDF, text, image, WAV or MP3 only');
  }
  return { kind: 'bytes', mediaType, base64, ...(part.filename && { filename: part.filename }) };
}

/** The provider reads the file itself. @throws AppError without an http(s) address */
function fileByAddress(part: FilePart, mediaType: string): MediaPart {
  if (part.url === null) throw unsupportedPart('A file needs its data or an address');
  if (mediaType.startsWith('image/')) return imagePart(part.url);
  const url = webAddress(part.url, 'A file');
  return { kind: 'address', mediaType, url, ...(part.filename && { filename: part.filename }) };
}

/** PDF files begin with `%PDF-`, which this is in base64. */
function magicType(data: string | null): string | undefined {
  return data?.startsWith('JVBERi0') ? 'application/pdf' : undefined;
}

/** @throws AppError if the data is empty or not valid base64 */
function base64Of(data: string, what: string): string {
  const base64 = normalBase64(data);
  if (base64 === undefined || base64 === '') throw unsupportedPart(`${what} is not valid base64`);
  return base64;
}

/** @throws AppError for other schemes: the provider could not read them */
function webAddress(url: string, what: string): URL {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address && (address.protocol === 'http:' || address.protocol === 'https:')) return address;
  throw unsupportedPart(`${what} must be an http(s) address or a valid data: URL`);
}

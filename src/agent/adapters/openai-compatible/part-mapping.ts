import type { LanguageModelV3FilePart, LanguageModelV3TextPart } from '@ai-sdk/provider';
import { AppError } from '../../../common/index.js';
import type { ModelPart } from '../../ports/model-client.js';
import { normalBase64, parseDataUrl } from './data-url.js';

type SdkPart = LanguageModelV3TextPart | LanguageModelV3FilePart;
type FilePart = Extract<ModelPart, { type: 'file' }>;

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
 * A user's part as the SDK takes it. The chat format carries text, images (inline or by address),
 * WAV and MP3 audio, PDF files and text files.
 *
 * @throws AppError INVALID_PARAMETER for what the chat format cannot carry
 */
export function toSdkPart(part: ModelPart): SdkPart {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return imagePart(part.url);
    case 'audio':
      return audioPart(part.data, part.format);
    case 'file':
      return filePart(part);
  }
}

function imagePart(url: string): SdkPart {
  const inline = parseDataUrl(url);
  if (!inline) return { type: 'file', mediaType: 'image/*', data: webAddress(url, 'An image') };
  const mediaType = inline.mediaType || 'image/*';
  if (!mediaType.startsWith('image/')) throw unsupported(`An image cannot have the media type ${mediaType}`);
  return { type: 'file', mediaType, data: inline.base64 };
}

function audioPart(data: string, format: string): SdkPart {
  const inline = parseDataUrl(data);
  const name = format.toLowerCase().replace(/^audio\/(x-)?/, '') || inline?.mediaType.replace(/^audio\/(x-)?/, '');
  const mediaType = name === 'wav' ? 'audio/wav' : name === 'mp3' || name === 'mpeg' ? 'audio/mpeg' : undefined;
  if (!mediaType) throw unsupported('The model takes audio in the formats wav and mp3 only');
  return { type: 'file', mediaType, data: base64Of(inline?.base64 ?? data, 'The audio') };
}

function filePart(part: FilePart): SdkPart {
  const inline = parseDataUrl(part.data ?? part.url ?? '');
  const extension = /\.([a-z0-9]+)(?:[?#].*)?$/i.exec(part.filename ?? part.url ?? '')?.[1]?.toLowerCase() ?? '';
  const mediaType = inline?.mediaType || TYPE_OF_EXTENSION[extension] || magicType(part.data) || '';
  const content = inline?.base64 ?? part.data;
  if (content === null) return fileByAddress(part, mediaType);
  const base64 = base64Of(content, 'The file');
  if (mediaType.startsWith('text/') || mediaType === 'application/json') {
    return { type: 'text', text: Buffer.from(base64, 'base64').toString('utf8') };
  }
  if (mediaType.startsWith('audio/')) return audioPart(base64, mediaType);
  if (mediaType !== 'application/pdf' && !mediaType.startsWith('image/')) {
    throw unsupported('The model takes files that are PDF, text, image, WAV or MP3 only');
  }
  return { type: 'file', mediaType, data: base64, ...(part.filename ? { filename: part.filename } : {}) };
}

function fileByAddress(part: FilePart, mediaType: string): SdkPart {
  if (part.url === null) throw unsupported('A file needs its data or an address');
  if (mediaType.startsWith('image/')) return imagePart(part.url);
  throw unsupported('The model takes files inline only: send the data of the file instead of its address');
}

function magicType(data: string | null): string | undefined {
  return data?.startsWith('JVBERi0') ? 'application/pdf' : undefined;
}

function base64Of(data: string, what: string): string {
  const base64 = normalBase64(data);
  if (base64 === undefined || base64 === '') throw unsupported(`${what} is not valid base64`);
  return base64;
}

function webAddress(url: string, what: string): URL {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address && (address.protocol === 'http:' || address.protocol === 'https:')) return address;
  throw unsupported(`${what} must be an http(s) address or a valid data: URL`);
}

function unsupported(message: string): AppError {
  return new AppError('INVALID_PARAMETER', message);
}

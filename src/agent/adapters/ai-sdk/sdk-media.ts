import type { LanguageModelV3, LanguageModelV3FilePart, LanguageModelV3TextPart } from '@ai-sdk/provider';
import { AppError } from '../../../common/index.js';
import type { ModelPart } from '../../ports/model-client.js';
import type { WireRules } from '../chat-completions/profiles/wire-rules.js';
import { told, unread, withoutRefused } from '../chat-completions/request/user-content.js';
import { type MediaPart, toMediaPart } from '../upstream/media-part.js';
import type { ProviderRule } from './sdk-rules.js';

type SdkPart = LanguageModelV3TextPart | LanguageModelV3FilePart;

/** What decides in which form files and images reach a model. */
export interface MediaSetting {
  readonly rule: ProviderRule;
  readonly rules: WireRules;
  /** The addresses that the provider reads itself. */
  readonly urls: Awaited<LanguageModelV3['supportedUrls']>;
}

/** The beginnings of pictures in base64, for those whose media type is not given. */
const PICTURES: readonly (readonly [string, string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
];
const TYPE_OF_EXTENSION: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

/**
 * A part of a user's message as the package takes it. What the model cannot see or open becomes a sentence: a message
 * stays in its session, so that an error for it would be an error of all further turns.
 *
 * @param isNew true for a message that the user has just sent: what is wrong in it is an error
 * @throws AppError INVALID_PARAMETER for a new part that is not valid
 */
export function sdkPart(part: ModelPart, isNew: boolean, setting: MediaSetting): SdkPart {
  const media = checkedPart(part, isNew);
  if (media.kind === 'text') return { type: 'text', text: media.text };
  return media.kind === 'address' ? addressPart(media, setting) : bytesPart(media, setting);
}

function checkedPart(part: ModelPart, isNew: boolean): MediaPart {
  try {
    return toMediaPart(part);
  } catch (error) {
    if (isNew || !(error instanceof AppError)) throw error;
    return told(`The user sent ${part.type === 'image' ? 'an image' : 'a file'} that cannot be read.`);
  }
}

function addressPart(media: Extract<MediaPart, { kind: 'address' }>, { rule, rules, urls }: MediaSetting): SdkPart {
  const { url, filename } = media;
  const isImage = media.mediaType.startsWith('image/');
  const mediaType = isImage ? imageTypeOf(url) : media.mediaType;
  const isRead = takesUrl(url, mediaType, urls) || (isImage && rule.imageUrls?.test(url.href) === true);
  if (rules.images === 'all' && isRead) {
    return { type: 'file', mediaType, ...(filename !== undefined && { filename }), data: url };
  }
  const shown = isImage
    ? withoutRefused(media, rules.images === 'all' ? { ...rules, images: 'inline' } : rules)
    : told(`The user sent the address of a file, ${url.href}, which this model cannot open.`);
  return { type: 'text', text: textOf(shown) };
}

function bytesPart(media: Extract<MediaPart, { kind: 'bytes' }>, { rule, rules }: MediaSetting): SdkPart {
  const mediaType = media.mediaType === 'image/*' ? pictureType(media.base64) : media.mediaType;
  const typed = { ...media, mediaType };
  const isImage = mediaType.startsWith('image/');
  const shown = withoutRefused(typed, rules);
  if (shown.kind === 'text') return { type: 'text', text: shown.text };
  if (!isImage && rule.files?.test(mediaType) === false) return { type: 'text', text: textOf(told(unread(typed))) };
  const filename = fileName(media.filename, rule);
  return { type: 'file', mediaType, ...(filename !== undefined && { filename }), data: media.base64 };
}

function textOf(part: MediaPart): string {
  return part.kind === 'text' ? part.text : '';
}

/** Bedrock takes letters, digits, blanks, hyphens and brackets only. */
function fileName(name: string | undefined, { api }: ProviderRule): string | undefined {
  if (name === undefined || api !== 'bedrock') return name;
  const [, stem = name, extension = ''] = /^(.*?)(\.[a-z0-9]+)?$/i.exec(name) ?? [];
  const plain = stem
    .replace(/[^a-zA-Z0-9\s\-()[\]]+/g, '-')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 190);
  return /[a-zA-Z0-9]/.test(plain) ? plain + extension : undefined;
}

function pictureType(base64: string): string {
  return PICTURES.find(([begin]) => base64.startsWith(begin))?.[1] ?? 'image/jpeg';
}

function imageTypeOf({ pathname }: URL): string {
  return TYPE_OF_EXTENSION[/\.([a-z]+)$/i.exec(pathname)?.[1]?.toLowerCase() ?? ''] ?? 'image/*';
}

/** Of an image whose type is not known, the provider must read addresses of JPEG: the package says that it is one. */
function takesUrl({ href }: URL, mediaType: string, urls: MediaSetting['urls']): boolean {
  const [kind = ''] = mediaType.split('/');
  const types = mediaType === 'image/*' ? [mediaType, 'image/jpeg'] : [mediaType, `${kind}/*`];
  return Object.entries(urls).some(([type, patterns]) => {
    const fits = type === '*' || type === '*/*' || types.includes(type);
    return fits && patterns.some((pattern) => pattern.test(href));
  });
}

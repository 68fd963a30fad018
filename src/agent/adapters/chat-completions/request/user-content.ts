import type { ModelPart } from '../../../ports/model-client.js';
import { type MediaPart, toMediaPart, unsupportedPart } from '../../upstream/media-part.js';
import type { WireRules } from '../profiles/wire-rules.js';
import type { Body } from './body.js';

type Media = Exclude<MediaPart, { kind: 'text' }>;

/** In the place of a message without words, for servers that refuse blank texts. */
const NO_WORDS = '(The message is empty.)';

/**
 * The content of a user's message. A single text is a string: servers that know only text take nothing else.
 *
 * @throws AppError INVALID_PARAMETER for parts that the format cannot carry
 */
export function userContent(parts: readonly ModelPart[], rules: WireRules): string | Body[] {
  const [first] = parts;
  if (parts.length === 1 && first?.type === 'text') return filled(first.text, rules);
  const content = parts.map((part) => withoutRefused(toMediaPart(part), rules));
  const texts = content.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  const isText = texts.length === content.length && first !== undefined;
  if (first === undefined || (isText && (rules.joinTexts || rules.images === 'none'))) {
    return filled(texts.join('\n'), rules);
  }
  const shown = rules.blankTexts ? content : content.filter((part) => part.kind !== 'text' || part.text.trim() !== '');
  return shown.length === 0 ? NO_WORDS : shown.map(wirePart);
}

function filled(text: string, { blankTexts }: WireRules): string {
  return !blankTexts && text.trim() === '' ? NO_WORDS : text;
}

/** A part as it is, or a sentence in place of one that the model cannot see. */
export function withoutRefused(part: MediaPart, { images, imageTypes }: WireRules): MediaPart {
  if (part.kind === 'text') return part;
  const isImage = part.mediaType.startsWith('image/');
  if (images === 'none') {
    return told(isImage ? 'The user sent an image, which this model cannot see.' : unread(part));
  }
  if (!isImage) return part;
  if (part.kind === 'address') {
    return images === 'all'
      ? part
      : told(`The user sent the address of an image, ${part.url.toString()}, which this model cannot open.`);
  }
  const isTaken = imageTypes.length === 0 || part.mediaType === 'image/*' || imageTypes.includes(part.mediaType);
  return isTaken ? part : told(`The user sent an image of the type ${part.mediaType}, which this model cannot see.`);
}

/** A sentence about a file that is not sent. */
export function unread({ mediaType, filename = 'a file' }: Media): string {
  return `The user sent ${filename} (${mediaType}), which this model cannot read.`;
}

/** A sentence in the place of a part. */
export function told(sentence: string): MediaPart {
  return { kind: 'text', text: `[${sentence}]` };
}

/** @throws AppError for parts that this API cannot carry */
function wirePart(part: MediaPart): Body {
  if (part.kind === 'text') return { type: 'text', text: part.text };
  const { mediaType } = part;
  if (mediaType.startsWith('image/')) return { type: 'image_url', image_url: { url: imageUrl(part) } };
  if (part.kind === 'address') {
    throw unsupportedPart('The model takes files inline only: send the data of the file instead of its address');
  }
  const { base64 } = part;
  if (mediaType.startsWith('audio/')) {
    const format = mediaType === 'audio/wav' ? 'wav' : 'mp3';
    return { type: 'input_audio', input_audio: { data: base64, format } };
  }
  const filename = part.filename ?? 'document.pdf';
  return { type: 'file', file: { filename, file_data: `data:${mediaType};base64,${base64}` } };
}

/** JPEG is given for an unknown format, since a data URL needs a concrete media type. */
function imageUrl(part: Media): string {
  if (part.kind === 'address') return part.url.toString();
  const mediaType = part.mediaType === 'image/*' ? 'image/jpeg' : part.mediaType;
  return `data:${mediaType};base64,${part.base64}`;
}

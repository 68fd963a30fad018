import type { Usage } from '../../../../events/index.js';
import {
  asJson,
  asText,
  type Fields,
  numberAt,
  objectAt,
  objectsAt,
  SNAKE_USAGE,
  textAt,
  tokensAt,
  usageAt,
} from '../json-fields.js';

/** The key of what names no item. */
export const UNNAMED = '#';
/** Formats of generated images. */
const IMAGE_FORMATS: ReadonlySet<string | undefined> = new Set(['png', 'jpeg', 'webp']);

/** True for a response as it is, in place of an event. */
export function isWhole(fields: Fields): boolean {
  return textAt(fields, 'object') === 'response' && !('type' in fields);
}

/** A generated image as a data URL. */
export function imageOf(item: Fields): string {
  const format = textAt(item, 'output_format');
  return `data:image/${IMAGE_FORMATS.has(format) ? (format ?? 'png') : 'png'};base64,${textAt(item, 'result') ?? ''}`;
}

/** Items are known by their places; some servers give an item another id in each event. */
export function keyOf(fields: Fields): string {
  const index = numberAt(fields, 'output_index');
  return index === undefined
    ? (textAt(fields, 'item_id') ?? textAt(objectAt(fields, 'item'), 'id') ?? UNNAMED)
    : `#${index}`;
}

/** The limits that our runs know; others as they are. */
export function reasonOf(reason: string | undefined): string {
  return reason === undefined || !/^[a-z_]{1,64}$/.test(reason) ? 'max_output_tokens' : reason;
}

/** The usage of a response; undefined if it is not whole. */
export function usageIn(usage: Fields): Usage | undefined {
  const reasoning = tokensAt(objectAt(usage, 'output_tokens_details'), 'reasoning_tokens');
  const cached = tokensAt(objectAt(usage, 'input_tokens_details'), 'cached_tokens');
  return usageAt(usage, SNAKE_USAGE, { reasoning, cached });
}

/** What a tool reports in an error, as text. */
export function errorText(error: unknown): string {
  const parts = objectsAt({ error }, 'error').length > 0 ? [] : objectsAt(objectAt({ error }, 'error'), 'content');
  const texts = parts.map((part) => textAt(part, 'text') ?? '').filter((text) => text !== '');
  return texts.length > 0 ? texts.join('\n') : asText(asJson(error));
}

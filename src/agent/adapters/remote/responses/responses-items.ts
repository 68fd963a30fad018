import type { Usage } from '../../../../events/index.js';
import type { CitedSource } from '../../../loop/segment.js';
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
/** Items whose input is one of these members. */
const INPUTS = ['action', 'queries', 'code', 'input'] as const;
/** Items whose output is one of these members. */
const OUTPUTS = ['output', 'results', 'outputs'] as const;
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

/** What a tool of the upstream's own kind was given, as JSON text. */
export function hostedInput(item: Fields): string {
  return JSON.stringify(
    Object.fromEntries(INPUTS.flatMap((one) => (item[one] === undefined ? [] : [[one, item[one]]]))),
  );
}

/** What a tool of the upstream's own kind has said; its status if it has said nothing. */
export function hostedOutput(item: Fields): string {
  const output = OUTPUTS.map((one) => item[one]).find((value) => value !== undefined && value !== null);
  return output === undefined ? (textAt(item, 'status') ?? '') : asText(output);
}

/** The source that an annotation of a text names. */
export function sourceIn(annotation: Fields): CitedSource | undefined {
  const url = textAt(annotation, 'url');
  if (textAt(annotation, 'type') !== 'url_citation' || url === undefined) return undefined;
  const [startIndex, endIndex] = [numberAt(annotation, 'start_index'), numberAt(annotation, 'end_index')];
  return { url, title: textAt(annotation, 'title'), startIndex, endIndex };
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

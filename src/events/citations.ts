import { isPlainObject, type Json } from '../common/index.js';
import type { Message } from './agent-objects.js';

/** The metadata key of a text message with the sources that it cites: a list of `Citation`. */
export const CITATIONS = 'citations';

/** A source that a text cites. The indexes count UTF-16 code units of the first content of the message. */
export interface Citation {
  readonly url: string;
  readonly title: string;
  /** Where the text that rests on the source begins. */
  readonly start_index: number;
  /** Where it ends, exclusive. */
  readonly end_index: number;
}

/** The citations of a message; malformed ones are left out. */
export function citationsOf({ metadata }: Pick<Message, 'metadata'>): readonly Citation[] {
  const given = metadata?.[CITATIONS];
  return Array.isArray(given) ? given.flatMap(citationOf) : [];
}

function citationOf(value: Json): Citation[] {
  if (!isPlainObject(value)) return [];
  const { url, title, start_index: start = 0, end_index: end = start } = value;
  if (typeof url !== 'string' || typeof start !== 'number' || typeof end !== 'number') return [];
  return [{ url, title: typeof title === 'string' ? title : url, start_index: start, end_index: end }];
}

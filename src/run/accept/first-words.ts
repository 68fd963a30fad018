import type { Message } from '../../events/index.js';

/** The size of the column, in characters. */
const LONGEST = 200;
/** How much of a text is looked at: white space at its beginning may be long. */
const LOOKED_AT = 2000;

/**
 * The first words of the newest text of a user in a request, as one line of at most 200 characters; null if there is
 * none.
 */
export function firstWords(input: readonly Message[]): string | null {
  for (const { role, content } of [...input].reverse()) {
    if (role !== 'user') continue;
    for (const part of content ?? []) {
      const words = part.type === 'text' && part.text ? oneLine(part.text) : '';
      if (words !== '') return words;
    }
  }
  return null;
}

function oneLine(text: string): string {
  const line = text
    .slice(0, LOOKED_AT)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  // A cut may leave half of a character, which no database stores.
  return line
    .slice(0, LONGEST)
    .replace(/\p{Cs}/gu, '')
    .trim();
}

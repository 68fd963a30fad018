/** The text with which a template is checked. */
export const SAMPLE_TEXT = 'sample';

/** Templates that may be learned in a row without one match; then learning stops. */
const MOST_MISSES = 8;

/**
 * Most chunks of a stream differ only in their piece of text. A template is such a chunk cut at its text: a chunk with
 * the same beginning and end, and between them the characters of a JSON string, is the same JSON with another text, so
 * that it need not be parsed.
 */
export class TextTemplate {
  /** A chunk up to its text, with the quotation mark; undefined until a template was learned. */
  head: string | undefined;
  /** A chunk after its text, with the quotation mark. */
  tail = '';
  private misses = 0;

  /** The text of a chunk that fits the template. @param characters between head and tail; undefined if they are no string */
  textOf(characters: string): string | undefined {
    const text = isPlain(characters) ? characters : unescaped(characters);
    if (text === undefined || text === '') return undefined;
    this.misses = 0;
    return text;
  }

  /**
   * Cuts a chunk at its text.
   *
   * @param isChunkOf true for a chunk that consists of this piece of text only: another member may have
   *   the same value
   */
  learn(data: string, text: string, isChunkOf: (data: string, text: string) => boolean): void {
    if (this.misses >= MOST_MISSES || !isPlain(text)) return;
    this.misses += 1;
    const at = data.indexOf(`"${text}"`, data.indexOf('"content"') + '"content"'.length);
    if (at < 0) return;
    const head = data.slice(0, at + 1);
    const tail = data.slice(at + 1 + text.length);
    if (!isChunkOf(head + SAMPLE_TEXT + tail, SAMPLE_TEXT)) return;
    this.head = head;
    this.tail = tail;
  }
}

/** True for a text that is the same in JSON. */
function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 34 || code === 92 || code < 32) return false;
  }
  return true;
}

/** The string that has these characters in JSON; undefined if there is none. */
function unescaped(characters: string): string | undefined {
  try {
    return JSON.parse(`"${characters}"`) as string;
  } catch {
    return undefined;
  }
}

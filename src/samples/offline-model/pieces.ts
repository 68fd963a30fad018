const LONGEST_WORD = 24;
const SHORT_PIECE = 8;

/**
 * A text in the pieces it is streamed in: words with the white space behind them, pairs of Chinese
 * characters, and long unbroken strings in parts. A piece counts as one token.
 */
export function* piecesOf(text: string): Generator<string, void, undefined> {
  for (const [word] of text.matchAll(/\p{Script=Han}{1,2}\p{P}*\s*|[^\s\p{Script=Han}]+\s*|\s+/gu)) {
    if (word.length <= LONGEST_WORD) yield word;
    else yield* partsOf(word, SHORT_PIECE);
  }
}

/** A text in parts of so many characters; a character is never torn apart. */
export function* partsOf(text: string, size: number): Generator<string, void, undefined> {
  const characters = Array.from(text);
  for (let at = 0; at < characters.length; at += size) yield characters.slice(at, at + size).join('');
}

/** The text before the first stop sequence. */
export function beforeStop(text: string, stop: readonly string[] = []): string {
  const ends = stop.filter((sequence) => sequence !== '').map((sequence) => text.indexOf(sequence));
  const first = Math.min(...ends.filter((at) => at >= 0));
  return Number.isFinite(first) ? text.slice(0, first) : text;
}

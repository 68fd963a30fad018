/** The longest sentence of a server in the log, in characters. */
const LONGEST = 240;
/** Shorter pieces that are equal to a piece of the conversation are words that both have. */
const TRACE = 12;
const HIDDEN = '…';

/**
 * What a server said, for the log: one line, without anything of the conversation, which several servers quote.
 *
 * @param texts those of the conversation
 */
export function logSentence(sentence: string, texts: readonly string[]): string {
  const isContent = (piece: string): boolean => texts.some((text) => text.includes(piece));
  const unquoted = sentence
    .slice(0, 4 * LONGEST)
    .replace(/(['"`])((?:(?!\1).)+)\1/g, (whole, _quote: string, inner: string) =>
      isName(inner) || !isContent(inner) ? whole : HIDDEN,
    );
  const shown = withoutTraces(unquoted, isContent);
  return shown.length <= LONGEST ? shown : `${shown.slice(0, LONGEST - 1).toWellFormed()}${HIDDEN}`;
}

/** A name of the API, such as `messages[2].content`, also if the conversation has it too. */
function isName(text: string): boolean {
  return /^[a-z][a-z0-9_]*([.[\]]+[a-z0-9_]*)*$/.test(text) && /[_.[]/.test(text);
}

/** Replaces every piece that the conversation has too. */
function withoutTraces(sentence: string, isContent: (piece: string) => boolean): string {
  let shown = '';
  let at = 0;
  while (at < sentence.length) {
    let end = at + TRACE;
    if (end > sentence.length || !isContent(sentence.slice(at, end))) {
      shown += sentence[at];
      at += 1;
      continue;
    }
    while (end < sentence.length && isContent(sentence.slice(at, end + 1))) end += 1;
    shown += HIDDEN;
    at = end;
  }
  return shown;
}

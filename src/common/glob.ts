/** What a pattern may hold besides literal characters. */
export interface GlobOptions {
  /** True, the default: `?` stands for exactly one character. False: it stands for itself. */
  readonly question?: boolean;
}

/**
 * True if a text matches a pattern of `*` (any number of characters), `?` (exactly one) and literal
 * characters. Takes at most time proportional to the product of both lengths.
 */
export function matchesGlob(pattern: string, text: string, { question = true }: GlobOptions = {}): boolean {
  let at = 0;
  let star = -1;
  let retry = 0;
  let position = 0;
  while (position < text.length) {
    const wanted = pattern[at];
    if (wanted === '*') {
      star = at;
      retry = position;
      at += 1;
    } else if ((question && wanted === '?') || wanted === text[position]) {
      at += 1;
      position += 1;
    } else if (star >= 0) {
      at = star + 1;
      retry += 1;
      position = retry;
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}

/**
 * True when a text fits a pattern of `*` (any characters, also none) and `?` (exactly one). Everything
 * else stands for itself. The time is at most the product of both lengths.
 */
export function matchesGlob(pattern: string, text: string): boolean {
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
    } else if (wanted === '?' || wanted === text[position]) {
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

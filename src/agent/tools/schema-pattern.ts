/**
 * A pattern in the syntax of JavaScript, from one that may be Python's; undefined if JavaScript has no such pattern.
 * It need not be valid with the flag `u`.
 */
export function jsPattern(source: string): string | undefined {
  const translated = source
    .replace(/\(\?P</g, '(?<')
    .replace(/\(\?P=([A-Za-z_]\w*)\)/g, '\\k<$1>')
    .replace(/^\\A/, '^')
    .replace(/\\[Zz]$/, '$$');
  return [source, translated].find((one) => flagsOf(one) !== undefined);
}

/** The flags with which JavaScript accepts a pattern: `u`, or none; undefined if it does not accept it. */
export function flagsOf(source: string): string | undefined {
  return ['u', ''].find((flags) => {
    try {
      new RegExp(source, flags);
      return true;
    } catch {
      return false;
    }
  });
}

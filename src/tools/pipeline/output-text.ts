/** A result as text: a string as it is, anything else as JSON. @throws TypeError for what JSON cannot say */
export function outputText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

/**
 * A text of at most `limitBytes` bytes of UTF-8. A longer one is cut between two characters, and the
 * cut is said in a last sentence, which counts as part of the limit.
 */
export function boundText(text: string, limitBytes: number): string {
  if (text.length * 3 <= limitBytes) return text;
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= limitBytes) return text;
  const mark = `\n[The output was cut here: it has ${bytes.length} bytes and the limit is ${limitBytes}.]`;
  let end = Math.max(0, limitBytes - Buffer.byteLength(mark));
  while (end > 0 && isContinuation(bytes[end])) end -= 1;
  return bytes.toString('utf8', 0, end) + mark;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

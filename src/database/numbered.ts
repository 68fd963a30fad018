/** Translated statements, by their text with `?`. */
const NUMBERED = new Map<string, string>();

/** Replaces `?` by `$1`, `$2` … for PostgreSQL. */
export function numbered(sql: string): string {
  let text = NUMBERED.get(sql);
  if (text === undefined) {
    let count = 0;
    text = sql.replace(/\?/g, () => `$${(count += 1)}`);
    NUMBERED.set(sql, text);
  }
  return text;
}

const MARK = '[secret]';

/** A text without the secrets of a server's configuration, and of at most `limit` characters. */
export function redact(text: string, secrets: readonly string[], limit: number): string {
  const clean = [...secrets]
    .sort((one, other) => other.length - one.length)
    .reduce((rest, secret) => rest.replaceAll(secret, MARK), text);
  return clean.length > limit ? `${clean.slice(0, limit)}…` : clean;
}

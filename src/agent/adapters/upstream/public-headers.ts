/** Shorter secrets, such as the key `none` of a server without keys, may be a part of a word. */
const LONG_SECRET = 8;
/** Headers that are the same for every server. */
const PUBLIC_HEADERS: ReadonlySet<string> = new Set([
  'content-type',
  'accept',
  'accept-encoding',
  'user-agent',
  'traceparent',
]);

/** The headers of a request that any server may see: those without a key or a name of its caller. */
export function publicHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => PUBLIC_HEADERS.has(name)));
}

/** A text of the server without keys: those of the request, which several servers quote. */
export function withoutSecrets(text: string, headers: Readonly<Record<string, string>>): string {
  let shown = text;
  for (const [name, value] of Object.entries(headers)) {
    const secret = PUBLIC_HEADERS.has(name) ? '' : value.replace(/^\w+ +/, '');
    if (secret.length >= LONG_SECRET) shown = shown.replaceAll(secret, '[key]');
    else if (secret !== '') shown = shown.replace(new RegExp(`(?<!\\w)${escaped(secret)}(?!\\w)`, 'g'), '[key]');
  }
  return shown;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

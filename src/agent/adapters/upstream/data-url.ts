/** A `data:` URL taken apart; `base64` is the payload without its prefix. */
export interface DataUrl {
  /** Lower case, without parameters; empty when the URL names none. */
  readonly mediaType: string;
  /** Padded or not; not decoded. */
  readonly base64: string;
}

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Takes a `data:` URL apart, or undefined when it is not one or its payload cannot be decoded. */
export function parseDataUrl(url: string): DataUrl | undefined {
  if (!url.slice(0, 5).toLowerCase().startsWith('data:')) return undefined;
  const comma = url.indexOf(',');
  if (comma < 0) return undefined;
  const [mediaType = '', ...parameters] = url.slice(5, comma).split(';');
  const isBase64 = parameters.some((parameter) => parameter.trim().toLowerCase() === 'base64');
  const base64 = isBase64 ? normalBase64(url.slice(comma + 1)) : percentDecoded(url.slice(comma + 1));
  return base64 === undefined ? undefined : { mediaType: mediaType.trim().toLowerCase(), base64 };
}

/** Base64 without white space and in the standard alphabet, or undefined when the text is not base64. */
export function normalBase64(text: string): string | undefined {
  const compact = /\s|%/.test(text) ? safeDecode(text)?.replace(/\s+/g, '') : text;
  if (compact === undefined || !BASE64.test(compact)) return undefined;
  return /[-_]/.test(compact) ? compact.replace(/-/g, '+').replace(/_/g, '/') : compact;
}

/** The percent-encoded text of a URL without `;base64`, as base64. Undefined if it is malformed. */
function percentDecoded(text: string): string | undefined {
  const decoded = safeDecode(text);
  return decoded === undefined ? undefined : Buffer.from(decoded, 'utf8').toString('base64');
}

function safeDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

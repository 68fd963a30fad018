import { isPlainObject } from '../../../common/index.js';

/** The codes of Node.js and undici for connections that failed or broke off. */
const NETWORK_CODES: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** The longest part of an upstream's answer that an error message for the log quotes, in characters. */
const QUOTED = 1000;

/** The model server answered with an error status. The message is for the log: it quotes the upstream. */
export class UpstreamStatusError extends Error {
  constructor(
    readonly status: number,
    /** Names in lower case. */
    readonly headers: Readonly<Record<string, string | string[] | undefined>>,
    readonly body: string,
    options?: ErrorOptions,
  ) {
    super(`The model server answered with status ${status}: ${messageIn(body).slice(0, QUOTED)}`, options);
    this.name = 'UpstreamStatusError';
  }

  /** The provider's text, to search for the kind of error; never shown to a client. */
  get text(): string {
    return this.body;
  }
}

/** The model server sent an error inside its stream, or something that is not a chat completion. */
export class UpstreamStreamError extends Error {
  /** @param cause the error object as the provider sent it, or why its data could not be read */
  constructor(override readonly cause: unknown) {
    super('The model server sent an error in its stream');
    this.name = 'UpstreamStreamError';
  }

  /** The HTTP status that the provider's error names or implies. */
  get status(): number | undefined {
    const found = details(this.cause);
    if (!isPlainObject(found)) return statusOfText(this.text);
    const code = found['code'] ?? found['status_code'] ?? found['http_code'] ?? found['error_code'] ?? found['status'];
    const status = typeof code === 'string' && /^\d{3}$/.test(code) ? Number(code) : code;
    if (typeof status === 'number' && status >= 400 && status < 600) return status;
    return statusOfWord(JSON.stringify([code, found['status'], found['type']])) ?? statusOfText(messageIn(this.text));
  }

  /** The provider's text, to search for the kind of error; never shown to a client. */
  get text(): string {
    if (typeof this.cause === 'string') return this.cause;
    return isPlainObject(this.cause) || Array.isArray(this.cause) ? JSON.stringify(this.cause) : '';
  }
}

/** The innermost error: providers nest it in `error`, in lists, and in both. */
function details(value: unknown, depth = 0): unknown {
  if (depth > 4) return value;
  if (Array.isArray(value)) return details(value[0], depth + 1);
  if (!isPlainObject(value)) return value;
  const inner = value['error'] ?? value['errors'] ?? value['base_resp'];
  return isPlainObject(inner) || (Array.isArray(inner) && inner.length > 0) ? details(inner, depth + 1) : value;
}

/** The HTTP status of a failed model call, from its status line or from the error in its stream. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof UpstreamStreamError || error instanceof UpstreamStatusError ? error.status : undefined;
}

/** An error and its causes, outermost first. */
export function errorChain(error: unknown): readonly { readonly code?: unknown; readonly cause?: unknown }[] {
  const chain: object[] = [];
  let current = error;
  while (typeof current === 'object' && current !== null && chain.length < 10) {
    chain.push(current);
    current = (current as { cause?: unknown }).cause;
  }
  return chain;
}

/** True when the connection failed, and not the model server. */
export function isNetworkError(error: unknown): boolean {
  return errorChain(error).some(({ code }) => typeof code === 'string' && NETWORK_CODES.has(code));
}

/**
 * The message in an error body. Providers write `{error: {message}}`, `[{error: {message}}]`, `{error: "…"}`,
 * `{message}`, `{detail: "…"}`, `{detail: [{msg}]}`, `{errors: [{message}]}`, or plain text.
 */
export function messageIn(body: string): string {
  try {
    return messageOf(JSON.parse(body)) ?? body;
  } catch {
    return body;
  }
}

/** The first text in the members under which providers report errors, at any depth. */
function messageOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return messageOf(value[0]);
  if (!isPlainObject(value)) return undefined;
  for (const key of ['error', 'message', 'msg', 'detail', 'errors', 'error_msg', 'base_resp', 'status_msg']) {
    const message = messageOf(value[key]);
    if (message !== undefined) return message;
  }
  return undefined;
}

/** For providers that report an error in the stream by the word of a code, a type or a status. */
function statusOfWord(word: string): number | undefined {
  return /authentication|permission/i.test(word) ? 401 : statusOfText(word);
}

/** For providers that report it by a sentence only, in which single words say little. */
function statusOfText(text: string): number | undefined {
  if (/context[_ ]length|context[_ ]window|prompt is too long/i.test(text)) return 400;
  if (/invalid[_ ]?api[_ ]?key/i.test(text)) return 401;
  if (/model[_ ]?not[_ ]?found/i.test(text)) return 404;
  if (/rate[_ ]?limit|quota|throttl|resource_exhausted|too many requests/i.test(text)) return 429;
  if (/overloaded|server_error|internal_error|internalerror|unavailable/i.test(text)) return 500;
  return undefined;
}

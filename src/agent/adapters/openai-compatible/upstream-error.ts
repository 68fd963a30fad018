import { APICallError } from '@ai-sdk/provider';
import { isPlainObject } from '../../../common/index.js';

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

/** An error that the provider sent inside its stream, or a chunk that could not be read. */
export class UpstreamStreamError extends Error {
  constructor(override readonly cause: unknown) {
    super('The model server sent an error in its stream');
    this.name = 'UpstreamStreamError';
  }

  /** The HTTP status that the provider wrote into its error, if any. */
  get status(): number | undefined {
    const code = this.member('code');
    const status = typeof code === 'string' && /^\d{3}$/.test(code) ? Number(code) : code;
    if (typeof status === 'number') return status >= 400 && status < 600 ? status : undefined;
    return statusOfWord(JSON.stringify([code, this.member('type')]));
  }

  /** The provider's words, to look for what happened; never shown. */
  get text(): string {
    return isPlainObject(this.cause) ? JSON.stringify(this.cause) : '';
  }

  private member(key: string): unknown {
    return isPlainObject(this.cause) ? this.cause[key] : undefined;
  }
}

/** The HTTP status of a failed model call, whichever way it was told. */
export function statusOf(error: unknown): number | undefined {
  if (error instanceof UpstreamStreamError) return error.status;
  return APICallError.isInstance(error) ? error.statusCode : undefined;
}

/** An error and its causes, outermost first. Told by shape: errors of `fetch` may be of another realm. */
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

function statusOfWord(word: string): number | undefined {
  if (/context_length|context_window/i.test(word)) return 400;
  if (/invalid_api_key|authentication|permission/i.test(word)) return 401;
  if (/model_not_found/i.test(word)) return 404;
  if (/rate_limit|quota|throttl/i.test(word)) return 429;
  if (/overloaded|server_error|internal_error|unavailable/i.test(word)) return 500;
  return undefined;
}

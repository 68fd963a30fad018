import { AppError, type ErrorCode } from '../../../common/index.js';
import { ProxyError } from '../../../common/index.js';
import { retryAfterMs } from './retry-policy.js';
import { errorChain, isNetworkError, statusOf, UpstreamStatusError, UpstreamStreamError } from './upstream-error.js';

/** Providers report a prompt that is too long by text only, with various status codes. */
const TOO_LONG =
  /context[_ ]?length|context[_ ]window|maximum context|prompt is too long|(input|prompt|request)[^.]{0,40}(too long|too large|exceeds?)|too many (input )?tokens|range of input length|max(imum)?[_ ](input|prompt)[_ ]tokens/i;

/** Some providers answer a wrong key with status 400. */
const WRONG_KEY = /invalid_?api_?key|api_?key_?invalid|api key not valid/i;

const TIMEOUT_CODES: ReadonlySet<unknown> = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/**
 * The error that a caller may see: its code says what happened; its message contains nothing of the
 * upstream's body or key. The original error is the cause.
 */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (errorChain(error).some(({ code }) => TIMEOUT_CODES.has(code))) {
    return new AppError('MODEL_TIMEOUT', undefined, { cause: error });
  }
  const status = statusOf(error);
  const code = codeOf(status, textOf(error));
  const after = retryAfterMs(error);
  return new AppError(code, messageOf(code, status, error), {
    cause: error,
    ...(after === undefined ? {} : { retryAfterSeconds: Math.ceil(after / 1000) }),
  });
}

/** The text decides where a provider uses one status for several errors. */
function codeOf(status: number | undefined, text: string): ErrorCode {
  switch (status) {
    case 401:
    case 403:
      return 'MODEL_UNAUTHORIZED_ACCESS';
    case 404:
      return 'MODEL_NOT_FOUND';
    case 402:
    case 429:
      return 'MODEL_QUOTA_EXCEEDED';
    case 408:
    case 504:
      return 'MODEL_TIMEOUT';
    case 400:
    case 413:
    case 422:
      if (WRONG_KEY.test(text)) return 'MODEL_UNAUTHORIZED_ACCESS';
      return TOO_LONG.test(text) ? 'MODEL_CONTEXT_LENGTH_EXCEEDED' : 'MODEL_EXECUTION_FAILED';
    default:
      return 'MODEL_EXECUTION_FAILED';
  }
}

/** Other codes use the message of the catalogue. The provider's own text is never shown to clients. */
function messageOf(code: ErrorCode, status: number | undefined, error: unknown): string | undefined {
  if (code !== 'MODEL_EXECUTION_FAILED') return undefined;
  if (error instanceof UpstreamStreamError) return 'The answer of the model ended too early';
  if (error instanceof ProxyError) return error.message;
  if (status !== undefined) return `The model server answered with status ${status}`;
  return isNetworkError(error) ? 'The model server could not be reached' : undefined;
}

function textOf(error: unknown): string {
  return error instanceof UpstreamStreamError || error instanceof UpstreamStatusError ? error.text : '';
}

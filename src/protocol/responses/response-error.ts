import type { ErrorModel } from '../../events/index.js';
import type { ResponseError } from './response.types.js';

/** Codes of the log that this wire has a word for; all others are `server_error`. */
const CODES: Readonly<Record<string, { readonly type: string; readonly code: string }>> = {
  RATE_LIMIT_EXCEEDED: { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  QUEUE_FULL: { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  MODEL_QUOTA_EXCEEDED: { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  MODEL_CONTEXT_LENGTH_EXCEEDED: { type: 'invalid_request_error', code: 'invalid_prompt' },
  INVALID_PARAMETER: { type: 'invalid_request_error', code: 'invalid_prompt' },
};

/** Why a run failed, in the words of this wire; the sentence stays. */
export function responseError(error: ErrorModel | null): ResponseError {
  const known = error ? CODES[error.code] : undefined;
  const message = error?.message ?? 'The run failed';
  return { ...(known ?? { type: 'server_error', code: 'server_error' }), message, param: null };
}

import { AppError, type ErrorCode, ProxyError } from '../../../common/index.js';
import { type FailureKind, kindOf } from './failure-kind.js';
import { retryAfterMs } from './retry-policy.js';
import { statusOf, UpstreamStreamError } from './upstream-error.js';

const CODES: Partial<Record<FailureKind, ErrorCode>> = {
  context: 'MODEL_CONTEXT_LENGTH_EXCEEDED',
  quota: 'MODEL_QUOTA_EXCEEDED',
  'rate-limit': 'MODEL_RATE_LIMIT_EXCEEDED',
  credentials: 'MODEL_UNAUTHORIZED_ACCESS',
  'not-found': 'MODEL_NOT_FOUND',
  'no-route': 'MODEL_NOT_FOUND',
  timeout: 'MODEL_TIMEOUT',
};

/** What happened where the code does not say it. */
const SENTENCES: Partial<Record<FailureKind, string>> = {
  template: 'The template of the model does not take this conversation',
  unreachable: 'The model server could not be reached',
  certificate: 'The certificate of the model server is not trusted',
};

/**
 * The error that a caller may see: its code says what happened; its message contains nothing of the
 * upstream's body or key. The original error is the cause.
 *
 * @param hasBegun true if a part of the answer has arrived
 */
export function toAppError(error: unknown, hasBegun = false): AppError {
  if (error instanceof AppError) return error;
  const kind = kindOf(error);
  const code = CODES[kind] ?? 'MODEL_EXECUTION_FAILED';
  const after = retryAfterMs(error);
  return new AppError(code, messageOf(code, kind, error, hasBegun), {
    cause: error,
    ...(after !== undefined && { retryAfterSeconds: Math.ceil(after / 1000) }),
  });
}

/** Other codes use the message of the catalogue. The provider's own text is never shown to clients. */
function messageOf(code: ErrorCode, kind: FailureKind, error: unknown, hasBegun: boolean): string | undefined {
  if (kind === 'no-route') return 'The model server serves nothing at its configured address';
  if (code !== 'MODEL_EXECUTION_FAILED') return undefined;
  if (error instanceof ProxyError) return error.message;
  if (kind === 'broken-off') {
    return hasBegun
      ? 'The connection to the model server was lost in the middle of the answer'
      : 'The model server closed the connection before it answered';
  }
  const sentence = SENTENCES[kind] ?? (error instanceof UpstreamStreamError ? error.sentence : undefined);
  if (sentence !== undefined) return sentence;
  const status = statusOf(error);
  if (status !== undefined && status >= 500 && error instanceof UpstreamStreamError) {
    return 'The model server reported an error of its own while it answered';
  }
  if (error instanceof UpstreamStreamError) return 'The model server reported an error in its answer';
  return status === undefined ? undefined : `The model server answered with status ${status}`;
}

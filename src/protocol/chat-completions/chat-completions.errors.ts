import { AppError, ERROR_CATALOGUE, type ErrorCode } from '../../common/index.js';
import type { AgentResponse } from '../../events/index.js';
import type { HttpError } from '../http/errors/http-error.js';
import { OpenAiError, REQUEST_ERROR, type WireError } from '../openai/index.js';

/** The type and code of what a budget has no room for (contract chat-completions, section A7). */
const QUOTA = 'insufficient_quota';

/** The codes of this wire, by those of the catalogue; all others are these in lower case. */
const CODES: Partial<Record<ErrorCode, string>> = {
  INVALID_PARAMETER: 'invalid_value',
  MISSING_PARAMETER: 'missing_required_parameter',
  PARAMETER_VALIDATION: 'invalid_type',
  AUTH_FAILED: 'invalid_api_key',
  RESOURCE_NOT_FOUND: 'not_found',
  RUN_NOT_FOUND: 'completion_not_found',
  RUN_ID_CONFLICT: 'idempotency_key_reused',
  PAYLOAD_TOO_LARGE: 'request_too_large',
  ATTACHMENT_TOO_LARGE: 'request_too_large',
  ATTACHMENT_NOT_FOUND: 'file_not_found',
  SHUTTING_DOWN: 'service_unavailable',
  DATABASE_ERROR: 'service_unavailable',
};
/** Messages that replace those of the catalogue, which are about runs. */
const MESSAGES: Partial<Record<ErrorCode, string>> = {
  EVENTS_EXPIRED: 'The chunks of this completion were removed',
  QUEUE_FULL: 'Too many completions are waiting',
  RUN_NOT_FOUND: 'Completion not found',
};

/** How addresses begin that lack the version. */
export const UNVERSIONED = '/chat';

/** An error in this wire's format (contract chat-completions, section A7). */
export function wireError({ status, code, wireCode, message: original, details }: HttpError): WireError {
  const message = original === ERROR_CATALOGUE[code].message ? (MESSAGES[code] ?? original) : original;
  const path = details?.[0]?.path ?? '';
  const param = path === '' ? null : path;
  if (code === 'BUDGET_EXCEEDED') return { message, type: QUOTA, param: null, code: QUOTA };
  if (status === 429) return { message, type: 'rate_limit_error', param, code: wireCode ?? 'rate_limit_exceeded' };
  const known = wireCode ?? CODES[code] ?? code.toLowerCase();
  if (status >= 500) return { message, type: 'server_error', param: null, code: known };
  // A run that failed: see `FailedRunError`.
  const type = code === 'AGENT_ERROR' ? 'server_error' : REQUEST_ERROR;
  return { message, type, param, code: known };
}

/**
 * The body of an error before a stream.
 *
 * @param path of the request, without its query
 */
export function errorBody(error: HttpError, path = ''): { readonly error: WireError } {
  const isForgotten = error.code === 'RESOURCE_NOT_FOUND' && path.startsWith(`${UNVERSIONED}/`);
  if (!isForgotten) return { error: wireError(error) };
  return { error: wireError({ ...error, message: `There is no ${path}: the address is /v1${path}` }) };
}

/** The error of a run without an answer: one that failed or was canceled. */
export function runError({ status, error }: AgentResponse): WireError {
  const type = 'server_error';
  if (status === 'canceled') return { message: 'The run was canceled', type, param: null, code: 'run_canceled' };
  const { code = 'AGENT_ERROR', message = 'The run failed' } = error ?? {};
  if (code === 'BUDGET_EXCEEDED') return { message, type: QUOTA, param: null, code: QUOTA };
  return { message, type, param: null, code: code.toLowerCase() };
}

/**
 * The same for a request without a stream: 400, which no client repeats. A run that is repeated acts twice (contract
 * chat-completions, section 0, rule 9).
 */
export class FailedRunError extends AppError {
  constructor(readonly error: WireError) {
    super('AGENT_ERROR', error.message, {
      status: 400,
      wireCode: error.code,
      headers: { 'x-should-retry': 'false' },
    });
  }
}

/** The 404 for an unknown completion. */
export function completionNotFound(id: string): OpenAiError {
  const message = `Completion with id '${id}' not found.`;
  return new OpenAiError('RUN_NOT_FOUND', message, null, { status: 404 });
}

/**
 * What to throw when a run is not accepted: this wire's error where it has its own, otherwise `error`.
 *
 * @param decision the path of the message that decides a question
 */
export function submissionError(error: unknown, decision: string): unknown {
  if (!(error instanceof AppError)) return error;
  const { code, message } = error;
  if (code === 'SESSION_BUSY') {
    const busy = 'Another answer is being generated in this session. Retry when it is complete.';
    return new OpenAiError(code, busy, 'session_id', { wireCode: 'session_busy' });
  }
  if (code === 'RUN_ID_CONFLICT') {
    return new OpenAiError(code, 'This Idempotency-Key was used with another request.', null);
  }
  if (code === 'INTERRUPT_NOT_FOUND' || code === 'INTERRUPT_ALREADY_ANSWERED') {
    return new OpenAiError(code, message, decision, { wireCode: 'tool_call_not_found' });
  }
  if (code === 'INTERRUPT_EXPIRED') {
    return new OpenAiError(code, message, decision, { wireCode: 'interrupt_expired' });
  }
  return error;
}

import { AppError, ERROR_CATALOGUE, type ErrorCode } from '../../common/index.js';
import type { ErrorModel } from '../../events/index.js';
import type { HttpError } from '../http/errors/http-error.js';
import { OpenAiError, REQUEST_ERROR, type WireError } from '../openai/index.js';
import type { ResponseError } from './response.types.js';

/** The type and code of what a budget has no room for (contract access, section 3.9). */
const QUOTA = 'insufficient_quota';

/** The codes of this wire, by those of the catalogue. */
const CODES: Partial<Record<ErrorCode, string>> = {
  INVALID_JSON: 'invalid_json',
  INVALID_PARAMETER: 'invalid_value',
  MISSING_PARAMETER: 'missing_required_parameter',
  PARAMETER_VALIDATION: 'invalid_type',
  AUTH_FAILED: 'invalid_api_key',
  PERMISSION_DENIED: 'permission_denied',
  RESOURCE_NOT_FOUND: 'not_found',
  RUN_NOT_FOUND: 'response_not_found',
  SESSION_NOT_FOUND: 'conversation_not_found',
  SESSION_BUSY: 'conversation_locked',
  RUN_ID_CONFLICT: 'idempotency_key_reused',
  METHOD_NOT_ALLOWED: 'method_not_allowed',
  PAYLOAD_TOO_LARGE: 'request_too_large',
  UNSUPPORTED_MEDIA_TYPE: 'unsupported_media_type',
  INTERRUPT_NOT_FOUND: 'approval_request_not_found',
  INTERRUPT_ALREADY_ANSWERED: 'approval_request_already_answered',
  INTERRUPT_EXPIRED: 'approval_request_expired',
  SHUTTING_DOWN: 'service_unavailable',
  DATABASE_ERROR: 'service_unavailable',
  LOOP_DETECTED: 'loop_detected',
};
/** Messages that replace those of the catalogue, which are about runs and sessions. */
const MESSAGES: Partial<Record<ErrorCode, string>> = {
  EVENTS_EXPIRED: 'The events of this response were removed; the response itself is kept',
  QUEUE_FULL: 'Too many responses are waiting',
  RUN_NOT_FOUND: 'Response not found',
  SESSION_BUSY: 'A response is being generated in this conversation',
  SESSION_NOT_FOUND: 'Conversation not found',
};
/** Codes that depend on the field that they are about. */
const CODES_OF_PARAM: Readonly<Record<string, string>> = {
  'RUN_NOT_FOUND previous_response_id': 'previous_response_not_found',
  'RESOURCE_NOT_FOUND model': 'model_not_found',
};
/** The codes of failed responses, by those of the log; all others are `server_error`. */
const RUN_CODES: Readonly<Record<string, { readonly type: string; readonly code: string }>> = {
  RATE_LIMIT_EXCEEDED: { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  QUEUE_FULL: { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  BUDGET_EXCEEDED: { type: QUOTA, code: QUOTA },
  MODEL_QUOTA_EXCEEDED: { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  MODEL_RATE_LIMIT_EXCEEDED: { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  MODEL_CONTEXT_LENGTH_EXCEEDED: { type: REQUEST_ERROR, code: 'invalid_prompt' },
  INVALID_PARAMETER: { type: REQUEST_ERROR, code: 'invalid_prompt' },
};

/** Codes that say no more than `server_error` does. */
const GENERAL: ReadonlySet<string> = new Set([
  ...['MODEL_EXECUTION_FAILED', 'AGENT_ERROR', 'AGENT_UNKNOWN_ERROR', 'INTERNAL_ERROR'],
]);

/** An error in this wire's format. */
export function wireError({ status, code, wireCode, message: original, details }: HttpError): WireError {
  const message = original === ERROR_CATALOGUE[code].message ? (MESSAGES[code] ?? original) : original;
  const param = details?.[0]?.path ?? null;
  if (code === 'BUDGET_EXCEEDED') return { message, type: QUOTA, param: null, code: QUOTA };
  if (status === 429) return { message, type: 'rate_limit_error', param, code: 'rate_limit_exceeded' };
  if (status >= 500) return { message, type: 'server_error', param: null, code: CODES[code] ?? 'server_error' };
  const known = wireCode ?? CODES_OF_PARAM[`${code} ${param ?? ''}`] ?? CODES[code] ?? code.toLowerCase();
  return { message, type: REQUEST_ERROR, param: param === '' ? null : param, code: known };
}

/** The body of an error before a stream. */
export function errorBody(error: HttpError): { error: WireError } {
  return { error: wireError(error) };
}

/**
 * The `error` event, for a stream that cannot continue to its terminal event (contract responses, section A6).
 * It repeats its fields: some clients read those of the event, others those of its `error`.
 */
export function errorEvent(error: WireError, sequenceNumber: number): object {
  const { type, code, message, param } = error;
  return {
    type: 'error',
    sequence_number: sequenceNumber,
    code,
    message,
    param,
    error: { type, code, message, param },
  };
}

/**
 * The `error` of a failed response, with the message of the run. A code of the log that this wire does not have is
 * named at the end of the message (contract responses, section A4).
 *
 * @param error null when the log has none
 */
export function responseError(error: ErrorModel | null): ResponseError {
  if (!error) return { type: 'server_error', code: 'server_error', message: 'The run failed', param: null };
  const { code: original, message } = error;
  const known = RUN_CODES[original];
  if (known) return { type: known.type, code: known.code, message, param: null };
  const told =
    GENERAL.has(original) || !Object.hasOwn(ERROR_CATALOGUE, original) ? message : `${message} (${original})`;
  return { type: 'server_error', code: 'server_error', message: told, param: null };
}

/** The error for a previous response that is unknown, deleted, not stored, or another user's. */
export function previousNotFound(id: string): OpenAiError {
  return new OpenAiError('RUN_NOT_FOUND', `Previous response with id '${id}' not found.`, 'previous_response_id');
}

/**
 * The 404 for an unknown id.
 *
 * @param kind of the thing, such as `Conversation`
 * @param param the field of the request that has the id; null for the path
 */
export function notFound(code: ErrorCode, kind: string, id: string, param: string | null = null): OpenAiError {
  return new OpenAiError(code, `${kind} with id '${id}' not found.`, param, { status: 404 });
}

/** The result of work on one response. @throws OpenAiError RUN_NOT_FOUND that names the response; as `work` */
export async function ofResponse<T>(id: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AppError && error.code === 'RUN_NOT_FOUND') throw notFound(error.code, 'Response', id);
    throw error;
  }
}

/**
 * What to throw when a run is not accepted: this wire's error where it has its own, otherwise `error`.
 *
 * @param previous the response that the request continues from
 */
export function submissionError(error: unknown, previous: string | undefined): unknown {
  if (!(error instanceof AppError)) return error;
  if (error.code === 'RUN_NOT_FOUND' && previous !== undefined) return previousNotFound(previous);
  if (error.code === 'SESSION_BUSY') {
    const message = 'Another response is being generated in this conversation. Retry when it is complete.';
    const param = previous === undefined ? 'conversation' : 'previous_response_id';
    return new OpenAiError('SESSION_BUSY', message, param);
  }
  if (error.code === 'RUN_ID_CONFLICT') {
    return new OpenAiError(error.code, 'This Idempotency-Key was used with another request.', 'Idempotency-Key');
  }
  if (error.code === 'INTERRUPT_ALREADY_ANSWERED' || error.code === 'INTERRUPT_EXPIRED') {
    return new OpenAiError(error.code, error.message, 'input');
  }
  if (error.code === 'INVALID_PARAMETER' && error.details?.[0]?.path.startsWith('input[')) {
    // The path counts messages, which are not the items that the client sent.
    return new OpenAiError(error.code, error.message, 'input');
  }
  return error;
}

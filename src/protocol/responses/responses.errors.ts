import { ERROR_CATALOGUE, type ErrorCode } from '../../common/index.js';
import type { HttpError } from '../http/http-error.js';

/** An error as this wire says it, all four keys always there (contract responses, section A4). */
export interface WireError {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string;
}

const REQUEST_ERROR = 'invalid_request_error';

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
};
/** Sentences of the catalogue that speak of runs and sessions, which this wire calls otherwise. */
const SENTENCES: Partial<Record<ErrorCode, string>> = {
  EVENTS_EXPIRED: 'The events of this response were removed; the response itself is kept',
  QUEUE_FULL: 'Too many responses are waiting',
  RUN_NOT_FOUND: 'Response not found',
  SESSION_BUSY: 'A response is being generated in this conversation',
  SESSION_NOT_FOUND: 'Conversation not found',
};
/** Codes that depend on the field they are about. */
const CODES_OF_PARAM: Readonly<Record<string, string>> = {
  'RUN_NOT_FOUND previous_response_id': 'previous_response_not_found',
  'RESOURCE_NOT_FOUND model': 'model_not_found',
};

/** A failure as this wire says it. */
export function wireError({ status, code, message: said, details }: HttpError): WireError {
  const message = said === ERROR_CATALOGUE[code].message ? (SENTENCES[code] ?? said) : said;
  const param = details?.[0]?.path ?? null;
  if (status === 429) return { message, type: 'rate_limit_error', param, code: 'rate_limit_exceeded' };
  if (status >= 500) return { message, type: 'server_error', param: null, code: CODES[code] ?? 'server_error' };
  const known = CODES_OF_PARAM[`${code} ${param ?? ''}`] ?? CODES[code] ?? code.toLowerCase();
  return { message, type: REQUEST_ERROR, param: param === '' ? null : param, code: known };
}

/** The body of an error before a stream. */
export function errorBody(failure: HttpError): { error: WireError } {
  return { error: wireError(failure) };
}

/**
 * The `error` event, for what goes wrong when no response can tell of it. It says everything twice:
 * some readers look at the event, others into its `error`.
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

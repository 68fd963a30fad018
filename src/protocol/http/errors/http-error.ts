import { HttpException } from '@nestjs/common';
import {
  AppError,
  ERROR_CATALOGUE,
  type ErrorCode,
  type ErrorDetail,
  RETRY_AFTER_SECONDS,
} from '../../../common/index.js';
import { isUnavailable } from '../../../database/index.js';

/** What a client may know of an error. */
export interface HttpError {
  /** The HTTP status. */
  readonly status: number;
  /** The server's code, from the catalogue. */
  readonly code: ErrorCode;
  /** As `AppError.wireCode`. */
  readonly wireCode?: string | undefined;
  /** Safe to show to a client. */
  readonly message: string;
  /** The fields that are wrong, for errors of validation. */
  readonly details?: readonly ErrorDetail[] | undefined;
  /** The value of the `Retry-After` header, in seconds. */
  readonly retryAfterSeconds?: number | undefined;
  /** Further headers of the answer. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Codes for errors of the framework, which have only a status. */
const CODE_OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'INVALID_PARAMETER',
  401: 'AUTH_FAILED',
  403: 'PERMISSION_DENIED',
  404: 'RESOURCE_NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'PARAMETER_VALIDATION',
  429: 'RATE_LIMIT_EXCEEDED',
  503: 'SHUTTING_DOWN',
};

/** What a client may know of anything that was thrown. An unknown error is an internal error without its text. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof AppError) {
    const { status, code, wireCode, message, details, retryAfterSeconds, headers } = error;
    return { status, code, wireCode, message, details, retryAfterSeconds, headers };
  }
  if (error instanceof HttpException) {
    const status = error.getStatus();
    // Nest wraps Fastify's errors of the body; the catalogue's messages are clearer.
    return byStatus(status, status === 413 || status === 415 ? undefined : error.message);
  }
  if (isUnavailable(error)) {
    const { status, message } = ERROR_CATALOGUE.DATABASE_ERROR;
    return { status, code: 'DATABASE_ERROR', message, retryAfterSeconds: RETRY_AFTER_SECONDS };
  }
  const { statusCode } = (error ?? {}) as { statusCode?: unknown };
  return byStatus(typeof statusCode === 'number' ? statusCode : 500, undefined);
}

/** Where clients look for OpenAI's own name of the header. */
const OPENAI_PATHS = /^\/(compatible-mode\/)?v1\//;

/**
 * The headers of an error that can be retried: `Retry-After`, and for 429 on `/v1` also `retry-after-ms`, and for a
 * budget `x-should-retry` (contract access, section 3.9).
 *
 * @param path of the request, with or without its query
 */
export function retryHeaders({ status, code, retryAfterSeconds }: HttpError, path: string): Record<string, string> {
  if (retryAfterSeconds === undefined) return {};
  const seconds = Math.ceil(retryAfterSeconds);
  const isForOpenAi = status === 429 && OPENAI_PATHS.test(path);
  // Their clients repeat a 429 by themselves, but a budget has no room before its period ends.
  const isFinal = isForOpenAi && code === 'BUDGET_EXCEEDED';
  return {
    'retry-after': String(seconds),
    ...(isForOpenAi && { 'retry-after-ms': String(seconds * 1000) }),
    ...(isFinal && { 'x-should-retry': 'false' }),
  };
}

/** The common error body, `{code, message, details?, requestId?}`: with the request id for errors that are in the server's log. */
export function commonErrorBody({ status, code, message, details }: HttpError, requestId: string): object {
  return { code, message, ...(details && { details }), ...(status >= 500 && { requestId }) };
}

/** Errors of the server (from 500, except 503) get the catalogue's message: their own may reveal internals. */
function byStatus(status: number, message: string | undefined): HttpError {
  if (status >= 500 && status !== 503) {
    return { status, code: 'INTERNAL_ERROR', message: ERROR_CATALOGUE.INTERNAL_ERROR.message };
  }
  const code = CODE_OF_STATUS[status] ?? 'INVALID_PARAMETER';
  return { status, code, message: message ?? ERROR_CATALOGUE[code].message };
}

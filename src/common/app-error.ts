import { maskCredentials } from './credential-mask.js';
import { ERROR_CATALOGUE, type ErrorCode } from './error-codes.js';

/** Describes an invalid field: its path, the violated rule and the values involved. */
export interface ErrorDetail {
  readonly path: string;
  readonly message: string;
  /** The name of the rule, for programs. */
  readonly rule?: string;
  readonly limit?: number;
  readonly actual?: number;
}

/** What an error has besides its code and message. */
export interface AppErrorOptions {
  readonly cause?: unknown;
  readonly details?: readonly ErrorDetail[];
  readonly retryAfterSeconds?: number;
  /** Further headers of the answer, if the error happens before a stream. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The code of an error that only one wire has: `code` is then the nearest shared one. */
  readonly wireCode?: string;
  /** Default: the status of the code. */
  readonly status?: number;
}

/**
 * The error that services throw: a code of the catalogue and a message that may be shown to clients. Anything
 * that must not be shown (stack, upstream body, secret) belongs in `cause`. Credentials that a client put into a value
 * which the message quotes are masked.
 */
export class AppError extends Error {
  readonly status: number;

  constructor(
    readonly code: ErrorCode,
    message: string = ERROR_CATALOGUE[code].message,
    options: AppErrorOptions = {},
  ) {
    super(maskCredentials(message), options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.status = options.status ?? ERROR_CATALOGUE[code].status;
    this.wireCode = options.wireCode;
    this.details = options.details?.map(maskedDetail);
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.headers = options.headers;
  }

  /** The code of an error that only one wire has. */
  readonly wireCode: string | undefined;
  readonly details: readonly ErrorDetail[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
}

function maskedDetail(detail: ErrorDetail): ErrorDetail {
  return { ...detail, path: maskCredentials(detail.path), message: maskCredentials(detail.message) };
}

/** The code and message for any thrown value. Only those of an `AppError` are disclosed. */
export function publicError(error: unknown): { code: ErrorCode; message: string } {
  if (error instanceof AppError) return { code: error.code, message: error.message };
  return { code: 'AGENT_UNKNOWN_ERROR', message: ERROR_CATALOGUE.AGENT_UNKNOWN_ERROR.message };
}

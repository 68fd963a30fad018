import { AppError, type ErrorCode } from '../../common/index.js';

/** An error as the APIs of OpenAI write it, always with all four keys. */
export interface WireError {
  /** For people; it contains no secrets. */
  readonly message: string;
  readonly type: string;
  /** The path of the invalid field, for example `input[0].content`; null if the error concerns no field. */
  readonly param: string | null;
  /** For programs, in lower case. */
  readonly code: string;
}

/** The `type` of errors that the client can correct. */
export const REQUEST_ERROR = 'invalid_request_error';

/** What an `OpenAiError` has apart from its code, message and field. */
export interface OpenAiErrorOptions {
  /** Default 400. */
  readonly status?: number;
  /** The code in the answer, if it is not that of the catalogue. */
  readonly wireCode?: string;
  /** Further headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * An error whose HTTP status is not that of its code: clients of these APIs repeat requests that get a 409 or a 5xx by
 * themselves, so what must not be repeated is a 400.
 */
export class OpenAiError extends AppError {
  /** @param param the field of the request that it is about; null when it is about none */
  constructor(code: ErrorCode, message: string, param: string | null, options: OpenAiErrorOptions = {}) {
    super(code, message, {
      status: options.status ?? 400,
      ...(param !== null && { details: [{ path: param, message }] }),
      ...(options.wireCode !== undefined && { wireCode: options.wireCode }),
      ...(options.headers && { headers: options.headers }),
    });
  }
}

/** A value that is known and not supported, and that would change the meaning of the answer. */
export function unsupported(param: string, rule: string): OpenAiError {
  return new OpenAiError('INVALID_PARAMETER', `${param} ${rule}`, param, { wireCode: 'unsupported_value' });
}

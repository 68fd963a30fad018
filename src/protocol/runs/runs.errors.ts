import { AppError, type ErrorCode, type ErrorDetail } from '../../common/index.js';
import type { HttpError } from '../http/index.js';

/** The errors that only the Runs API has, with its messages (contract runs-api, sections 2.2, 4, 5 and 6). */
export const RUNS_ERRORS = {
  INVALID_RUN_AGENT_INPUT: { status: 422, message: 'invalid RunAgentInput' },
  INVALID_THREAD_ID: { status: 422, message: 'threadId must be a valid UUID' },
  RUN_ID_TOO_LONG: { status: 422, message: 'runId exceeds length limit' },
  TOO_MANY_MESSAGES: { status: 422, message: 'RunAgentInput.messages exceeds limit' },
  USER_MESSAGE_COUNT: { status: 422, message: 'RunAgentInput.messages must contain exactly one user message' },
  USER_MESSAGE_NOT_FIRST: { status: 422, message: 'RunAgentInput.messages[0].role must be user' },
  USER_TEXT_TOO_LONG: { status: 422, message: 'RunAgentInput user message text exceeds limit' },
  TOO_MANY_ATTACHMENTS: { status: 422, message: 'Too many attachments' },
  ATTACHMENT_NOT_IMAGE: { status: 422, message: 'binary content requires image mimeType' },
  ATTACHMENT_DATA: { status: 422, message: 'binary content data is not allowed' },
  ATTACHMENT_URL_MISSING: { status: 422, message: 'binary content requires url' },
  INVALID_FORWARDED_PROPS: { status: 422, message: 'invalid RunAgentInput.forwardedProps' },
  INVALID_DEVICE_TIMEZONE: { status: 422, message: 'invalid client_time.device_timezone' },
  INVALID_CLIENT_NOW_ISO: { status: 422, message: 'invalid client_time.client_now_iso' },
  INVALID_CLIENT_EPOCH_MS: { status: 422, message: 'invalid client_time.client_epoch_ms' },
  ATTACHMENT_URL_INVALID: { status: 422, message: 'binary content url is not a valid signed url' },
  INVALID_RESUME: { status: 422, message: 'invalid resume' },
  INVALID_BEFORE: { status: 422, message: 'before must be YYYY-MM-DD' },
  INVALID_LAST_EVENT_ID: { status: 400, message: 'The event id is not valid for this stream' },
} as const satisfies Record<string, { status: number; message: string }>;

/** A key of `RUNS_ERRORS`. */
export type RunsErrorCode = keyof typeof RUNS_ERRORS;

/** An error of this wire. To any other code it is an invalid request. */
export class RunsError extends AppError {
  constructor(wireCode: RunsErrorCode, message?: string, options: { details?: readonly ErrorDetail[] } = {}) {
    const definition = RUNS_ERRORS[wireCode];
    super('PARAMETER_VALIDATION', message ?? definition.message, { wireCode, status: definition.status, ...options });
  }
}

/** The wire's own names and sentences of errors that other wires have too (contract runs-api, section 2.2). */
const OWN: Partial<Record<ErrorCode, readonly [code: string, message?: string]>> = {
  SESSION_NOT_FOUND: ['thread_not_found', 'thread not found'],
  RUN_NOT_FOUND: ['run_not_found', 'run not found'],
  SESSION_BUSY: ['thread_busy', 'thread is busy'],
  RUN_ID_CONFLICT: ['run_id_conflict', 'runId already used with a different payload'],
  QUEUE_FULL: ['queue_full', 'too many queued runs'],
  CURSOR_AHEAD: ['event_id_ahead'],
};

/** Errors that, for the body of a RunAgentInput, have the message of contract runs-api, section 2.2, rules 0 and 1. */
const BODY: Partial<Record<ErrorCode, readonly [code: string, message: string]>> = {
  INVALID_JSON: ['invalid_json', RUNS_ERRORS.INVALID_RUN_AGENT_INPUT.message],
  INVALID_PARAMETER: ['invalid_json', RUNS_ERRORS.INVALID_RUN_AGENT_INPUT.message],
  PAYLOAD_TOO_LARGE: ['payload_too_large', 'RunAgentInput payload exceeds size limit'],
};

/** How errors are written. */
export interface RunsErrorOptions {
  readonly requestId: string;
  /** The errors of a RunAgentInput's body. */
  readonly isInput: boolean;
  /** `detail` repeats the message, for clients that look for it there. */
  readonly detailAlias: boolean;
}

/** The error body of this wire: `{code, message, details?, requestId}` (contract runs-api, section 2.3). */
export function runsErrorBody(error: HttpError, { requestId, isInput, detailAlias }: RunsErrorOptions): object {
  const body = isInput ? BODY[error.code] : undefined;
  const [code, ownMessage] = body ?? OWN[error.code] ?? [(error.wireCode ?? error.code).toLowerCase()];
  const message = ownMessage ?? error.message;
  const details = body && !error.details ? [{ path: '', message: error.message }] : error.details;
  return { code, message, ...(details && { details }), requestId, ...(detailAlias && { detail: message }) };
}

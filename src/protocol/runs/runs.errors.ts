import type { ErrorCode } from '../../common/index.js';
import type { HttpError } from '../http/index.js';
import { RUNS_ERRORS } from './runs.error-codes.js';

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

import { AppError, type ErrorCode, isPlainObject } from '../../common/index.js';
import { ANSWERED_CALL, UNKNOWN_CALL } from '../../run/index.js';
import type { HttpError } from '../http/index.js';

/** The codes of this wire for errors of the core (contract ag-kit, section 1.8). */
const NAMES: Partial<Record<ErrorCode, string>> = {
  INVALID_JSON: 'INVALID_ARGUMENT',
  INVALID_PARAMETER: 'INVALID_ARGUMENT',
  MISSING_PARAMETER: 'INVALID_ARGUMENT',
  PARAMETER_VALIDATION: 'INVALID_ARGUMENT',
  SESSION_BUSY: 'CONVERSATION_BUSY',
  SESSION_NOT_FOUND: 'CONVERSATION_NOT_FOUND',
  SESSION_EXISTS: 'CONVERSATION_EXISTS',
  INTERRUPT_ALREADY_ANSWERED: 'INTERRUPT_ALREADY_RESOLVED',
};

/** The error body of the AG-Kit routes: the vendor's SDK throws any JSON with a `code`. */
export function agKitErrorBody({ status, code, message, details }: HttpError, requestId: string): object {
  return { code: NAMES[code] ?? code, message, ...(details && { details }), ...(status >= 500 && { requestId }) };
}

/**
 * The error of this wire for a tool result that was refused (contract ag-kit, section 1.8): 400 for an unknown
 * call, 409 for an answered one, with the path of the message. Other errors are returned unchanged.
 */
export function toolResultError(error: unknown, messages: unknown): unknown {
  const [detail] = error instanceof AppError ? (error.details ?? []) : [];
  const rule = detail?.rule;
  if (!detail || (rule !== ANSWERED_CALL && rule !== UNKNOWN_CALL)) return error;
  const { message } = detail;
  const index = (Array.isArray(messages) ? messages : []).findLastIndex(
    (item) => isPlainObject(item) && message.split(' ').includes(String(item['toolCallId'])),
  );
  const path = index < 0 ? 'messages' : `messages[${index}].toolCallId`;
  const code = rule === ANSWERED_CALL ? 'TOOL_CALL_ALREADY_ANSWERED' : 'INVALID_PARAMETER';
  return new AppError(code, message, { details: [{ path, message, rule }] });
}

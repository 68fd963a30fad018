import type { ErrorCode } from '../../common/index.js';
import type { HttpError } from '../http/index.js';

/** Codes that this wire names in its own words (contract ag-kit, section 1.8). */
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

import type { ErrorCode } from '../../common/index.js';
import type { HttpError } from '../http/index.js';

/** The titles of the original runtime. Other errors have a common title with status 400, otherwise their message. */
const TITLES: Partial<Record<ErrorCode, string>> = {
  AGENT_NOT_FOUND: 'Agent not found',
  SESSION_NOT_FOUND: 'Thread not found',
  SESSION_BUSY: 'Thread already running',
  AUTH_FAILED: 'Unauthorized',
  PERMISSION_DENIED: 'Forbidden',
  RATE_LIMIT_EXCEEDED: 'Too many requests',
  BUDGET_EXCEEDED: 'Budget exceeded',
};

/** The error body of CopilotKit's routes: `{error, message}`, with the details of a refused body. */
export function copilotKitErrorBody({ status, code, message, details }: HttpError, requestId: string): object {
  const error = TITLES[code] ?? (status === 400 ? 'Invalid request body' : message);
  return { error, message, code, ...(details && { details }), ...(status >= 500 && { requestId }) };
}

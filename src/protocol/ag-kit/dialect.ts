import { AppError, isPlainObject } from '../../common/index.js';
import { kindOf } from '../http/fields.js';
import type { AgKitDialect } from './ag-kit.types.js';

/**
 * Tells by the body which of the three dialects a client speaks (contract ag-kit, section 6.1).
 *
 * @throws AppError PARAMETER_VALIDATION when it is no object; MISSING_PARAMETER when nothing in it tells
 */
export function dialectOf(body: unknown): AgKitDialect {
  if (!isPlainObject(body)) {
    throw new AppError('PARAMETER_VALIDATION', `The request body must be a JSON object, not ${kindOf(body ?? null)}`);
  }
  const has = (...names: string[]): boolean => names.some((name) => (body[name] ?? null) !== null);
  const isBots = typeof body['msg'] === 'string';
  const isThread = has('threadId', 'thread_id');
  if (has('conversationId') && !isThread && !isBots) return 'ag-kit';
  if (isThread || has('runId', 'run_id')) return 'ag-ui';
  if (isBots) return 'bot';
  if (everyMessageHasId(body['messages'])) return 'ag-ui';
  throw new AppError(
    'MISSING_PARAMETER',
    'conversationId (AG-Kit) or threadId (AG-UI) is required: it names the conversation',
  );
}

function everyMessageHasId(messages: unknown): boolean {
  if (!Array.isArray(messages) || messages.length === 0) return false;
  return messages.every((message) => isPlainObject(message) && typeof message['id'] === 'string');
}

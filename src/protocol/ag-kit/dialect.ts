import { AppError, isPlainObject } from '../../common/index.js';
import { kindOf } from '../http/bodies/field-reader.js';
import type { AgKitDialect } from './ag-kit.types.js';

type Body = Readonly<Record<string, unknown>>;

/**
 * Selects one of the three dialects (contract ag-kit, section 6.1): the one that the settings pin the agent to,
 * otherwise the one that the body shows.
 *
 * @throws AppError PARAMETER_VALIDATION when the body is no object; MISSING_PARAMETER when it shows
 *   none, or names a conversation of another dialect than the pinned one
 */
export function dialectOf(body: unknown, pinned?: AgKitDialect): AgKitDialect {
  if (!isPlainObject(body)) {
    throw new AppError('PARAMETER_VALIDATION', `The request body must be a JSON object, not ${kindOf(body ?? null)}`);
  }
  return pinned === undefined ? dialectIn(body) : checked(body, pinned);
}

function dialectIn(body: Body): AgKitDialect {
  const isBots = typeof body['msg'] === 'string';
  const isThread = has(body, 'threadId', 'thread_id');
  if (has(body, 'conversationId') && !isThread && !isBots) return 'ag-kit';
  if (isThread || has(body, 'runId', 'run_id')) return 'ag-ui';
  if (isBots) return 'bot';
  if (everyMessageHasId(body['messages'])) return 'ag-ui';
  throw new AppError(
    'MISSING_PARAMETER',
    'conversationId (AG-Kit) or threadId (AG-UI) is required: it names the conversation',
  );
}

/** A thread that is not named is created; one that is named by the key of another dialect must not be ignored. */
function checked(body: Body, pinned: AgKitDialect): AgKitDialect {
  if (pinned === 'ag-ui' && has(body, 'conversationId') && !has(body, 'threadId', 'thread_id')) {
    throw new AppError('MISSING_PARAMETER', 'threadId is required: this agent uses the AG-UI dialect');
  }
  return pinned;
}

function has(body: Body, ...names: string[]): boolean {
  return names.some((name) => (body[name] ?? null) !== null);
}

function everyMessageHasId(messages: unknown): boolean {
  if (!Array.isArray(messages) || messages.length === 0) return false;
  return messages.every((message) => isPlainObject(message) && typeof message['id'] === 'string');
}

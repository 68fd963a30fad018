import { AppError, isPlainObject } from '../../common/index.js';
import { ANSWERED_CALL, UNKNOWN_CALL } from '../../run/index.js';

/**
 * The refusal of a tool's result in the words of this wire (contract ag-kit, section 1.8): 400 for a call
 * that nobody made, 409 for one that was answered; with the message that is meant. Other errors stay as
 * they are.
 */
export function resultRefusal(error: unknown, messages: unknown): unknown {
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

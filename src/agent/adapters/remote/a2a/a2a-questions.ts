import { isPlainObject } from '../../../../common/index.js';
import type { InputQuestion } from '../../../agent.js';
import { asObject, type Fields, objectAt, objectsAt, textAt } from '../json-fields.js';
import type { RemoteWriter } from '../remote-writer.js';
import { textIn } from './a2a-frames.js';

/** The key of a question whose answer is given elsewhere: here it only says that this was done. */
export const AUTH_KEY = 'auth';

/** The longest data of a question that are its reason, in characters of JSON. */
const LONGEST_REASON = 8192;

/** Asks for what a task waits for: the questions of another Parley one by one, any other as one. */
export function askFor(message: Fields, writer: RemoteWriter): void {
  const asked = objectsAt(message, 'parts').map((part) => objectAt(part, 'data'));
  const approvals = asked.filter((one) => textAt(one, 'type') === 'approval_request');
  const inputs = asked.filter((one) => textAt(one, 'type') === 'input_request');
  for (const one of approvals) {
    const [label, sentence, callId] = [textAt(one, 'serverLabel'), textAt(one, 'message'), textAt(one, 'callId')];
    writer.approval(textAt(one, 'id') ?? '', {
      name: textAt(one, 'tool') ?? 'unknown_tool',
      arguments: JSON.stringify(one['arguments'] ?? {}),
      ...(label !== undefined && { label }),
      ...(sentence !== undefined && { message: sentence }),
      ...(callId !== undefined && { callId }),
    });
  }
  for (const one of inputs) {
    const schema = objectAt(one, 'responseSchema');
    writer.question({
      key: `id:${textAt(one, 'id') ?? ''}`,
      reason: textAt(one, 'reason') ?? 'input_required',
      message: textAt(one, 'message') ?? textIn(message),
      ...(Object.keys(schema).length > 0 && { responseSchema: asObject(schema) }),
    });
  }
  if (approvals.length + inputs.length === 0) writer.question(questionIn(message));
}

/** A question that is put in words alone. @param reason what it is asked for */
export function wordsAsked(message: Fields, key: string, reason: string): InputQuestion {
  return { key, reason, message: textIn(message) || reason, responseSchema: { type: 'string' } };
}

/** A question of another server's own: its data go along as the reason, and are the question where it has no words. */
function questionIn(message: Fields): InputQuestion {
  const asked = wordsAsked(message, 'task', 'input_required');
  const data = objectsAt(message, 'parts').flatMap(({ data: one }) => (isPlainObject(one) ? [one] : []));
  const json = JSON.stringify(data.length === 1 ? data[0] : data);
  if (data.length === 0 || json.length > LONGEST_REASON) return asked;
  return { ...asked, reason: json, message: textIn(message) || json };
}

import { isPlainObject, type JsonObject } from '../../common/index.js';
import type { InterruptAnswer, InterruptKind } from '../../interrupt/index.js';
import type { AgKitResume } from './ag-kit-request.decoder.js';

/** Words that people and clients say for yes and no. */
const YES: ReadonlySet<unknown> = new Set([
  true,
  'true',
  'yes',
  'y',
  'ok',
  'approve',
  'approved',
  'accept',
  'accepted',
]);
const NO: ReadonlySet<unknown> = new Set([false, 'false', 'no', 'n', 'deny', 'denied', 'reject', 'rejected']);

/**
 * The answer that a `resume` gives to a question. An approval takes `{approved, reason?, arguments?}`,
 * a bare true or false, or a word that says the same; an input takes its payload as it is. What says
 * nothing is passed on without a decision, which the server refuses.
 */
export function answerOf({ interruptId, payload }: AgKitResume, kind: InterruptKind): InterruptAnswer {
  const base = { interruptId, status: 'resolved' as const };
  if (kind === 'input') return { ...base, payload };
  const fields: JsonObject = isPlainObject(payload) ? payload : { approved: payload };
  const approve = decision(fields['approved'] ?? fields['approve']);
  const { reason } = fields;
  const edited = fields['arguments'] ?? fields['editedArgs'] ?? fields['editedArguments'] ?? null;
  return {
    ...base,
    ...(approve !== undefined && { approve }),
    ...(typeof reason === 'string' && { reason }),
    ...(edited !== null && { editedArguments: edited }),
  };
}

function decision(value: unknown): boolean | undefined {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (YES.has(word)) return true;
  return NO.has(word) ? false : undefined;
}

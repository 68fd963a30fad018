import { AppError, canonicalJson } from '../../common/index.js';
import type { DataContent, Message } from '../../events/index.js';

/**
 * Leaves out of a request's messages what the session has already. Some clients send the whole
 * conversation with every request: everything up to the last message that the session knows is
 * repetition, the messages without ids among it too. A user message at the end is always new, even
 * when a careless client gives every message the same id; an output at the end is always an answer.
 *
 * @param traffic the session's calls for clients and their outputs: a repeated output is known by its call
 */
export function withoutRepetition(
  input: readonly Message[],
  known: ReadonlyMap<string, Message>,
  traffic: readonly Message[],
): readonly Message[] {
  const answers = new Map(traffic.filter(isAnswer).map((message) => [callIdOf(message), message]));
  const lastKnown = input.findLastIndex((message, index) => {
    const isLast = index === input.length - 1;
    if (isAnswer(message) && !isLast) {
      const answer = answers.get(callIdOf(message));
      if (answer && sameMessage(answer, message)) return true;
    }
    const stored = known.get(message.id);
    if (!stored || !sameMessage(stored, message)) return false;
    return !(isLast && message.role === 'user' && message.type === 'message');
  });
  return input.slice(lastKnown + 1);
}

function isAnswer(message: Message): boolean {
  return message.type === 'function_call_output';
}

/** Leaves out results of the server's own calls: what came of those only the server says. */
export function withoutServerResults(input: readonly Message[], traffic: readonly Message[]): readonly Message[] {
  const calls = traffic.filter(({ type }) => type.endsWith('_call') && type !== 'function_call');
  const ids = new Set(calls.map(callIdOf));
  return input.filter((message) => message.type === 'function_call_output' || !isOutputOf(message, ids));
}

function isOutputOf(message: Message, callIds: ReadonlySet<string>): boolean {
  return message.type.endsWith('_call_output') && callIds.has(callIdOf(message));
}

/** True for messages that say the same, whatever their ids and states. */
export function sameMessage(a: Message, b: Message): boolean {
  return a.role === b.role && a.type === b.type && canonicalJson(values(a)) === canonicalJson(values(b));
}

/** The contents without what only their life cycle or place adds. */
function values(message: Message): unknown[] {
  return (message.content ?? []).map(({ index, status, delta, msg_id, error, ...value }) => {
    void [index, status, delta, msg_id, error];
    return value;
  });
}

/** The rules that a refused result broke, as the error's details name them. */
export const ANSWERED_CALL = 'answered_call';
export const UNKNOWN_CALL = 'unknown_call';

/**
 * Checks the results of client tools against the calls they answer: those of the session and those
 * in the request itself.
 *
 * @throws AppError INVALID_PARAMETER for an unknown or already answered call
 */
export function checkToolResults(input: readonly Message[], traffic: readonly Message[]): void {
  const open = new Set<string>();
  const answered = new Set<string>();
  for (const message of traffic) note(message, open, answered);
  for (const [index, message] of input.entries()) {
    if (message.type === 'function_call_output') {
      const id = callIdOf(message);
      const path = `input[${index}].content[0].data.call_id`;
      if (answered.has(id)) throw refusal(path, `The call ${id} was already answered`, ANSWERED_CALL);
      if (!open.has(id)) throw refusal(path, `No open tool call has the id ${id}`, UNKNOWN_CALL);
    }
    note(message, open, answered);
  }
}

function note(message: Message, open: Set<string>, answered: Set<string>): void {
  if (message.type === 'function_call') open.add(callIdOf(message));
  if (message.type === 'function_call_output') answered.add(callIdOf(message));
}

/** The call that a message of tool traffic is about; '' when it names none. */
export function callIdOf(message: Message): string {
  const content = message.content?.find((part): part is DataContent => part.type === 'data');
  const id = content?.data?.['call_id'];
  return typeof id === 'string' ? id : '';
}

function refusal(path: string, message: string, rule: string): AppError {
  return new AppError('INVALID_PARAMETER', message, { details: [{ path, message, rule }] });
}

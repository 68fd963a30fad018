import { AppError } from '../../common/index.js';
import { type DataContent, type Message, textOf } from '../../events/index.js';
import { contentKey } from './conversation-units.js';

/** The rules that a refused tool result broke, as the details of the error name them. */
export const ANSWERED_CALL = 'answered_call';
export const UNKNOWN_CALL = 'unknown_call';

/**
 * Leaves out of a request's messages what the session has already. Some clients send the whole
 * conversation with every request: everything up to the last message that the session has is a
 * repetition, including messages without ids. A user message at the end is always new, even when the
 * client gives every message the same id; an output at the end is always a result.
 *
 * @param toolMessages the session's calls of client tools and their outputs: a repeated output is known by its call
 */
export function withoutRepetition(
  input: readonly Message[],
  known: ReadonlyMap<string, Message>,
  toolMessages: readonly Message[],
): readonly Message[] {
  const outputs = new Map(toolMessages.filter(isClientOutput).map((message) => [callIdOf(message), message]));
  const lastKnown = input.findLastIndex((message, index) => {
    const isLast = index === input.length - 1;
    if (isClientOutput(message) && !isLast) {
      const output = outputs.get(callIdOf(message));
      if (output && isSameMessage(output, message)) return true;
    }
    const stored = known.get(message.id);
    if (!stored || !isSameMessage(stored, message)) return false;
    return !(isLast && message.role === 'user' && message.type === 'message');
  });
  return input.slice(lastKnown + 1);
}

/** Leaves out results of calls that the server itself makes: a client cannot supply those. */
export function withoutServerResults(input: readonly Message[], toolMessages: readonly Message[]): readonly Message[] {
  const calls = toolMessages.filter(({ type }) => type.endsWith('_call') && type !== 'function_call');
  const callIds = new Set(calls.map(callIdOf));
  return input.filter((message) => isClientOutput(message) || !(isOutput(message) && callIds.has(callIdOf(message))));
}

/**
 * Leaves out of a conversation that a client sends as a whole what the session has. The session is the authority: of
 * a message that it has with other content only a user's is new. A user message at the end is always new, unless the
 * request answers an interrupt.
 *
 * @param stored for each message the one of the session that it repeats
 * @param toolMessages all tool calls of the session and their outputs, of the server and of clients
 */
export function newInConversation(
  input: readonly Message[],
  stored: readonly (Message | undefined)[],
  toolMessages: readonly Message[],
  answersInterrupts: boolean,
): readonly Message[] {
  const calls = new Map<string, Message['type']>();
  const answered = new Set<string>();
  for (const message of toolMessages) {
    if (isOutput(message)) answered.add(callIdOf(message));
    else calls.set(callIdOf(message), message.type);
  }
  return input.filter((message, index) => {
    if (isOutput(message)) return isNewOutput(callIdOf(message), calls, answered);
    if (message.type.endsWith('_call')) return !calls.has(callIdOf(message));
    const known = stored[index];
    if (!known) return true;
    if (message.role !== 'user') return false;
    return isEdited(message, known) || (index === input.length - 1 && !answersInterrupts);
  });
}

/**
 * Checks the results of client tools against the calls they answer: those of the session and those
 * in the request itself.
 *
 * @throws AppError INVALID_PARAMETER for an unknown or already answered call
 */
export function checkToolResults(input: readonly Message[], toolMessages: readonly Message[]): void {
  const open = new Set<string>();
  const answered = new Set<string>();
  const add = (message: Message): void => {
    if (message.type === 'function_call') open.add(callIdOf(message));
    if (isClientOutput(message)) answered.add(callIdOf(message));
  };
  toolMessages.forEach(add);
  for (const [index, message] of input.entries()) {
    if (isClientOutput(message)) {
      const id = callIdOf(message);
      const path = `input[${index}].content[0].data.call_id`;
      if (answered.has(id)) throw invalid(path, `The call ${id} was already answered`, ANSWERED_CALL);
      if (!open.has(id)) throw invalid(path, `No open tool call has the id ${id}`, UNKNOWN_CALL);
    }
    add(message);
  }
}

/** True for a tool call and for the output of one. */
export function isToolMessage({ type }: Message): boolean {
  return type.endsWith('_call') || type.endsWith('_call_output');
}

/** Outputs of the server's calls are the server's; those of unknown calls are checked with their calls. */
function isNewOutput(
  callId: string,
  calls: ReadonlyMap<string, Message['type']>,
  answered: ReadonlySet<string>,
): boolean {
  const type = calls.get(callId);
  return type === undefined || (type === 'function_call' && !answered.has(callId));
}

/** True for a text that differs from what is stored. Other contents may look different when clients send them back. */
export function isEdited(resent: Message, stored: Message): boolean {
  return (stored.content ?? []).every(({ type }) => type === 'text') && textOf(stored) !== textOf(resent);
}

/** True for messages with the same content, whatever their ids and states. */
function isSameMessage(a: Message, b: Message): boolean {
  return a.role === b.role && a.type === b.type && contentKey(a) === contentKey(b);
}

/** True for the output of any call. */
export function isOutput({ type }: Message): boolean {
  return type.endsWith('_call_output');
}

function isClientOutput({ type }: Message): boolean {
  return type === 'function_call_output';
}

/** The id of the call that a tool message belongs to; '' when it has none. */
export function callIdOf(message: Message): string {
  const content = message.content?.find((part): part is DataContent => part.type === 'data');
  const id = content?.data?.['call_id'];
  return typeof id === 'string' ? id : '';
}

function invalid(path: string, message: string, rule: string): AppError {
  return new AppError('INVALID_PARAMETER', message, { details: [{ path, message, rule }] });
}

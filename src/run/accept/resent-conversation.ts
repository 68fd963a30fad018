import type { Message } from '../../events/index.js';
import { callIdOf, sameMessage } from './input-repetition.js';

/** What a session has of what a client resends. */
export interface KnownConversation {
  /** By message id. */
  readonly byId: ReadonlyMap<string, Message>;
  /** All tool calls and their outputs, of the server and of clients. */
  readonly traffic: readonly Message[];
}

/**
 * Leaves out of a conversation that a client sends as a whole what the session has: messages by their
 * id, calls and outputs by the call. The session is the authority, so what it has in other words is
 * left out too; only a user's message counts as new under its old id when its words are others. A
 * user's message at the end is always new, unless the request answers an open question.
 */
export function newInConversation(
  input: readonly Message[],
  known: KnownConversation,
  answersQuestions: boolean,
): readonly Message[] {
  const calls = new Map<string, Message['type']>();
  const answered = new Set<string>();
  for (const message of known.traffic) {
    if (isOutput(message)) answered.add(callIdOf(message));
    else calls.set(callIdOf(message), message.type);
  }
  return input.filter((message, index) => {
    if (isOutput(message)) return isNewOutput(callIdOf(message), calls, answered);
    if (message.type.endsWith('_call')) return !calls.has(callIdOf(message));
    const stored = known.byId.get(message.id);
    if (!stored) return true;
    if (message.role !== 'user') return false;
    return !sameMessage(stored, message) || (index === input.length - 1 && !answersQuestions);
  });
}

/** Outputs of the server's own calls are the server's; those of unknown calls are judged with their calls. */
function isNewOutput(
  callId: string,
  calls: ReadonlyMap<string, Message['type']>,
  answered: ReadonlySet<string>,
): boolean {
  const type = calls.get(callId);
  return type === undefined || (type === 'function_call' && !answered.has(callId));
}

function isOutput(message: Message): boolean {
  return message.type.endsWith('_call_output');
}

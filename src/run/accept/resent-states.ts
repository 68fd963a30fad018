import type { Reach } from '../../common/index.js';
import type { Transaction } from '../../database/index.js';
import { CALL_TYPES, type Message } from '../../events/index.js';
import {
  answeredAfter,
  type MessageState,
  type MessageStates,
  type SessionStore,
  stateKey,
} from '../../agent/session/index.js';

/** The states of an input without answers. */
const NONE: MessageStates = new Map();

/**
 * The provider states of answers that a client sends back in a conversation of its own: found by the ids of the
 * messages, otherwise by what they say (contract model-servers, section 0). Nothing is read if the input has no answers.
 */
export async function resentStates(
  tx: Transaction,
  sessions: SessionStore,
  reach: Reach,
  input: readonly Message[],
): Promise<MessageStates> {
  if (!input.some(isAnswer)) return NONE;
  const keys = keysOf(input);
  const wanted = { ids: [...keys.keys()], keys: [...keys.values()].filter((key) => key !== null) };
  const { byId, byKey } = await sessions.findStates(tx, reach, wanted);
  const states = new Map<string, MessageState>();
  for (const [id, key] of keys) {
    const json = byId.get(id) ?? (key === null ? undefined : byKey.get(key));
    if (json !== undefined) states.set(id, { json, key });
  }
  return states;
}

/** The keys of the answers by their ids. */
function keysOf(input: readonly Message[]): ReadonlyMap<string, string | null> {
  const keys = new Map<string, string | null>();
  let answered: Message | undefined;
  for (const message of input) {
    if (isAnswer(message)) keys.set(message.id, stateKey(message, answered));
    answered = answeredAfter(answered, message);
  }
  return keys;
}

function isAnswer({ type, role }: Message): boolean {
  return CALL_TYPES.includes(type) || (role === 'assistant' && type === 'message');
}

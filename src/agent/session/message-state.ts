import { canonicalJson, fingerprint, isPlainObject, type JsonObject } from '../../common/index.js';
import { CALL_TYPES, dataOf, type Message, OUTPUT_TYPES, textOf } from '../../events/index.js';

/**
 * The longest JSON text of a state that is stored with a message. A longer one is not stored: its message goes back to
 * the provider without it, as it would to another provider.
 */
export const MAX_STATE_LENGTH = 256 * 1024;

/** What a model's provider wants back with an answer, as it is stored with a message (contract model-servers, section 0). */
export interface MessageState {
  /** The JSON text of an object. */
  readonly json: string;
  /** A digest that finds the state when a client sends the message back without its id; null if there is none. */
  readonly key: string | null;
}

/** States by the ids of their messages. */
export type MessageStates = ReadonlyMap<string, MessageState>;

/** The JSON texts of states, by the ids of their messages. */
export type StateTexts = ReadonlyMap<string, string>;

/** Messages of a session with the states that some of them have. */
export interface StoredMessages {
  /** Oldest first. */
  readonly messages: readonly Message[];
  readonly states: StateTexts;
}

/** The input of a run that repeats another one. */
export const NO_MESSAGES: StoredMessages = { messages: [], states: new Map() };

/**
 * The stored form of a state; undefined for one that is too long.
 *
 * @param answered as that of `stateKey`
 */
export function messageState(state: JsonObject, message: Message, answered?: Message): MessageState | undefined {
  const json = JSON.stringify(state);
  return json.length > MAX_STATE_LENGTH ? undefined : { json, key: stateKey(message, answered) };
}

/**
 * A digest of what an answer says, equal for the answer and for its copy in a conversation that a client sends back: of
 * a call its id, name and arguments; of a text the text and what it answers, the last call or user's text before it.
 * Null for other messages, and for a text of which it is not known what it answers.
 *
 * @param answered what `answeredAfter` makes of the messages before this one
 */
export function stateKey(message: Message, answered: Message | undefined): string | null {
  if (CALL_TYPES.includes(message.type)) return callKey(message);
  if (message.type !== 'message' || message.role !== 'assistant' || !answered) return null;
  const text = textOf(message);
  const id = dataOf(answered)?.['call_id'] ?? null;
  return text === '' ? null : fingerprint(['text', text, isToolTraffic(answered) ? id : ['user', textOf(answered)]]);
}

/**
 * What a text after a message answers: the last user's message or call before it, or a result if its call is not known.
 *
 * @param answered what a text before the message would answer
 */
export function answeredAfter(answered: Message | undefined, message: Message): Message | undefined {
  if (CALL_TYPES.includes(message.type)) return message;
  // Results of parallel calls come in any order.
  if (OUTPUT_TYPES.includes(message.type)) return answered && CALL_TYPES.includes(answered.type) ? answered : message;
  return message.type === 'message' && message.role === 'user' ? message : answered;
}

/** Clients may print the arguments in another way, so their values count. */
function callKey(message: Message): string | null {
  const { call_id: id, name, arguments: text } = dataOf(message) ?? {};
  if (typeof id !== 'string' || typeof name !== 'string') return null;
  return fingerprint(['call', id, name, typeof text === 'string' ? valueText(text) : canonicalJson(text ?? {})]);
}

function valueText(text: string): string {
  try {
    const value = JSON.parse(text) as unknown;
    return isPlainObject(value) ? canonicalJson(value) : text;
  } catch {
    return text;
  }
}

function isToolTraffic({ type }: Message): boolean {
  return CALL_TYPES.includes(type) || OUTPUT_TYPES.includes(type);
}

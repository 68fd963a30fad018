import type { Message } from '../../events/index.js';
import type { StoredMessage } from '../../session/index.js';
import { alignmentOf, contentKey, unitsOf } from './conversation-units.js';
import { callIdOf, isEdited, isOutput, isToolMessage } from './input-repetition.js';

/** A conversation that a client resends as a whole. */
export interface Resent {
  readonly input: readonly Message[];
  /** The ids of messages that the client sent without one. */
  readonly unnamed: ReadonlySet<string>;
}

/** How a resent conversation relates to what the session has. */
export interface Comparison {
  /** For each resent message the index of the stored one that it repeats; undefined for one that is new. */
  readonly known: readonly (number | undefined)[];
  /**
   * The index of the first stored message that the client no longer has, from which on the conversation is to be rolled
   * back; undefined if that is none.
   */
  readonly cut: number | undefined;
}

/**
 * Compares a resent conversation with the stored one (contract ag-ui, section 2.6). Messages are known by their ids, and
 * tool calls and their results by the id of the call. Answers without an id are known by their place: they, and what was
 * asked before them, are equal to a part of the stored conversation.
 *
 * @param stored the conversation that the session has
 */
export function compareConversation(resent: Resent, stored: readonly StoredMessage[]): Comparison {
  if (stored.length === 0) return { known: [], cut: undefined };
  const messages = stored.map(({ message }) => message);
  const known = knownById(resent, messages);
  addKnownByPlace(resent, messages, known);
  return { known, cut: beginsLike(resent, messages, known) ? cutOf(resent, stored, known) : undefined };
}

function knownById({ input, unnamed }: Resent, stored: readonly Message[]): (number | undefined)[] {
  const ids = new Map<string, number>();
  for (const [index, message] of stored.entries()) ids.set(keyOf(message), index);
  const instructions = new Map<string, number>();
  for (const [index, message] of stored.entries()) {
    if (message.role === 'system') instructions.set(contentKey(message), index);
  }
  return input.map((message) => {
    if (message.role === 'system') return ids.get(keyOf(message)) ?? instructions.get(contentKey(message));
    const index = unnamed.has(message.id) && !isToolMessage(message) ? undefined : ids.get(keyOf(message));
    return index !== undefined && stored[index]?.role === message.role ? index : undefined;
  });
}

/** Calls and their results have ids of their own, which clients keep when they make up those of messages. */
function keyOf(message: Message): string {
  if (!isToolMessage(message)) return `message ${message.id}`;
  return `${isOutput(message) ? 'output' : 'call'} ${callIdOf(message)}`;
}

/** Answers that no id makes known are looked for by what they and the questions before them say. */
function addKnownByPlace({ input }: Resent, stored: readonly Message[], known: (number | undefined)[]): void {
  const isUnknownAnswer = (message: Message, index: number): boolean =>
    message.type === 'message' && message.role === 'assistant' && known[index] === undefined;
  if (!input.some(isUnknownAnswer)) return;
  const [resentUnits, storedUnits] = [unitsOf(input), unitsOf(stored)];
  const alignment = alignmentOf(resentUnits, storedUnits);
  if (!alignment) return;
  for (const [place, { indexes }] of resentUnits.slice(0, alignment.length).entries()) {
    const last = storedUnits[alignment.start + place]?.indexes.at(-1);
    for (const index of indexes) known[index] ??= last;
  }
}

/** Whether both conversations begin with the same message: a client that only sends what is new begins with that. */
function beginsLike({ input }: Resent, stored: readonly Message[], known: readonly (number | undefined)[]): boolean {
  const first = known[input.findIndex(isSaid)];
  if (first === undefined) return false;
  const before = stored.slice(0, first).filter(isSaid);
  // What an assistant says first may be several messages.
  return before.every(({ role }) => role === 'assistant' && stored[first]?.role === 'assistant');
}

/** Where the client's conversation ends or differs, at the beginning of a turn. */
function cutOf(
  { input, unnamed }: Resent,
  stored: readonly StoredMessage[],
  known: readonly (number | undefined)[],
): number | undefined {
  const changed = input.findIndex((message, index) => {
    const one = stored[known[index] ?? -1];
    return one !== undefined && isAsked(message) && isEdited(message, one.message);
  });
  if (changed >= 0) return beginOf(known[changed], stored);
  const places = known.filter((place, index) => place !== undefined && input[index]?.role !== 'system');
  const last = Math.max(...(places as number[]));
  const asked = input.at(-1);
  const isAskedAgain = asked !== undefined && isAsked(asked) && !unnamed.has(asked.id) && known.at(-1) === last;
  if (isAskedAgain && places.filter((place) => place === last).length === 1) return beginOf(last, stored);
  const next = stored.findIndex(({ message, origin }, index) => index > last && origin === 'input' && isAsked(message));
  return next < 0 ? undefined : beginOf(next, stored);
}

/** A run is rolled back as a whole: from the first of its messages on. */
function beginOf(index: number | undefined, stored: readonly StoredMessage[]): number | undefined {
  const runRowId = stored[index ?? -1]?.runRowId;
  return runRowId === undefined || runRowId === 0 ? index : stored.findIndex((one) => one.runRowId === runRowId);
}

/** True for what people see of a conversation: what the user or the assistant says. */
function isSaid({ type, role }: Message): boolean {
  return type === 'message' && (role === 'user' || role === 'assistant');
}

function isAsked(message: Message): boolean {
  return isSaid(message) && message.role === 'user';
}

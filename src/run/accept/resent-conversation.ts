import type { Message } from '../../events/index.js';
import type { StoredMessage } from '../../agent/session/index.js';
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
  /** The turns of the session that the client no longer has, oldest first. */
  readonly lost: readonly LostTurn[];
}

/** A turn of the session that a client has left out of its conversation. */
export interface LostTurn {
  readonly messages: readonly StoredMessage[];
  /** True if the client has had it: it asks the same again, or has edited the question. */
  readonly isAskedAgain: boolean;
}

/**
 * Compares a resent conversation with the stored one (contract ag-ui, section 2.6). Messages are known by their ids, and
 * tool calls and their results by the id of the call. Answers without an id are known by their place: they, and what was
 * asked before them, are equal to a part of the stored conversation.
 *
 * @param stored the conversation that the session has
 */
export function compareConversation(resent: Resent, stored: readonly StoredMessage[]): Comparison {
  if (stored.length === 0) return { known: [], lost: [] };
  const messages = stored.map(({ message }) => message);
  const known = knownById(resent, messages);
  addKnownByPlace(resent, messages, known);
  return { known, lost: beginsLike(resent, messages, known) ? lostTurns(resent, stored, known) : [] };
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

/** The turns from where the client's conversation differs or ends. */
function lostTurns(
  resent: Resent,
  stored: readonly StoredMessage[],
  known: readonly (number | undefined)[],
): LostTurn[] {
  const asked = askedAgain(resent, stored, known);
  const first = asked ?? nextQuestion(resent, stored, known);
  if (first < 0) return [];
  const turns = turnsOf(stored);
  const from = turns.findLastIndex(([begin]) => begin !== undefined && begin <= first);
  return turns.slice(from).map((indexes, place) => ({
    messages: indexes.flatMap((index) => stored[index] ?? []),
    isAskedAgain: asked !== undefined && place === 0,
  }));
}

/** The index of a stored question that the client has edited, or with which its conversation ends. */
function askedAgain(
  { input, unnamed }: Resent,
  stored: readonly StoredMessage[],
  known: readonly (number | undefined)[],
): number | undefined {
  const edited = known.find((index, place) => {
    const [message, one] = [input[place], stored[index ?? -1]];
    return message && one && isAsked(message) && isEdited(message, one.message);
  });
  // A client that only sends what is new may use an id again: nothing tells it from one that edits its first question.
  if (edited !== undefined) return input.length > 1 ? edited : undefined;
  const [last, index] = [input.at(-1), known.at(-1)];
  if (!last || index === undefined || !isAsked(last) || unnamed.has(last.id)) return undefined;
  return known.slice(0, -1).every((other) => other === undefined || other < index) ? index : undefined;
}

/** The index of the first question after everything that the client has; -1 if there is none. */
function nextQuestion(
  { input }: Resent,
  stored: readonly StoredMessage[],
  known: readonly (number | undefined)[],
): number {
  let last = -1;
  for (const [place, index] of known.entries()) {
    if (index !== undefined && index > last && input[place]?.role !== 'system') last = index;
  }
  return stored.findIndex((one, index) => index > last && isQuestion(one));
}

/**
 * The turns of a conversation, as indexes: each begins with a run that has a question, and the runs that go on with
 * answers to it belong to it. What was added outside runs begins a turn with every question.
 */
function turnsOf(stored: readonly StoredMessage[]): readonly (readonly number[])[] {
  const asking = new Set(stored.filter(isQuestion).map(({ runRowId }) => runRowId));
  const turns: number[][] = [[]];
  for (const [index, one] of stored.entries()) {
    const isNewRun = one.runRowId !== stored[index - 1]?.runRowId;
    if (one.runRowId === 0 ? isQuestion(one) : isNewRun && asking.has(one.runRowId)) turns.push([]);
    turns.at(-1)?.push(index);
  }
  return turns.filter(({ length }) => length > 0);
}

function isQuestion({ message, origin }: StoredMessage): boolean {
  return origin === 'input' && isAsked(message);
}

/** True for what people see of a conversation: what the user or the assistant says. */
function isSaid({ type, role }: Message): boolean {
  return type === 'message' && (role === 'user' || role === 'assistant');
}

function isAsked(message: Message): boolean {
  return isSaid(message) && message.role === 'user';
}

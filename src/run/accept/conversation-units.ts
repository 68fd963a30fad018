import { canonicalJson } from '../../common/index.js';
import { addressKey } from '../../agent/attachment/index.js';
import type { Content, Message } from '../../events/index.js';

/** What a conversation consists of for people: a message of the user, or what the assistant says before the next one. */
export interface Unit {
  readonly role: 'user' | 'assistant';
  /** Equal for equal contents; of an assistant without white space, because clients join its messages. */
  readonly words: string;
  /** The indexes of its messages, in order. */
  readonly indexes: readonly number[];
  /** True if the assistant was stopped: a client may have less of it. */
  readonly isCut: boolean;
}

/** The units of a conversation. Tools, reasoning and the system say nothing to people and are left out. */
export function unitsOf(messages: readonly Message[]): readonly Unit[] {
  const units: Unit[] = [];
  for (const [index, message] of messages.entries()) {
    const { type, role, status } = message;
    if (type !== 'message' || (role !== 'user' && role !== 'assistant')) continue;
    const words = role === 'user' ? contentKey(message) : saidBy(message);
    if (role === 'assistant' && words === '') continue;
    const isCut = status === 'canceled' || status === 'failed' || status === 'incomplete';
    const last = units.at(-1);
    if (role === 'assistant' && last?.role === role) {
      const indexes = [...last.indexes, index];
      units[units.length - 1] = { role, words: last.words + words, indexes, isCut: last.isCut || isCut };
    } else units.push({ role, words, indexes: [index], isCut });
  }
  return units;
}

/** Equal for messages of equal contents, whatever their ids, states and the signatures of their addresses. */
export function contentKey(message: Message): string {
  return canonicalJson((message.content ?? []).map(valueOf));
}

/** A content without what only describes its life cycle or position. */
function valueOf({ index, status, delta, msg_id, error, ...value }: Content): object {
  void [index, status, delta, msg_id, error];
  if (value.type === 'image' && value.image_url !== null) return { ...value, image_url: addressKey(value.image_url) };
  if (value.type === 'file' && value.file_url !== null) return { ...value, file_url: addressKey(value.file_url) };
  return value;
}

/** What an assistant says, without white space. */
function saidBy({ content }: Message): string {
  const texts = (content ?? []).map((part) =>
    part.type === 'text' ? (part.text ?? '') : part.type === 'refusal' ? (part.refusal ?? '') : '',
  );
  return texts.join('').replace(/\s+/g, '');
}

/** How a part of one conversation is the beginning of another. */
export interface Alignment {
  /** How many units of the resent conversation are known. */
  readonly length: number;
  /** The index of the unit of the known conversation that is equal to the first one. */
  readonly start: number;
}

/**
 * The longest beginning of a resent conversation that the known one has, at any place, because clients may leave out
 * what is old. Equal questions alone prove nothing, since people repeat themselves: an answer must be among it. What
 * the user says last is always new. Of equally long ones the first counts. Takes time in proportion to both lengths.
 */
export function alignmentOf(resent: readonly Unit[], known: readonly Unit[]): Alignment | undefined {
  const past = resent.at(-1)?.role === 'user' ? resent.slice(0, -1) : resent;
  const [begin, all] = [past.map(keyOf), keysAsResent(known, past)];
  const best = longestBeginning(begin, all);
  return past.slice(0, best.length).some(({ role }) => role === 'assistant') ? best : undefined;
}

/** The keys of known units. An answer that was stopped has that of a shorter copy, which its client may have of it. */
function keysAsResent(known: readonly Unit[], resent: readonly Unit[]): readonly string[] {
  const copies = new Map<string, Unit>();
  for (const [index, unit] of resent.entries()) {
    const asked = resent[index - 1];
    if (unit.role === 'assistant' && asked) copies.set(keyOf(asked), unit);
  }
  return known.map((unit, index) => {
    const asked = known[index - 1];
    const copy = unit.isCut && unit.role === 'assistant' && asked ? copies.get(keyOf(asked)) : undefined;
    return keyOf(copy && unit.words.startsWith(copy.words) ? copy : unit);
  });
}

function keyOf({ role, words }: Unit): string {
  return `${role} ${words}`;
}

/** The longest beginning of a list in a text, by the algorithm of Knuth, Morris and Pratt. */
function longestBeginning(list: readonly string[], text: readonly string[]): Alignment {
  const numbers = new Map<string, number>();
  for (const key of list) if (!numbers.has(key)) numbers.set(key, numbers.size);
  const pattern = list.map((key) => numbers.get(key));
  const borders = bordersOf(pattern);
  let best: Alignment = { length: 0, start: 0 };
  let length = 0;
  for (const [index, key] of text.entries()) {
    const number = numbers.get(key);
    if (number === undefined) length = 0;
    else {
      length = extended(pattern, borders, length, number);
      if (length > best.length) best = { length, start: index + 1 - length };
      if (length === pattern.length) return best;
    }
  }
  return best;
}

/** For each beginning of a list the length of the longest shorter one with which it ends. */
function bordersOf(pattern: readonly (number | undefined)[]): readonly number[] {
  const borders: number[] = [];
  for (const [index, number] of pattern.entries()) {
    borders.push(index === 0 ? 0 : extended(pattern, borders, borders[index - 1] ?? 0, number));
  }
  return borders;
}

/** How much of the pattern a text ends with that ended with `length` of it, after one more key. */
function extended(
  pattern: readonly (number | undefined)[],
  borders: readonly number[],
  length: number,
  number: number | undefined,
): number {
  let matched = length;
  while (matched > 0 && pattern[matched] !== number) matched = borders[matched - 1] ?? 0;
  return pattern[matched] === number ? matched + 1 : 0;
}

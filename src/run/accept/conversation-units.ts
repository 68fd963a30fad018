import { canonicalJson } from '../../common/index.js';
import { addressKey } from '../../attachment/index.js';
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
 * the user says last is always new. Of equally long ones the first counts.
 */
export function alignmentOf(resent: readonly Unit[], known: readonly Unit[]): Alignment | undefined {
  const most = resent.at(-1)?.role === 'user' ? resent.length - 1 : resent.length;
  let best: Alignment | undefined;
  for (let start = 0; start < known.length; start += 1) {
    let length = 0;
    while (length < most && isSame(resent[length], known[start + length])) length += 1;
    if (length > (best?.length ?? 0) && resent.slice(0, length).some(({ role }) => role === 'assistant')) {
      best = { length, start };
    }
  }
  return best;
}

function isSame(resent: Unit | undefined, known: Unit | undefined): boolean {
  if (!resent || !known || resent.role !== known.role) return false;
  return resent.words === known.words || (known.isCut && known.words.startsWith(resent.words));
}

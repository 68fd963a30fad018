import type { RelayedEvents, RelayMessage } from '../ports/run-relay.js';

/** Longer events are not sent: they are read from the ledger. In characters. */
const MOST_CHARACTERS = 64 * 1024;
/** The version of the format, fence, first number, end, time. A process that does not know the version reads the ledger. */
const HEAD = /^1 (\d{1,15}) (\d{1,15}) (\d{1,15}) (\d{1,15})$/;

/**
 * A message as text: a line of numbers, then each event on a line of its own. Events are lines already, so nothing is
 * encoded again.
 *
 * @param withLines false for numbers only
 */
export function encodeMessage(message: RelayMessage, withLines: boolean): string {
  if (typeof message === 'string') return message;
  const { fence, firstSeq, nextSeq, at, lines } = message;
  const head = `1 ${fence} ${firstSeq} ${nextSeq} ${at}`;
  if (!withLines || !lines) return head;
  let length = 0;
  for (const line of lines) length += line.length;
  return length > MOST_CHARACTERS ? head : `${head}\n${lines.join('\n')}`;
}

/** What a text says; `changed` if it cannot be read. */
export function decodeMessage(text: string): RelayMessage {
  const end = text.indexOf('\n');
  const head = HEAD.exec(end < 0 ? text : text.slice(0, end));
  if (!head) return 'changed';
  const [fence = 0, firstSeq = 0, nextSeq = 0, at = 0] = head.slice(1).map(Number);
  const lines = end < 0 ? undefined : text.slice(end + 1).split('\n');
  const isWhole = nextSeq > firstSeq && (lines === undefined || lines.length === nextSeq - firstSeq);
  const events: RelayedEvents = { fence, firstSeq, nextSeq, lines, at };
  return isWhole ? events : 'changed';
}

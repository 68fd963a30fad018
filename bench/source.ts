import type { Script } from './protocol.js';

const WORDS = 'lorem ipsum dolor ';

/**
 * The text of a piece: its number, the moment of its making when that is measured, and some words.
 * The clock is monotonic and the same for all processes of one machine.
 */
export function pieceText(index: number, { ms, pad }: Script): string {
  const stamp = ms > 0 ? Number(process.hrtime.bigint() / 1000n) : 0;
  const text = `${index} ${stamp} ${WORDS}`;
  return text.length < pad ? text.padEnd(pad, WORDS) : text;
}

/** The frame of a piece as a hand-written server would make it: the same fields as Parley's. */
export function pieceOf(index: number, script: Script): object {
  return {
    sequence_number: index,
    object: 'content',
    status: 'in_progress',
    error: null,
    type: 'text',
    index: 0,
    delta: true,
    msg_id: 'msg_0123456789abcdef0123456789abcdef',
    text: pieceText(index, script),
  };
}

/** The pause between two bursts. */
export function pause({ ms }: Script): Promise<void> {
  return new Promise((resolve) => {
    if (ms > 0) setTimeout(resolve, ms);
    else setImmediate(resolve);
  });
}

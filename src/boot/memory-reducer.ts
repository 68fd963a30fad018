import { setFlagsFromString } from 'node:v8';

/** V8's flag for how long after a collection the heap is made smaller at the earliest, in milliseconds. */
export const REDUCER_FLAG = '--gc-memory-reducer-start-delay-ms';
/** Ten minutes, instead of eight seconds. */
const DELAY_MS = 600_000;
const IS_CHOSEN = /memory[-_]reducer/;

/**
 * Lets V8 make the heap of this process smaller only after ten minutes without load, instead of about two. When it does,
 * it also forgets the hidden classes that no object has at that moment, and the compiled code that relies on them: the
 * next two thousand runs cost up to three times as much (docs/performance.md).
 *
 * Does nothing if the command line has a flag of V8's memory reducer.
 */
export function delayMemoryReducer({ execArgv }: Pick<NodeJS.Process, 'execArgv'> = process): void {
  if (IS_CHOSEN.test(execArgv.join(' '))) return;
  setFlagsFromString(`${REDUCER_FLAG}=${DELAY_MS}`);
}

import { setFlagsFromString } from 'node:v8';

/** V8's flag for how long after a collection the heap is made smaller at the earliest, in milliseconds. */
export const REDUCER_FLAG = '--gc-memory-reducer-start-delay-ms';
/** V8's flag that compiles each function with the baseline compiler when it is first called. */
export const BASELINE_FLAG = '--always-sparkplug';
/** Ten minutes, instead of eight seconds. */
const DELAY_MS = 600_000;

/**
 * Lets V8 make the heap of this process smaller only after ten minutes without load, instead of about two. When it does,
 * it also forgets the hidden classes that no object has at that moment, and the compiled code that relies on them: the
 * next two thousand runs cost up to three times as much (docs/performance.md).
 *
 * Does nothing if the command line has a flag of V8's memory reducer.
 */
export function delayMemoryReducer({ execArgv }: Pick<NodeJS.Process, 'execArgv'> = process): void {
  setUnless(/memory[-_]reducer/, `${REDUCER_FLAG}=${DELAY_MS}`, execArgv);
}

/**
 * Lets V8 compile functions when they are called for the first time from now on, instead of after some hundred calls: the
 * first pieces of a server that has just started come a tenth earlier (docs/performance.md). Call it when the server
 * listens: functions that only run at the start are not worth compiling.
 *
 * Does nothing if the command line has a flag of V8's baseline compiler.
 */
export function compileAtFirstCall({ execArgv }: Pick<NodeJS.Process, 'execArgv'> = process): void {
  setUnless(/sparkplug/, BASELINE_FLAG, execArgv);
}

function setUnless(chosen: RegExp, flag: string, execArgv: readonly string[]): void {
  if (!chosen.test(execArgv.join(' '))) setFlagsFromString(flag);
}

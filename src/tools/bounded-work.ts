import { createContext, Script } from 'node:vm';

/** Time limits for one piece of work and for all in one turn of the event loop, in milliseconds. */
const WORK_MS = 100;
const TURN_MS = 150;

const TIMED_OUT = 'ERR_SCRIPT_EXECUTION_TIMEOUT';

const sandbox = createContext({ work: undefined }) as { work: (() => unknown) | undefined };
const doInSandbox = new Script('work()');
let spent = 0;
let isBounded = false;

/**
 * Does synchronous work on values, patterns or schemas of others, which may take exponential time, and stops it at a
 * time limit. The work must leave nothing behind that matters if it is cut in the middle: no `finally` of it is run.
 * Work within such work shares its limit.
 *
 * @returns what the work returns; undefined if it exceeds the limit of 100 ms, or all such work of this turn of the
 *   event loop that of 150 ms
 * @throws what the work throws
 */
export function boundedWork<T>(work: () => T): T | undefined {
  if (isBounded) return work();
  const left = TURN_MS - spent;
  if (left < 1) return undefined;
  if (spent === 0) setImmediate(() => (spent = 0));
  const startedAt = performance.now();
  try {
    return within(Math.ceil(Math.min(WORK_MS, left)), work);
  } finally {
    spent += performance.now() - startedAt;
  }
}

/** As `boundedWork`, with a limit of its own, for work that is done once and not for a request. */
export function within<T>(milliseconds: number, work: () => T): T | undefined {
  isBounded = true;
  sandbox.work = work;
  try {
    return doInSandbox.runInContext(sandbox, { timeout: milliseconds }) as T;
  } catch (error) {
    if (isTimeout(error)) return undefined;
    throw error;
  } finally {
    sandbox.work = undefined;
    isBounded = false;
  }
}

function isTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === TIMED_OUT;
}

import { createContext, Script } from 'node:vm';

/** Time limits for one piece of work and for all in one turn of the event loop, in milliseconds. */
const WORK_MS = 100;
const TURN_MS = 150;

const TIMED_OUT = 'ERR_SCRIPT_EXECUTION_TIMEOUT';

const sandbox = createContext({ work: undefined }) as { work: (() => unknown) | undefined };
const doInSandbox = new Script('work()');
let spent = 0;
let isBounded = false;

/** How often work is begun: on a busy machine the processor may be elsewhere for longer than the limit. */
const MOST_ATTEMPTS = 2;

/**
 * Does synchronous work on values, patterns or schemas of others, which may take exponential time, and stops it at a
 * time limit. The work must leave nothing behind that matters if it is cut in the middle: no `finally` of it is run, and
 * it is begun again if this process had the processor for less than half of the time. Work within such work shares its
 * limit.
 *
 * @returns what the work returns; undefined if it exceeds the limit of 100 ms, or all such work of this turn of the
 *   event loop that of 150 ms
 * @throws what the work throws
 */
export function boundedWork<T>(work: () => T): T | undefined {
  if (isBounded) return work();
  if (spent === 0) setImmediate(() => (spent = 0));
  for (let attempt = 0, used = 0; attempt < MOST_ATTEMPTS && used < WORK_MS / 2 && TURN_MS - spent >= 1; attempt += 1) {
    const { user, system } = process.cpuUsage();
    try {
      const done = attemptWithin(Math.ceil(Math.min(WORK_MS, TURN_MS - spent)), work);
      if (done) return done.value;
    } finally {
      const now = process.cpuUsage();
      const took = (now.user - user + now.system - system) / 1000;
      used += took;
      spent += took;
    }
  }
  return undefined;
}

/** As `boundedWork`, with a limit of its own, for work that is done once and not for a request. */
export function within<T>(milliseconds: number, work: () => T): T | undefined {
  return attemptWithin(milliseconds, work)?.value;
}

/** The value of the work; undefined if it exceeds the limit. */
function attemptWithin<T>(milliseconds: number, work: () => T): { readonly value: T } | undefined {
  isBounded = true;
  sandbox.work = work;
  try {
    return { value: doInSandbox.runInContext(sandbox, { timeout: milliseconds }) as T };
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

import { setMaxListeners } from 'node:events';

/** Thrown by `withDeadline` when the time has elapsed. */
export class DeadlineError extends Error {
  constructor(readonly milliseconds: number) {
    super(`No result within ${milliseconds} ms`);
    this.name = 'DeadlineError';
  }
}

/**
 * Runs work that is aborted when the time has elapsed or when `outer` aborts. If the work ignores its
 * signal, its late result or error is discarded.
 *
 * @throws DeadlineError; the reason of `outer`; whatever the work throws
 */
export async function withDeadline<T>(
  milliseconds: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  outer.throwIfAborted();
  // All parallel calls of a run wait for its signal.
  setMaxListeners(Infinity, outer);
  const inner = new AbortController();
  const onOuterAbort = (): void => inner.abort(outer.reason);
  const timer = setTimeout(() => inner.abort(new DeadlineError(milliseconds)), milliseconds);
  outer.addEventListener('abort', onOuterAbort, { once: true });
  try {
    const aborted = new Promise<never>((_resolve, reject) => {
      inner.signal.addEventListener('abort', () => reject(inner.signal.reason as Error), { once: true });
    });
    return await Promise.race([work(inner.signal), aborted]);
  } catch (error) {
    inner.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    outer.removeEventListener('abort', onOuterAbort);
  }
}

/**
 * Iterates over a source until the signal aborts. Then it throws the signal's reason at once, even
 * when the source hangs, and yields nothing more, even what the source had ready.
 */
export async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T, void, void> {
  const iterator = source[Symbol.asyncIterator]();
  let rejectNext: (reason: unknown) => void = () => undefined;
  const onAbort = (): void => rejectNext(signal.reason);
  signal.addEventListener('abort', onAbort);
  let ended = false;
  try {
    for (;;) {
      signal.throwIfAborted();
      const next = await new Promise<IteratorResult<T>>((resolve, reject) => {
        rejectNext = reject;
        iterator.next().then(resolve, reject);
      });
      signal.throwIfAborted();
      if (next.done) {
        ended = true;
        return;
      }
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    if (!ended) leave(iterator);
  }
}

/** Tells the source that nobody listens, without waiting for it: it may hang. */
function leave(iterator: AsyncIterator<unknown>): void {
  iterator.return?.().then(undefined, () => undefined);
}

/** Waits; throws the signal's reason as soon as it aborts. */
export type Delay = (ms: number, signal: AbortSignal) => Promise<void>;

/** Waits on the machine's clock. */
export const abortableDelay: Delay = (ms, signal) =>
  new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });

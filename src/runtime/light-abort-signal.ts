import type { AbortLike } from '../common/index.js';

/**
 * A signal of the server's own parts, for which nobody outside needs a real `AbortSignal`. Node makes the hidden classes of
 * each `AbortSignal` anew, which costs 2 us, and as much again where the signal is read.
 */
export class LightAbortSignal implements AbortLike {
  private isAborted = false;
  private readonly listeners: (() => void)[] = [];

  get aborted(): boolean {
    return this.isAborted;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.isAborted && !this.listeners.includes(listener)) this.listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const place = this.listeners.indexOf(listener);
    if (place >= 0) this.listeners.splice(place, 1);
  }

  /** Calls the listeners in the order in which they were added. They must not throw. A later call has no effect. */
  abort(): void {
    if (this.isAborted) return;
    this.isAborted = true;
    for (let listener = this.listeners.shift(); listener; listener = this.listeners.shift()) listener();
  }
}

/** A signal that aborts with the first of several others. */
export class FirstAbort {
  readonly signal = new LightAbortSignal();
  private readonly abort = (): void => this.signal.abort();

  constructor(private readonly others: readonly AbortLike[]) {
    for (const other of others) {
      if (other.aborted) this.abort();
      else other.addEventListener('abort', this.abort, { once: true });
    }
  }

  /** Lets go of the others, which may live longer. */
  detach(): void {
    for (const other of this.others) other.removeEventListener('abort', this.abort);
  }
}

/**
 * Works with a signal that aborts with another one, or when a time is over.
 *
 * @param gone undefined: the time alone counts
 * @param work gets the signal, and that of the time, which it may abort before
 */
export async function withinTime<T>(
  gone: AbortLike | undefined,
  milliseconds: number,
  work: (signal: AbortLike, over: LightAbortSignal) => Promise<T>,
): Promise<T> {
  const over = new LightAbortSignal();
  const timer = setTimeout(() => over.abort(), milliseconds).unref();
  const first = new FirstAbort(gone ? [gone, over] : [over]);
  try {
    return await work(first.signal, over);
  } finally {
    clearTimeout(timer);
    first.detach();
  }
}

/** The time, as a port, so that tests can control it. */
export abstract class Clock {
  /** Milliseconds since the epoch. */
  abstract now(): number;

  /** Milliseconds since some moment of this process: for durations, because nobody can set this clock. */
  monotonic(): number {
    return performance.now();
  }
}

/** What needs only the time of day. */
export type WallClock = Pick<Clock, 'now'>;

/** The machine's clock. */
export class SystemClock extends Clock {
  now(): number {
    return Date.now();
  }
}

/** A clock that stands still. */
export class FixedClock extends Clock {
  /** @param at milliseconds since the epoch */
  constructor(private readonly at: number) {
    super();
  }

  now(): number {
    return this.at;
  }
}

/** Waits for milliseconds. Rejects with the signal's reason as soon as it aborts. */
export type Delay = (ms: number, signal: AbortSignal) => Promise<void>;

/** Waits with the machine's timers. */
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

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a duration such as `500ms`, `60s`, `10m`, `24h` or `7d` to milliseconds; undefined if it is not valid. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text.trim());
  const unit = match && UNITS[match[2] ?? ''];
  return match && unit !== undefined && unit !== null ? Number(match[1]) * unit : undefined;
}

import { type Count, Counters } from '../limits/counters.js';

/** From this number of windows on, those that have ended are removed; then from twice the number that is left. */
const KEPT_WINDOWS = 10_000;

/** A counter from its first addition to its end. Times are those of `performance.now()`, which nobody can set. */
interface Window {
  total: number;
  readonly endsAt: number;
}

/** Counters of this process. They answer at once: several of them count every request. */
export class MemoryCounters extends Counters {
  private readonly windows = new Map<string, Window>();
  private removeFrom = KEPT_WINDOWS;

  /** Points that are given back after the end of their window change nothing. */
  add(key: string, points: number, seconds: number): Count {
    const now = performance.now();
    let window = this.windows.get(key);
    if (window === undefined || window.endsAt <= now) {
      if (points < 0) return { total: 0, resetMs: 0 };
      window = { total: 0, endsAt: now + seconds * 1000 };
      this.windows.set(key, window);
      if (this.windows.size >= this.removeFrom) this.removeEnded(now);
    }
    window.total += points;
    // Rounded: the sum of two fractions is not exact, and a whole minute must not be shown as 61 seconds.
    return { total: window.total, resetMs: Math.round(window.endsAt - now) };
  }

  close(): Promise<void> {
    this.windows.clear();
    return Promise.resolve();
  }

  private removeEnded(now: number): void {
    for (const [key, { endsAt }] of this.windows) if (endsAt <= now) this.windows.delete(key);
    this.removeFrom = Math.max(KEPT_WINDOWS, 2 * this.windows.size);
  }
}

import type { WallClock } from './clock.js';

/** How much a cache keeps, and for how long. */
export interface LookupCacheLimits {
  readonly maxAgeMs: number;
  readonly maxEntries: number;
}

interface Entry<Value> {
  readonly value: Value;
  /** When the lookup began. */
  readonly at: number;
}

/**
 * Remembers the results of lookups for a short time, by a text. Lookups of one key that are made at the same time
 * are made once. The least recently used entry is dropped first.
 */
export class LookupCache<Value extends object> {
  private readonly entries = new Map<string, Entry<Value>>();
  private readonly lookups = new Map<string, Promise<Value>>();

  constructor(
    private readonly clock: WallClock,
    private readonly limits: LookupCacheLimits,
  ) {}

  /** The result of a lookup that began less than `maxAgeMs` ago; undefined without one. */
  get(key: string): Value | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    const age = this.clock.now() - entry.at;
    if (age < 0 || age >= this.limits.maxAgeMs) return undefined;
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry.value;
  }

  /** The newest result, however old it is; undefined if it was dropped or forgotten. */
  newest(key: string): Value | undefined {
    return this.entries.get(key)?.value;
  }

  /** Makes the lookup, or waits for the one in progress. Errors are not remembered. @throws those of `look` */
  load(key: string, look: () => Promise<Value>): Promise<Value> {
    const pending = this.lookups.get(key);
    if (pending) return pending;
    const at = this.clock.now();
    // False for a lookup that was forgotten: it may not have seen what was changed.
    const isCurrent = (): boolean => this.lookups.get(key) === lookup && this.lookups.delete(key);
    const lookup = look().then(
      (value) => {
        if (isCurrent()) this.keep(key, { value, at });
        return value;
      },
      (error: unknown) => {
        isCurrent();
        throw error;
      },
    );
    this.lookups.set(key, lookup);
    return lookup;
  }

  /** Forgets one key, also the result of a lookup in progress. */
  forget(key: string): void {
    this.entries.delete(key);
    this.lookups.delete(key);
  }

  /** Forgets everything, also the results of lookups in progress: later calls look up again. */
  clear(): void {
    this.entries.clear();
    this.lookups.clear();
  }

  private keep(key: string, entry: Entry<Value>): void {
    this.entries.delete(key);
    const [oldest] = this.entries.size >= this.limits.maxEntries ? this.entries.keys() : [];
    if (oldest !== undefined) this.entries.delete(oldest);
    this.entries.set(key, entry);
  }
}

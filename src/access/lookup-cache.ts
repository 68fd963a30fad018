import type { WallClock } from '../common/index.js';

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
  private lookups = new Map<string, Promise<Value>>();

  constructor(
    private readonly clock: WallClock,
    private readonly limits: LookupCacheLimits,
  ) {}

  /** The result of a lookup that began less than `maxAgeMs` ago; undefined without one. */
  get(key: string): Value | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    this.entries.delete(key);
    const age = this.clock.now() - entry.at;
    if (age < 0 || age >= this.limits.maxAgeMs) return undefined;
    this.entries.set(key, entry);
    return entry.value;
  }

  /** Makes the lookup, or waits for the one in progress. Errors are not remembered. @throws those of `look` */
  load(key: string, look: () => Promise<Value>): Promise<Value> {
    const pending = this.lookups.get(key);
    if (pending) return pending;
    const { lookups } = this;
    const at = this.clock.now();
    const lookup = look().then(
      (value) => {
        // After `clear` it is unknown whether the lookup has seen what was changed.
        if (lookups === this.lookups) this.keep(key, { value, at });
        lookups.delete(key);
        return value;
      },
      (error: unknown) => {
        lookups.delete(key);
        throw error;
      },
    );
    lookups.set(key, lookup);
    return lookup;
  }

  /** Forgets everything, also the results of lookups in progress: what is asked from now on is looked up anew. */
  clear(): void {
    this.entries.clear();
    this.lookups = new Map();
  }

  private keep(key: string, entry: Entry<Value>): void {
    const [oldest] = this.entries.size >= this.limits.maxEntries ? this.entries.keys() : [];
    if (oldest !== undefined) this.entries.delete(oldest);
    this.entries.set(key, entry);
  }
}

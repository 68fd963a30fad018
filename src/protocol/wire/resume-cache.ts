import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { HttpSettings } from '../http/http.settings.js';
import type { FrameEncoder } from './frame-encoder.js';

/** Milliseconds that an encoder is kept for a client that comes back. */
const KEPT_MS = 30_000;

/** An encoder that stopped in the middle of a run, and what the next reader needs to continue with it. */
export interface StoppedEncoder {
  readonly encoder: FrameEncoder;
  /** The number of the last event that it encoded. */
  readonly lastSeq: number;
  /** How many frames it has returned. */
  readonly count: number;
  /** The newest of these frames, oldest first: those that the reader may lack. */
  readonly newest: readonly string[];
  /** The characters of the events that it encoded: it keeps no more than these. */
  readonly length: number;
}

interface Entry {
  readonly key: string;
  readonly stopped: StoppedEncoder;
  readonly until: number;
}

/**
 * The encoders of streams whose client left before the end of the run, each for 30 seconds: the client mostly comes
 * back, and with its encoder only the events since then are read. Without it, the log is read from its beginning.
 */
@Injectable()
export class ResumeCache implements BeforeApplicationShutdown {
  /** In the order in which they were added. */
  private readonly entries = new Set<Entry>();
  private readonly byKey = new Map<string, readonly Entry[]>();
  /** The characters of all entries. */
  private length = 0;
  /** Set while there are entries. */
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly settings: HttpSettings) {}

  /** How many encoders are kept. */
  get size(): number {
    return this.entries.size;
  }

  /** Keeps an encoder, which must not be used any more. @param key equal for readers that may continue with it */
  add(key: string, stopped: StoppedEncoder): void {
    const entry = { key, stopped, until: performance.now() + KEPT_MS };
    this.entries.add(entry);
    this.byKey.set(key, [...(this.byKey.get(key) ?? []), entry]);
    this.length += lengthOf(entry);
    for (const oldest of this.entries) {
      if (this.length <= this.settings.resumeCacheBytes) break;
      this.remove(oldest);
    }
    this.timer ??= this.schedule(KEPT_MS);
  }

  /** Takes out an encoder whose reader has this many frames; undefined if none of the key can go on from there. */
  take(key: string, seen: number): StoppedEncoder | undefined {
    const entry = this.byKey.get(key)?.find(({ stopped }) => seen >= stopped.count - stopped.newest.length);
    if (entry) this.remove(entry);
    return entry?.stopped;
  }

  /** Forgets all encoders. */
  beforeApplicationShutdown(): void {
    clearTimeout(this.timer);
    this.entries.clear();
    this.byKey.clear();
    this.length = 0;
  }

  private remove(entry: Entry): void {
    this.entries.delete(entry);
    const others = (this.byKey.get(entry.key) ?? []).filter((other) => other !== entry);
    if (others.length > 0) this.byKey.set(entry.key, others);
    else this.byKey.delete(entry.key);
    this.length -= lengthOf(entry);
  }

  private schedule(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => this.removeExpired(), milliseconds).unref();
  }

  private removeExpired(): void {
    this.timer = undefined;
    const now = performance.now();
    for (const entry of this.entries) {
      if (entry.until > now) {
        this.timer = this.schedule(entry.until - now);
        return;
      }
      this.remove(entry);
    }
  }
}

function lengthOf({ stopped }: Entry): number {
  return stopped.newest.reduce((sum, frame) => sum + frame.length, stopped.length);
}

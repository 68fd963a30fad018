import { Injectable } from '@nestjs/common';

/** A stream that writes what it has gathered when it is flushed. */
export interface FlushTarget {
  /** Writes what was gathered since the last flush; called even if that is nothing. */
  flush(): void;
}

/** From this many streams in one flush on, the next flush is delayed, so that more is written at once. */
const BUSY_STREAMS = 16;
/** Milliseconds between two flushes of a busy server: far below the pace of a model. */
const BUSY_MS = 5;

/**
 * Gathers what all streams send in one turn of the event loop, so that each stream writes once: a
 * system call is the largest cost of a frame. While many streams write at once, flushes are up to 5 ms
 * apart; the first frames after a pause are always written at once.
 */
@Injectable()
export class FlushScheduler {
  /** The streams that wait for the next flush. */
  private targets: FlushTarget[] = [];
  /** When the next flush may be, by `performance.now()`; 0 if the last one was small. */
  private busyUntil = 0;

  /** Has a stream flushed when this turn of the event loop is over. Adding it twice is harmless. */
  add(target: FlushTarget): void {
    if (this.targets.length === 0) this.schedule();
    this.targets.push(target);
  }

  /** At the end of this turn, or when the pause of a busy server is over. */
  private schedule(): void {
    const wait = this.busyUntil === 0 ? 0 : this.busyUntil - performance.now();
    if (wait > 0) setTimeout(() => this.flush(), wait);
    else setImmediate(() => this.flush());
  }

  /** Targets that are added during the flush wait for the next one. */
  private flush(): void {
    const { targets } = this;
    this.targets = [];
    for (const target of targets) target.flush();
    this.busyUntil = targets.length < BUSY_STREAMS ? 0 : performance.now() + BUSY_MS;
  }
}

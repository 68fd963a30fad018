import { Injectable } from '@nestjs/common';

/** What writes at the end of a turn. */
export interface TurnTarget {
  flush(): void;
}

/** From so many streams in one turn on, the next turn is put off, so that more is written at once. */
const BUSY_STREAMS = 16;
/** Milliseconds between two turns of a busy server: far below the pace of a model. */
const BUSY_MS = 5;

/**
 * Gathers what all streams send in one turn of the event loop, so that each of them writes once: a
 * system call costs more than anything else on the way of a frame. While many streams write at once,
 * a turn lasts up to 5 ms; the first frames after a pause always leave at once.
 */
@Injectable()
export class WriteTurn {
  private targets: TurnTarget[] = [];
  private busyUntil = 0;

  /** Has a stream flushed when this turn is over. Adding it twice is harmless. */
  add(target: TurnTarget): void {
    if (this.targets.length === 0) this.schedule();
    this.targets.push(target);
  }

  private schedule(): void {
    const wait = this.busyUntil === 0 ? 0 : this.busyUntil - performance.now();
    if (wait > 0) setTimeout(() => this.flush(), wait);
    else setImmediate(() => this.flush());
  }

  private flush(): void {
    const { targets } = this;
    this.targets = [];
    for (const target of targets) target.flush();
    this.busyUntil = targets.length < BUSY_STREAMS ? 0 : performance.now() + BUSY_MS;
  }
}

import { Injectable } from '@nestjs/common';

/** What writes at the end of a turn. */
export interface TurnTarget {
  flush(): void;
}

/**
 * Gathers what all streams send in one turn of the event loop, so that each of them writes once: a
 * system call costs more than anything else on the way of a frame.
 */
@Injectable()
export class WriteTurn {
  private targets: TurnTarget[] = [];

  /** Has a stream flushed when this turn is over. Adding it twice is harmless. */
  add(target: TurnTarget): void {
    if (this.targets.length === 0) setImmediate(() => this.flush());
    this.targets.push(target);
  }

  private flush(): void {
    const { targets } = this;
    this.targets = [];
    for (const target of targets) target.flush();
  }
}

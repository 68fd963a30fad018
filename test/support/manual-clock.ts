import { Clock } from '../../src/common/index.js';

/** A clock that a test moves: the time of the machine, plus what was added. */
export class ManualClock extends Clock {
  private ahead = 0;

  now(): number {
    return Date.now() + this.ahead;
  }

  advance(ms: number): void {
    this.ahead += ms;
  }
}

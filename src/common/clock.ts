/** The time, as a port, so that golden streams and lease tests are exact. */
export abstract class Clock {
  /** Milliseconds since the epoch. */
  abstract now(): number;
}

/** The machine's clock. */
export class SystemClock extends Clock {
  now(): number {
    return Date.now();
  }
}

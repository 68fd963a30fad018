/**
 * Back-pressure between a socket and the reader that feeds it. The reader awaits `ready()` before it
 * takes the next batch from the log; the socket closes the gate while its buffer is full. A run is never
 * slowed by it: only this one reader waits, and catches up from the log.
 */
export class BackpressureGate {
  private waiting: { promise: Promise<void>; resolve: () => void } | undefined;

  /** Undefined when the reader may continue at once, else a promise that resolves when it may. */
  ready(): Promise<void> | undefined {
    return this.waiting?.promise;
  }

  /** Called by the socket when its buffer is full. */
  pause(): void {
    if (this.waiting) return;
    let resolve: () => void = () => undefined;
    const promise = new Promise<void>((done) => (resolve = done));
    this.waiting = { promise, resolve };
  }

  /** Called by the socket when it has drained or closed. */
  resume(): void {
    const waiting = this.waiting;
    this.waiting = undefined;
    waiting?.resolve();
  }
}

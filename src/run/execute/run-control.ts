import { RunStop, type StopKind, stopKind } from './run-stop.js';

/** The reins of one run that this process executes. */
export class RunControl {
  private readonly controller = new AbortController();

  constructor(
    /** Until when, in epoch milliseconds, the run is this process's. */
    public leaseUntil: number,
  ) {}

  /** Aborts on the first stop, with a `RunStop` as reason. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Why the run was stopped, or undefined. */
  get stopped(): StopKind | undefined {
    return stopKind(this.signal);
  }

  /** Stops the run; the first reason stands. */
  stop(kind: StopKind): void {
    if (!this.signal.aborted) this.controller.abort(new RunStop(kind));
  }
}

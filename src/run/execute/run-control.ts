/**
 * Why a run is stopped from outside: it was canceled, its time has passed, it emitted no event for too long,
 * another process has it, this process shuts down and hands it over, or a failover of the database has lost a part of it.
 */
export type StopKind = 'cancel' | 'timeout' | 'idle' | 'lost' | 'shutdown' | 'failover';

/** The reason of a run's abort signal. */
export class RunStop extends Error {
  constructor(readonly kind: StopKind) {
    super(`the run was stopped: ${kind}`);
    this.name = 'RunStop';
  }
}

/** Controls one run that this process executes. */
export class RunControl {
  private readonly controller = new AbortController();
  private draining = false;

  constructor(private readonly lease: { readonly deadline: number }) {}

  /** Until then this process may write, by the monotonic clock; it moves as long as the lease is held. */
  get deadline(): number {
    return this.lease.deadline;
  }

  /** Aborts on the first stop, with a `RunStop` as reason. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Why the run was stopped; undefined while it was not. */
  get stopped(): StopKind | undefined {
    if (!this.signal.aborted) return undefined;
    const reason: unknown = this.signal.reason;
    return reason instanceof RunStop ? reason.kind : 'cancel';
  }

  /** Stops the run as soon as no step is in progress, so that another process repeats nothing. */
  drain(): void {
    this.draining = true;
  }

  /** Called before a step begins while no other is in progress. @throws RunStop if the run is to stop there */
  checkpoint(): void {
    if (!this.draining) return;
    this.stop('shutdown');
    this.signal.throwIfAborted();
  }

  /** Stops the run. Later stops change nothing. */
  stop(kind: StopKind): void {
    if (!this.signal.aborted) this.controller.abort(new RunStop(kind));
  }
}

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
  private leaving = false;
  /** Of each wait before a step: whether no step is in progress. */
  private readonly waits = new Set<() => boolean>();

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
    this.leave();
  }

  /** The process shuts down: stops the run if it waits for something before a step, because nothing is lost there. */
  leave(): void {
    this.leaving = true;
    if ([...this.waits].some((isIdle) => isIdle())) this.stop('shutdown');
  }

  /**
   * Waits for something before a step begins. A process that shuts down hands the run over meanwhile.
   *
   * @param isIdle whether no step is in progress
   * @throws the signal's reason
   */
  async wait(turn: Promise<void>, isIdle: () => boolean): Promise<void> {
    this.waits.add(isIdle);
    if (this.leaving) this.leave();
    let stopped: () => void = () => undefined;
    try {
      const stop = new Promise<void>((resolve) => (stopped = resolve));
      this.signal.addEventListener('abort', stopped, { once: true });
      if (!this.signal.aborted) await Promise.race([turn, stop]);
    } finally {
      this.waits.delete(isIdle);
      this.signal.removeEventListener('abort', stopped);
    }
    this.signal.throwIfAborted();
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

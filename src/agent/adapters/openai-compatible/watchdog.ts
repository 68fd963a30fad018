/** A longer timer of Node fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Guards one upstream call: its signal aborts when the caller aborts, when no first token came in
 * time, or when the answer fell silent. One timer serves the whole call.
 */
export class Watchdog {
  /** To hand to the upstream call. */
  readonly signal: AbortSignal;
  private readonly controller = new AbortController();
  private readonly follow = (): void => this.controller.abort();
  private timer: NodeJS.Timeout;
  private expired = false;
  private begun = false;
  private held = false;

  constructor(
    private readonly caller: AbortSignal,
    firstTokenTimeoutMs: number,
    private readonly idleTimeoutMs: number,
  ) {
    this.signal = this.controller.signal;
    this.timer = this.arm(firstTokenTimeoutMs);
    if (caller.aborted) this.follow();
    else caller.addEventListener('abort', this.follow, { once: true });
  }

  /** True when a time-out, and not the caller, ended the call. */
  get timedOut(): boolean {
    return this.expired && !this.caller.aborted;
  }

  /** What the call was waiting for: its first token, or the next piece. */
  get awaitsFirstToken(): boolean {
    return !this.begun;
  }

  /** A token came: from now on the idle time-out counts. */
  token(): void {
    if (this.begun) return;
    this.begun = true;
    clearTimeout(this.timer);
    this.timer = this.arm(this.idleTimeoutMs);
  }

  /** Waiting for the next piece begins. Before the first token the time runs on. */
  wait(): void {
    this.held = false;
    if (this.begun) this.timer.refresh();
  }

  /** The consumer holds a piece: its time is not the provider's. Ended by `wait`. */
  hold(): void {
    this.held = true;
  }

  /** Ends the upstream call if it still runs, and lets go of timer and listener. */
  close(): void {
    clearTimeout(this.timer);
    this.caller.removeEventListener('abort', this.follow);
    this.controller.abort();
  }

  private arm(ms: number): NodeJS.Timeout {
    return setTimeout(
      () => {
        if (this.held) return;
        this.expired = true;
        this.controller.abort();
      },
      Math.min(ms, LONGEST_TIMER_MS),
    );
  }
}

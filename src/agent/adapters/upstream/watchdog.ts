import { AppError } from '../../../common/index.js';

/** Node fires a longer timer at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The time limits of a model call, in milliseconds. */
export interface CallTimeouts {
  /** Until the first event. */
  readonly firstTokenTimeoutMs: number;
  /** Between two pieces of data. */
  readonly idleTimeoutMs: number;
  /** For which signs of life alone, such as comments, extend both. Default: they do not. */
  readonly commentsTimeoutMs?: number;
}

/**
 * Enforces the time limits of one upstream call: the time to its first event, then the time between two pieces of
 * data. The time for which the consumer holds a batch does not count. Signs of life extend a wait up to a limit of
 * their own (contract model-servers, section 2.2). Progress only notes the time: the one timer of the call looks at it
 * when it fires.
 */
export class Watchdog {
  private timer: NodeJS.Timeout;
  /** When the current wait began or data last came, by `performance.now()`. */
  private since = performance.now();
  /** When the server last showed that it is there. */
  private aliveAt = 0;
  private limitMs: number;
  private begun = false;
  private held = false;

  /** @param onTimeout called at most once, with an AppError MODEL_TIMEOUT */
  constructor(
    private readonly timeouts: CallTimeouts,
    private readonly onTimeout: (error: AppError) => void,
  ) {
    this.limitMs = timeouts.firstTokenTimeoutMs;
    this.timer = this.arm(this.limitMs);
  }

  /** Data came. Before the first event this does not extend the time. */
  progress(): void {
    if (this.begun) this.since = performance.now();
  }

  /** The server sent something that is not a part of the answer. */
  alive(): void {
    this.aliveAt = performance.now();
  }

  /** The consumer takes events; its time does not count until `wait`. */
  hold(): void {
    this.held = true;
    if (this.begun) return;
    this.begun = true;
    this.limitMs = this.timeouts.idleTimeoutMs;
    clearTimeout(this.timer);
    this.timer = this.arm(this.limitMs);
  }

  /** The consumer waits for more. */
  wait(): void {
    if (!this.held) return;
    this.held = false;
    this.since = performance.now();
  }

  /** Stops the timer; must be called when the answer has ended. */
  close(): void {
    clearTimeout(this.timer);
  }

  private get deadline(): number {
    const { since, limitMs } = this;
    const extended = Math.min(this.aliveAt + limitMs, since + (this.timeouts.commentsTimeoutMs ?? 0));
    return Math.max(since + limitMs, extended);
  }

  private arm(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.check(), Math.min(Math.ceil(ms), LONGEST_TIMER_MS));
  }

  /** The timer is not restarted with every event, so the time is compared when it fires. */
  private check(): void {
    const leftMs = this.held ? this.limitMs : this.deadline - performance.now();
    // A timer may fire a moment early.
    if (leftMs >= 1) {
      this.timer = this.arm(leftMs);
      return;
    }
    const message = this.begun
      ? 'The model stopped sending before the end of its answer'
      : 'The model did not begin to answer in time';
    this.onTimeout(new AppError('MODEL_TIMEOUT', message));
  }
}

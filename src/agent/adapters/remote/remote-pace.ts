import { abortableDelay } from '../../../common/index.js';

/** The longest wait, and the longest one that an upstream may ask for, in milliseconds. */
const LONGEST_WAIT_MS = 15_000;
const LONGEST_ASKED_MS = 30_000;

/** Waits between attempts of the same: each is twice the one before it, up to 15 seconds (contract gateway, section B2). */
export class RemotePace {
  private nextMs: number;

  /** @param firstMs the first wait, in milliseconds @param signal ends a wait */
  constructor(
    private readonly firstMs: number,
    private readonly signal: AbortSignal,
  ) {
    this.nextMs = firstMs;
  }

  /** The next wait is the first one again. */
  reset(): void {
    this.nextMs = this.firstMs;
  }

  /** @param askedMs how long the upstream asks to wait @throws the signal's reason */
  async wait(askedMs = 0): Promise<void> {
    const wait = Math.max(this.nextMs, Math.min(askedMs, LONGEST_ASKED_MS));
    this.nextMs = Math.min(this.nextMs * 2, LONGEST_WAIT_MS);
    await abortableDelay(wait, this.signal);
  }
}

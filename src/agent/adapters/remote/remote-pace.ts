import { abortableDelay } from '../../../common/index.js';

/** The longest wait, in milliseconds. */
const LONGEST_WAIT_MS = 15_000;

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

  /** @throws the signal's reason */
  async wait(): Promise<void> {
    const wait = this.nextMs;
    this.nextMs = Math.min(wait * 2, LONGEST_WAIT_MS);
    await abortableDelay(wait, this.signal);
  }
}

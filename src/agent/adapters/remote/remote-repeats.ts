import { abortableDelay } from '../../../common/index.js';
import { RemoteFailure } from './remote-failure.js';
import type { RemoteUpstream } from './remote-upstream.js';

/** Attempts after the first one, while it is certain that nothing has begun. */
const MAX_REPEATS = 2;
const LONGEST_RETRY_AFTER_MS = 30_000;
/** The wait after the first attempt, doubled after the second, in milliseconds. */
const FIRST_WAIT_MS = 500;

/** The repeats of one request (contract gateway, section B4). */
export class RemoteRepeats {
  private count = 0;

  constructor(
    private readonly upstream: RemoteUpstream,
    private readonly signal: AbortSignal,
  ) {}

  /** Makes a request that begins nothing, again while that is allowed. @throws RemoteFailure; the signal's reason */
  async preparing<T>(request: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await request();
      } catch (error) {
        if (!(error instanceof RemoteFailure) || this.signal.aborted || !error.isBeforeBegin) throw error;
        await this.wait(error);
      }
    }
  }

  /** Waits before the request is repeated. @throws the failure if it is not to be repeated; the signal's reason */
  async wait(failure: RemoteFailure): Promise<void> {
    const wait = failure.retryAfterMs ?? FIRST_WAIT_MS * 2 ** this.count;
    if (this.count >= MAX_REPEATS || wait > LONGEST_RETRY_AFTER_MS) throw failure;
    this.count += 1;
    await abortableDelay(wait, this.signal);
    this.upstream.ensureReachable();
  }
}

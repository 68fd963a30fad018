import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/index.js';
import { RunAnnouncements } from '../ports/run-announcements.js';
import { type RunRecord, RunStore } from '../ports/run-store.js';
import { RunFeeds } from './run-feeds.js';

/** How often the ledger is polled for runs that another process accepts: at first and at most, in milliseconds. */
const POLL_FIRST_MS = 25;
const POLL_MOST_MS = 500;

/** Waits for the next run of a session: announced by this process, or found by polling. */
@Injectable()
export class SessionFollower {
  constructor(
    private readonly store: RunStore,
    private readonly announcements: RunAnnouncements,
    private readonly feeds: RunFeeds,
  ) {}

  /**
   * The first run of the session with a greater ordinal; undefined when the signal aborts or the server stops.
   *
   * @throws the driver's error when the database cannot be read
   */
  async next(
    principal: Principal,
    sessionId: string,
    afterOrdinal: number,
    signal: AbortSignal,
  ): Promise<RunRecord | undefined> {
    const wakeUp = new WakeUp();
    const { tenantId, userId } = principal;
    const unsubscribe = this.announcements.subscribe({ tenantId, userId, sessionId }, wakeUp.call);
    const forgetClose = this.feeds.onClose(wakeUp.call);
    signal.addEventListener('abort', wakeUp.call);
    try {
      for (let wait = POLL_FIRST_MS; !signal.aborted && !this.feeds.isClosed; wait = Math.min(wait * 2, POLL_MOST_MS)) {
        wakeUp.reset();
        const run = await this.store.next(principal, sessionId, afterOrdinal);
        if (run) return run;
        await wakeUp.within(wait);
      }
      return undefined;
    } finally {
      unsubscribe();
      forgetClose();
      signal.removeEventListener('abort', wakeUp.call);
    }
  }
}

/** A wait that ends early when called, also by a call since the last `reset`. */
class WakeUp {
  private isCalled = false;
  private resolve: (() => void) | undefined;

  readonly call = (): void => {
    this.isCalled = true;
    this.resolve?.();
  };

  reset(): void {
    this.isCalled = false;
  }

  async within(milliseconds: number): Promise<void> {
    if (this.isCalled) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.resolve = resolve;
      timer = setTimeout(resolve, milliseconds);
    });
    clearTimeout(timer);
    this.resolve = undefined;
  }
}

import { Injectable } from '@nestjs/common';
import { RunFeed } from './run-feed.js';

/** The feeds of the runs that this process executes or reads. */
@Injectable()
export class RunFeeds {
  private readonly feeds = new Map<number, RunFeed>();
  private closed = false;
  private readonly closeListeners = new Set<() => void>();

  /** Takes the feed of a run into use; every call needs one `leave`. */
  join(runRowId: number): RunFeed {
    let feed = this.feeds.get(runRowId);
    if (!feed) {
      feed = new RunFeed();
      this.feeds.set(runRowId, feed);
    }
    feed.users += 1;
    return feed;
  }

  /** Ends a use; the feed goes with its last user. */
  leave(runRowId: number): void {
    const feed = this.feeds.get(runRowId);
    if (feed && (feed.users -= 1) === 0) this.feeds.delete(runRowId);
  }

  /** True once the process is shutting down: readers end, their clients resume elsewhere. */
  get isClosed(): boolean {
    return this.closed;
  }

  /** Calls the listener once when the feeds close. Returns how to take it back. */
  onClose(listener: () => void): () => void {
    this.closeListeners.add(listener);
    return () => this.closeListeners.delete(listener);
  }

  /** Lets every reader end. */
  close(): void {
    this.closed = true;
    for (const feed of this.feeds.values()) feed.ring();
    for (const listener of this.closeListeners) listener();
    this.closeListeners.clear();
  }
}

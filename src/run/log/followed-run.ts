import type { Counter } from '../../common/index.js';
import { LoggedEvent } from '../../events/index.js';
import type { RunLog } from '../ports/run-log.js';
import type { RelayedEvents } from '../ports/run-relay.js';
import type { WatchedRow } from '../ports/run-store.js';
import type { RunFeed } from './run-feeds.js';

/** Above this number of missing events they are left to the readers: a feed would not keep them. */
const FETCHED_EVENTS = 1024;

/**
 * A run that another process executes, and that readers of this process follow: brings its feed every event once, in
 * order. Events that join on are taken from the relay; the others are read from the ledger, once for all readers.
 */
export class FollowedRun {
  /** True while events may have been missed: what the next look finds is read at once. */
  isUnsure = true;
  private fence = 0;
  /** How many events are known to be committed. */
  private known = 0;
  private fetching: Promise<void> | undefined;

  constructor(
    readonly rowId: number,
    readonly feed: RunFeed,
    private readonly log: Pick<RunLog, 'read' | 'length'>,
    private readonly gaps: Pick<Counter, 'add'>,
  ) {}

  /** How many events the feed has, or has left to its readers. */
  get nextSeq(): number {
    return this.feed.nextSeq;
  }

  /** Takes events of the relay. A late message of an earlier worker is only a number. */
  relayed({ fence, firstSeq, nextSeq, lines, at }: RelayedEvents): void {
    const { feed } = this;
    if (feed.hasWriter || nextSeq <= feed.nextSeq) return;
    const joins = lines !== undefined && firstSeq <= feed.nextSeq && fence >= this.fence;
    this.fence = Math.max(this.fence, fence);
    if (!joins) {
      // The number alone is no gap: the events were too large, or nobody was subscribed.
      if (lines !== undefined) this.gaps.add();
      return this.catchUp(nextSeq);
    }
    const known = feed.nextSeq - firstSeq;
    feed.publish(lines.slice(known).map((line, index) => new LoggedEvent(feed.nextSeq + index, line, undefined, at)));
  }

  /** Takes a row of the ledger; undefined when the run was removed. */
  found(row: WatchedRow | undefined): void {
    if (!row) {
      this.feed.isRemoved = true;
      this.feed.notify();
      return;
    }
    this.fence = Math.max(this.fence, row.fence);
    if (row.nextSeq > this.feed.nextSeq) this.catchUp(row.nextSeq);
  }

  /** Reads what is missing. A failure is not reported: the next look at the ledger leads here again. */
  private catchUp(nextSeq: number): void {
    this.known = Math.max(this.known, nextSeq);
    this.fetching ??= this.fetch()
      .catch(() => undefined)
      .finally(() => (this.fetching = undefined));
  }

  private async fetch(): Promise<void> {
    const { feed } = this;
    while (feed.nextSeq < this.known && feed.users > 0) {
      const missing = this.known - feed.nextSeq;
      if (missing > FETCHED_EVENTS) return this.skip();
      const events = await this.log.read(this.rowId, feed.nextSeq, missing);
      // The relay may have brought some of them meanwhile.
      const fresh = events.filter(({ seq }) => seq >= feed.nextSeq);
      if (fresh[0]?.seq === feed.nextSeq) feed.publish(fresh);
      else if (feed.nextSeq < this.known) return;
    }
  }

  /** Leaves what is missing to the readers. The relay alone is not believed that there is so much. */
  private async skip(): Promise<void> {
    const length = await this.log.length(this.rowId);
    if (length !== undefined) this.feed.advance(length);
  }
}

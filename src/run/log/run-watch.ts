import { Inject, Injectable } from '@nestjs/common';
import { Clock, type Counter } from '../../common/index.js';
import { LoggedEvent } from '../../events/index.js';
import { HintMetrics } from '../hint.metrics.js';
import { type RelayedEvents, type RelayMessage, RunRelay } from '../ports/run-relay.js';
import type { AwaitedRun, WatchedRow, WatchFindings } from '../ports/run-store.js';
import { RunLedger } from '../run-ledger.js';
import type { RunRecord } from '../run-record.js';
import type { RunLog } from '../ports/run-log.js';
import { LogReads } from './log-reads.js';
import { type RunFeed, RunFeeds } from './run-feeds.js';
import type { TailSources } from './run-tail.js';

/** Above this number of missing events they are left to the readers: a feed would not keep them. */
const FETCHED_EVENTS = 1024;

/**
 * A run that another process executes, and that readers of this process follow: brings its feed every event once, in
 * order. Events that join on are taken from the relay; the others are read from the ledger, once for all readers.
 */
class FollowedRun {
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

/** Time between two looks at the ledger while the relay is live, in milliseconds. */
const LIVE_MS = 5000;
/** How long such a look may wait for other looks, in milliseconds. */
const LIVE_WITHIN_MS = 1000;
/** The same while it is not: at first, and at most while nothing happens. */
const FIRST_MS = 50;
const MOST_MS = 250;
/** How long the relay may take to bring what the ledger has already, in milliseconds. */
const GRACE_MS = 250;
/** For how long a live relay that did not bring something counts as degraded, in milliseconds. */
const DISTRUST_MS = 10_000;

/**
 * What this process follows at others: runs that it does not execute, and sessions whose next run is awaited. Events
 * come from the relay. Behind it stands one query for everything that is followed: it finds what the relay did not
 * bring, and runs that were removed. Without a relay it is the only source. While nothing is followed there is none.
 */
@Injectable()
export class RunWatch {
  /** What all tails of this process share. */
  readonly sources: TailSources;
  private readonly followed = new Map<number, FollowedRun>();
  private readonly awaited = new Map<AwaitedRun, () => void>();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  private looksAgain = false;
  private wait = FIRST_MS;
  /** Until when a live relay counts as degraded, by the monotonic clock. */
  private distrustedUntil = -Infinity;

  constructor(
    @Inject(RunLedger) private readonly ledger: Pick<RunLedger, 'log' | 'runs'>,
    private readonly relay: RunRelay,
    private readonly feeds: RunFeeds,
    private readonly metrics: HintMetrics,
    private readonly clock: Clock,
  ) {
    const follow: TailSources['follow'] = (run, feed) => this.follow(run, feed);
    this.sources = { log: new LogReads(ledger.log), feeds, follow };
    relay.onStateChange(() => {
      for (const run of this.followed.values()) run.isUnsure = true;
      this.look();
    });
    feeds.onClose(() => this.rest());
  }

  /** How many runs and sessions are followed. */
  get size(): number {
    return this.followed.size + this.awaited.size;
  }

  /** Brings a feed the events of a run that another process executes, until the feed is dropped. */
  follow(run: RunRecord, feed: RunFeed): void {
    if (this.followed.has(run.rowId)) return;
    if (this.size === 0) this.wait = FIRST_MS;
    const followed = new FollowedRun(run.rowId, feed, this.sources.log, this.metrics.gaps);
    this.followed.set(run.rowId, followed);
    const unfollow = this.relay.follow(run, (message) => this.relayed(followed, message));
    feed.onDrop = () => {
      feed.onDrop = undefined;
      this.followed.delete(run.rowId);
      unfollow();
      this.rest();
    };
    this.schedule();
  }

  /** Calls the listener when `RunStore.next` may find a run. Returns a function that ends the wait. */
  awaitRun(wait: AwaitedRun, listener: () => void): () => void {
    if (this.size === 0) this.wait = FIRST_MS;
    this.awaited.set(wait, listener);
    // Many waits that are subscribed at once cause one look.
    const unsubscribe = this.relay.awaitRun(wait, (message) => (message === 'subscribed' ? this.look() : listener()));
    this.schedule();
    return () => {
      this.awaited.delete(wait);
      unsubscribe();
      this.rest();
    };
  }

  private relayed(followed: FollowedRun, message: RelayMessage): void {
    if (typeof message === 'object') return followed.relayed(message);
    followed.isUnsure = true;
    this.look();
  }

  /** Looks at the ledger; several calls in one turn of the event loop cause one look. */
  private look(): void {
    this.looksAgain = true;
    this.looking ??= this.lookUntilQuiet();
  }

  private async lookUntilQuiet(): Promise<void> {
    while (this.looksAgain && !this.feeds.isClosed) {
      await new Promise((resolve) => setImmediate(resolve));
      this.looksAgain = false;
      this.wait = Math.min(this.wait * 2, MOST_MS);
      await this.lookOnce().catch(() => undefined);
    }
    this.looking = undefined;
    this.stopTimer();
    this.schedule();
  }

  /** While the relay brings what happens, next to looks that have a cause. Never throws. */
  private async lookIdly(): Promise<void> {
    await this.lookOnce(LIVE_WITHIN_MS).catch(() => undefined);
    this.schedule();
  }

  private async lookOnce(withinMs = 0): Promise<void> {
    for (const { feed } of [...this.followed.values()]) if (feed.hasWriter) feed.onDrop?.();
    if (this.size === 0) return;
    const [runs, waits, isTrusted] = [[...this.followed.values()], [...this.awaited.keys()], this.isTrusted];
    const direct = new Set(isTrusted ? runs.filter(({ isUnsure }) => isUnsure) : runs);
    const found = await this.watch(
      runs.map(({ rowId }) => rowId),
      waits,
      withinMs,
    );
    for (const run of direct) run.isUnsure = false;
    const ahead = runs.filter((run) => isAhead(run, found));
    if (ahead.length > 0 || found.arrived.length > 0) this.wait = FIRST_MS;
    for (const run of runs) {
      const row = found.runs.get(run.rowId);
      if (!row || direct.has(run)) run.found(row);
    }
    const late = ahead.filter((run) => !direct.has(run));
    if (late.length > 0) setTimeout(() => this.compare(late, found), GRACE_MS).unref();
    for (const wait of found.arrived) this.awaited.get(wait)?.();
  }

  private async watch(
    rowIds: readonly number[],
    waits: readonly AwaitedRun[],
    withinMs: number,
  ): Promise<WatchFindings> {
    const startedAt = performance.now();
    const found = await this.ledger.runs.watch(rowIds, waits, withinMs);
    // One that waits to be read with others says nothing of the database.
    if (withinMs === 0) this.metrics.watchSeconds.observe((performance.now() - startedAt) / 1000);
    return found;
  }

  /** Takes from the ledger what the relay has not brought in time, and then relies on it less for a while. */
  private compare(runs: readonly FollowedRun[], found: WatchFindings): void {
    const missed = runs.filter((run) => this.followed.get(run.rowId) === run && isAhead(run, found));
    if (missed.length === 0) return;
    this.distrustedUntil = this.clock.monotonic() + DISTRUST_MS;
    this.metrics.gaps.add(missed.length);
    for (const run of missed) run.found(found.runs.get(run.rowId));
    this.look();
  }

  /** Whether the relay brings what happens. */
  private get isTrusted(): boolean {
    return this.relay.state === 'live' && this.clock.monotonic() >= this.distrustedUntil;
  }

  private rest(): void {
    if (this.size === 0 || this.feeds.isClosed) this.stopTimer();
  }

  private stopTimer(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private schedule(): void {
    if (this.timer || this.looking || this.size === 0 || this.feeds.isClosed) return;
    if (!this.isTrusted) this.timer = setTimeout(() => this.look(), this.wait).unref();
    else
      this.timer = setTimeout(() => {
        this.timer = undefined;
        void this.lookIdly();
      }, LIVE_MS).unref();
  }
}

/** Whether the ledger has events that a followed run has not. */
function isAhead(run: FollowedRun, found: WatchFindings): boolean {
  const row = found.runs.get(run.rowId);
  return row !== undefined && row.nextSeq > run.nextSeq && !run.feed.hasWriter;
}

import { AppError } from '../../common/index.js';
import type { LoggedEvent } from '../../events/index.js';
import type { RunLog } from '../ports/run-log.js';
import type { TailOptions } from '../ports/runs.js';
import type { RunRecord } from '../run-record.js';
import type { RunFeed, RunFeeds } from './run-feeds.js';

/** Events of one batch: few enough that a long replay never blocks the event loop. */
const BATCH = 256;
/** How often the log of a run that another process executes is polled: at first and at most, in milliseconds. */
const POLL_FIRST_MS = 10;
const POLL_MOST_MS = 250;

/**
 * The events of one run from a cursor: first those of the log, then live ones, without gap or repeat. Written
 * without a generator, which costs several promises more for each batch.
 *
 * All errors come with the first batch: those of `find`; AppError CURSOR_AHEAD when `after` is beyond the end
 * of the log; EVENTS_EXPIRED when events after it were removed. A later batch fails with RUN_NOT_FOUND if the run was
 * removed before all its events were read.
 */
export class RunTail implements AsyncIterableIterator<readonly LoggedEvent[]> {
  private runRowId = -1;
  private feed: RunFeed | undefined;
  private position: number;
  private idlePolls = 0;
  private ended = false;
  /** True when the run has ended and no event is left to read. */
  private atEnd = false;
  private readonly wake = (): void => this.feed?.notify();

  constructor(
    /** Finds the run; called with the first batch. */
    private readonly find: () => Promise<RunRecord>,
    private readonly options: TailOptions,
    private readonly log: Pick<RunLog, 'read' | 'length'>,
    private readonly feeds: RunFeeds,
  ) {
    this.position = (options.after ?? -1) + 1;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<readonly LoggedEvent[], undefined>> {
    try {
      if (this.ended) return { done: true, value: undefined };
      const feed = this.feed ?? (await this.join());
      while (!this.isOver()) {
        const wait = this.options.gate?.ready();
        if (wait) await wait;
        const batch = feed.hasWriter ? (this.live(feed) ?? (await this.stored())) : await this.batch(feed);
        if (batch.length > 0) return this.take(batch);
        await this.pause(feed);
      }
      this.close();
      return { done: true, value: undefined };
    } catch (error) {
      this.close();
      throw error;
    }
  }

  return(): Promise<IteratorResult<readonly LoggedEvent[], undefined>> {
    this.close();
    return Promise.resolve({ done: true, value: undefined });
  }

  private async join(): Promise<RunFeed> {
    const run = await this.find();
    if (this.position > run.nextSeq) throw new AppError('CURSOR_AHEAD');
    if (run.eventsPrunedAt !== null && this.position < run.nextSeq - 1) throw eventsExpired(run);
    this.atEnd = run.finishedAt !== null && this.position === run.nextSeq;
    this.runRowId = run.rowId;
    this.options.signal?.addEventListener('abort', this.wake);
    return (this.feed = this.feeds.join(run.rowId));
  }

  private take(batch: readonly LoggedEvent[]): IteratorResult<readonly LoggedEvent[], undefined> {
    const last = batch.at(-1);
    this.idlePolls = 0;
    if (last) this.position = last.seq + 1;
    if (last?.isTerminal) this.close();
    return { done: false, value: batch };
  }

  private live(feed: RunFeed): readonly LoggedEvent[] | undefined {
    return feed.from(this.position, BATCH);
  }

  private async batch(feed: RunFeed): Promise<readonly LoggedEvent[]> {
    const live = this.live(feed);
    if (live && live.length > 0) return live;
    return this.idlePolls === 0 ? this.stored() : this.polled();
  }

  /** One small query while nothing happens; it also finds that the run was removed. */
  private async polled(): Promise<readonly LoggedEvent[]> {
    const length = await this.log.length(this.runRowId);
    if (length === undefined) throw new AppError('RUN_NOT_FOUND');
    return length > this.position ? this.stored() : [];
  }

  private async stored(): Promise<readonly LoggedEvent[]> {
    const events = await this.log.read(this.runRowId, this.position, BATCH);
    // A full page of a replay: yields to the rest of the event loop.
    if (events.length >= BATCH) await new Promise<void>((resolve) => setImmediate(resolve));
    return events;
  }

  private async pause(feed: RunFeed): Promise<void> {
    // Events may have been published while the log was read.
    if (feed.has(this.position) || this.isOver()) return;
    const poll = Math.min(POLL_MOST_MS, POLL_FIRST_MS * 2 ** Math.min(this.idlePolls, 8));
    this.idlePolls += 1;
    await feed.wait(feed.hasWriter ? undefined : poll);
  }

  private isOver(): boolean {
    return this.ended || this.atEnd || this.options.signal?.aborted === true || this.feeds.isClosed;
  }

  private close(): void {
    if (this.ended) return;
    this.ended = true;
    if (!this.feed) return;
    this.options.signal?.removeEventListener('abort', this.wake);
    this.feeds.leave(this.runRowId);
  }
}

function eventsExpired(run: RunRecord): AppError {
  const earliest = run.nextSeq - 1;
  const message = `The earliest remaining event has the number ${earliest}`;
  return new AppError('EVENTS_EXPIRED', undefined, {
    details: [{ path: 'after', message, rule: 'earliest', limit: earliest }],
  });
}

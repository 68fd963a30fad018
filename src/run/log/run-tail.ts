import { AppError } from '../../common/index.js';
import type { LoggedEvent } from '../../events/index.js';
import type { RunLog } from '../ports/run-log.js';
import type { TailOptions } from '../ports/runs.js';
import type { RunRecord } from '../run-record.js';
import type { RunFeed, RunFeeds } from './run-feeds.js';

/** Events of one batch: few enough that a long replay never blocks the event loop. */
const BATCH = 256;

/** What all tails of a process share. */
export interface TailSources {
  readonly log: Pick<RunLog, 'read' | 'length'>;
  readonly feeds: RunFeeds;
  /** Brings a feed the events of a run that another process executes. May be called more than once. */
  readonly follow: (run: RunRecord, feed: RunFeed) => void;
}
/**
 * The events of one run from a cursor: first those of the log, then live ones, without gap or repeat. Written
 * without a generator, which costs several promises more for each batch.
 *
 * All errors come with the first batch: those of `find`; AppError CURSOR_AHEAD when `after` is beyond the end
 * of the log; EVENTS_EXPIRED when events after it were removed. A later batch fails with RUN_NOT_FOUND if the run was
 * removed before all its events were read.
 */
export class RunTail implements AsyncIterableIterator<readonly LoggedEvent[]> {
  private run: RunRecord | undefined;
  private feed: RunFeed | undefined;
  private position: number;
  /** True while the log has been read to its end: what follows comes from the feed. */
  private isCaughtUp = false;
  private ended = false;
  /** True when the run has ended and no event is left to read. */
  private atEnd = false;
  private readonly wake = (): void => this.feed?.notify();

  constructor(
    /** Finds the run; called with the first batch. */
    private readonly find: () => Promise<RunRecord>,
    private readonly options: TailOptions,
    private readonly sources: TailSources,
  ) {
    this.position = (options.after ?? -1) + 1;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<readonly LoggedEvent[], undefined>> {
    try {
      if (this.ended) return { done: true, value: undefined };
      const run = this.run ?? (await this.join());
      const feed = (this.feed ??= this.sources.feeds.join(run.rowId));
      while (!this.isOver()) {
        const wait = this.options.gate?.ready();
        if (wait) await wait;
        const batch = this.live(feed) ?? (await this.stored(run, feed));
        if (batch.length > 0) return this.take(batch);
        const pause = this.pause(run, feed);
        if (pause) await pause;
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

  private async join(): Promise<RunRecord> {
    const run = await this.find();
    if (this.position > run.nextSeq) throw new AppError('CURSOR_AHEAD');
    if (run.eventsPrunedAt !== null && this.position < run.nextSeq - 1) throw eventsExpired(run);
    this.atEnd = run.finishedAt !== null && this.position === run.nextSeq;
    this.options.signal?.addEventListener('abort', this.wake);
    return (this.run = run);
  }

  private take(batch: readonly LoggedEvent[]): IteratorResult<readonly LoggedEvent[], undefined> {
    const last = batch.at(-1);
    if (last) this.position = last.seq + 1;
    if (last?.isTerminal) this.close();
    return { done: false, value: batch };
  }

  /** Undefined when the log has to be read. */
  private live(feed: RunFeed): readonly LoggedEvent[] | undefined {
    return feed.from(this.position, BATCH) ?? (this.isCaughtUp && !feed.has(this.position) ? [] : undefined);
  }

  /** @throws AppError RUN_NOT_FOUND when events that were committed are gone */
  private async stored(run: RunRecord, feed: RunFeed): Promise<readonly LoggedEvent[]> {
    const events = await this.sources.log.read(run.rowId, this.position, BATCH);
    // A full page of a replay: yields to the rest of the event loop.
    if (events.length >= BATCH) await new Promise<void>((resolve) => setImmediate(resolve));
    this.isCaughtUp = events.length === 0;
    if (!this.isCaughtUp) return events;
    if (feed.hasWriter) return events;
    if (feed.has(this.position)) await this.requireRun(run);
    feed.advance(this.position);
    return events;
  }

  private async requireRun({ rowId }: RunRecord): Promise<void> {
    if ((await this.sources.log.length(rowId)) === undefined) throw new AppError('RUN_NOT_FOUND');
  }

  /** Resolves when there may be more; undefined when there is. @throws AppError RUN_NOT_FOUND if the run was removed */
  private pause(run: RunRecord, feed: RunFeed): Promise<void> | undefined {
    // Events may have been published while the log was read.
    if (feed.has(this.position) || this.isOver()) return undefined;
    if (feed.isRemoved) throw new AppError('RUN_NOT_FOUND');
    if (!feed.hasWriter) this.sources.follow(run, feed);
    return feed.wait();
  }

  private isOver(): boolean {
    return this.ended || this.atEnd || this.options.signal?.aborted === true || this.sources.feeds.isClosed;
  }

  private close(): void {
    if (this.ended) return;
    this.ended = true;
    this.options.signal?.removeEventListener('abort', this.wake);
    if (this.run && this.feed) this.sources.feeds.leave(this.run.rowId);
  }
}

function eventsExpired(run: RunRecord): AppError {
  const earliest = run.nextSeq - 1;
  const message = `The earliest remaining event has the number ${earliest}`;
  return new AppError('EVENTS_EXPIRED', undefined, {
    details: [{ path: 'after', message, rule: 'earliest', limit: earliest }],
  });
}

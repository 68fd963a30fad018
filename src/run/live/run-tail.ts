import { Injectable } from '@nestjs/common';
import { AppError } from '../../common/index.js';
import { type LoggedEvent, isTerminalEvent } from '../../events/index.js';
import { RunLog } from '../ports/run-log.js';
import type { RunRecord } from '../ports/run-store.js';
import type { TailOptions } from '../runs.js';
import type { RunFeed } from './run-feed.js';
import { RunFeeds } from './run-feeds.js';

/** Events a reader takes at once: small enough that a long replay never holds up the event loop. */
const BATCH = 256;
/** How often the log of a run that another process executes is asked: at first and at most, in milliseconds. */
const POLL_FIRST_MS = 10;
const POLL_MOST_MS = 250;

/** Reads runs from a cursor: first the log, then live, without gap or repeat. */
@Injectable()
export class RunTail {
  constructor(
    private readonly log: RunLog,
    private readonly feeds: RunFeeds,
  ) {}

  /** @throws AppError CURSOR_AHEAD when `after` lies beyond the end of the log */
  async *read(run: RunRecord, options: TailOptions): AsyncGenerator<readonly LoggedEvent[]> {
    let next = (options.after ?? -1) + 1;
    if (next > run.nextSeq) throw new AppError('CURSOR_AHEAD');
    const feed = this.feeds.join(run.no);
    const wake = (): void => feed.ring();
    options.signal?.addEventListener('abort', wake);
    let idlePolls = 0;
    try {
      while (!this.ended(options)) {
        await options.demand?.ready();
        const batch = await this.batch(run.no, feed, next);
        const last = batch.at(-1);
        if (!last) {
          await this.pause(feed, next, idlePolls, options);
          idlePolls += 1;
          continue;
        }
        idlePolls = 0;
        next = last.seq + 1;
        yield batch;
        if (isLast(last)) return;
      }
    } finally {
      options.signal?.removeEventListener('abort', wake);
      this.feeds.leave(run.no);
    }
  }

  private async batch(runNo: number, feed: RunFeed, next: number): Promise<readonly LoggedEvent[]> {
    const live = feed.from(next, BATCH);
    if (live && (live.length > 0 || feed.owned)) return live;
    const events = await this.log.read(runNo, next, BATCH);
    // A page of a replay: let others have their turn of the event loop.
    if (events.length >= BATCH) await new Promise<void>((resolve) => setImmediate(resolve));
    return events;
  }

  private async pause(feed: RunFeed, next: number, idlePolls: number, options: TailOptions): Promise<void> {
    // What was published while the log was being asked has rung for nobody.
    if (feed.has(next) || this.ended(options)) return;
    await feed.wait(feed.owned ? undefined : Math.min(POLL_MOST_MS, POLL_FIRST_MS * 2 ** Math.min(idlePolls, 8)));
  }

  private ended(options: TailOptions): boolean {
    return options.signal?.aborted === true || this.feeds.isClosed;
  }
}

/** Parses only what may be the end: the kind stands at the beginning of the text. */
function isLast(event: LoggedEvent): boolean {
  return event.json.startsWith('{"object":"response"') && isTerminalEvent(event.event);
}

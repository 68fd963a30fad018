import { Injectable } from '@nestjs/common';
import { AppError, type Principal } from '../../../common/index.js';
import { Runs, type RunView } from '../../../run/index.js';
import { canonicalThreadId, RunLookup } from '../run-lookup.js';
import { type EventId, formatEventId } from './event-id.js';
import { RunPositions } from './run-positions.js';

/** Which events a client asks for. */
export interface EventsRequest {
  readonly threadId: string;
  readonly runId?: string | undefined;
  readonly cursor: EventId | undefined;
  readonly from: 'start' | 'snapshot' | 'now';
  readonly follow: 'run' | 'thread';
}

/** Where a stream begins: in a run, after an event of it. */
export interface Place {
  readonly run: RunView;
  readonly after: number;
}

/** Finds where a stream begins (contract runs-api, section 5, rules 2 to 6). */
@Injectable()
export class RunPlaces {
  constructor(
    private readonly runs: Runs,
    private readonly lookup: RunLookup,
    private readonly positions: RunPositions,
  ) {}

  /**
   * The run to begin with and the event to begin after; undefined when a thread is followed that has no run yet.
   *
   * @throws AppError RUN_NOT_FOUND, SESSION_NOT_FOUND, INVALID_LAST_EVENT_ID, CURSOR_AHEAD
   */
  async find(principal: Principal, request: EventsRequest): Promise<Place | undefined> {
    const { threadId, runId, cursor } = request;
    if (runId !== undefined) {
      const run = await this.lookup.run(principal, threadId, runId);
      if (cursor && cursor.ordinal !== run.ordinal) {
        throw new AppError('INVALID_LAST_EVENT_ID', `The event id ${formatEventId(cursor)} is of another run`);
      }
      return this.placeIn(principal, run, request);
    }
    if (cursor) return this.placeOfCursor(principal, threadId, cursor);
    if (request.follow === 'run') {
      return this.placeIn(principal, await this.lookup.newest(principal, threadId), request);
    }
    await this.lookup.thread(principal, threadId);
    const isWhole = request.from === 'start';
    const run = isWhole ? await this.firstKept(principal, threadId) : await this.newestOf(principal, threadId);
    return run && this.placeIn(principal, run, request);
  }

  private async placeIn(principal: Principal, run: RunView, { cursor, from }: EventsRequest): Promise<Place> {
    if (cursor) return { run, after: cursor.seq };
    return { run, after: from === 'now' ? ((await this.lastSeq(principal, run)) ?? 0) : 0 };
  }

  /** A cursor says itself of which run it is; at the end of one the next run of the thread begins. */
  private async placeOfCursor(principal: Principal, threadId: string, cursor: EventId): Promise<Place> {
    const newest = await this.lookup.newest(principal, threadId);
    if (cursor.ordinal > newest.ordinal)
      throw new AppError('CURSOR_AHEAD', `The thread has only ${newest.ordinal} runs`);
    const run = await this.lookup.byOrdinal(principal, threadId, cursor.ordinal);
    const lastSeq = run && run.finishedAt !== null ? await this.endOf(principal, run) : undefined;
    const isRead = !run || cursor.seq === lastSeq;
    const next = isRead ? await this.lookup.after(principal, threadId, cursor.ordinal) : undefined;
    if (next) return { run: next, after: 0 };
    if (!run) throw new AppError('CURSOR_AHEAD');
    return { run, after: cursor.seq };
  }

  private async newestOf(principal: Principal, threadId: string): Promise<RunView | undefined> {
    const [run] = await this.runs.list(principal, canonicalThreadId(threadId), { limit: 1 });
    return run;
  }

  /** The oldest run whose events are kept: the older ones are removed first. */
  private async firstKept(principal: Principal, threadId: string): Promise<RunView | undefined> {
    let run = await this.lookup.after(principal, threadId, 0);
    for (let next = run; next && (await this.isExpired(principal, next)); run = next) {
      next = await this.lookup.after(principal, threadId, next.ordinal);
      if (!next) return run;
    }
    return run;
  }

  /** The seq of a run's last event; undefined when its events are no longer kept. */
  async lastSeq(principal: Principal, run: RunView): Promise<number | undefined> {
    if (await this.isExpired(principal, run)) return undefined;
    return this.positions.lastSeq(principal, run);
  }

  /** The seq of a finished run's last event as far as it is known. */
  private async endOf(principal: Principal, run: RunView): Promise<number | undefined> {
    return (await this.lastSeq(principal, run)) ?? this.positions.known(run);
  }

  /** The seq that an expired run ended with, when it was counted in time. */
  knownSeq(run: RunView): number | undefined {
    return this.positions.known(run);
  }

  private async isExpired(principal: Principal, run: RunView): Promise<boolean> {
    if (run.finishedAt === null || run.lastSeq < 0) return false;
    try {
      // The last event is always kept; the one before it is not.
      const after = Math.max(-1, run.lastSeq - 2);
      const [first] = await firstOf(this.runs.tail(principal, run.runId, { after, accepted: true }));
      return first === undefined;
    } catch (error) {
      if (error instanceof AppError && error.code === 'EVENTS_EXPIRED') return true;
      throw error;
    }
  }
}

async function firstOf<T>(batches: AsyncIterable<readonly T[]>): Promise<readonly T[]> {
  for await (const batch of batches) return batch;
  return [];
}

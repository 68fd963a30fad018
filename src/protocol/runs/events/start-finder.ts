import { Injectable } from '@nestjs/common';
import { AppError, type Principal, userReach } from '../../../common/index.js';
import { Runs, type RunView } from '../../../run/index.js';
import { canonicalThreadId, RunLookup } from '../run-lookup.js';
import { RunsError } from '../runs.errors.js';
import { type EventId, formatEventId } from './event-id.js';

/** A request for events. */
export interface EventsRequest {
  /** The thread in the client's spelling. */
  readonly threadId: string;
  /** Restricts the request to one run; absent, the whole thread is meant. */
  readonly runId?: string | undefined;
  /** The last event that the client has, from `Last-Event-ID`; undefined for a client without events. */
  readonly cursor: EventId | undefined;
  /** Where a client without a cursor begins: with all events, with the current state, or with new events only. */
  readonly from: 'start' | 'snapshot' | 'now';
  /** Whether the stream ends with its run or continues with the thread's later runs. */
  readonly follow: 'run' | 'thread';
}

/** Where a stream begins: in a run, after so many of its events. */
export interface StreamStart {
  readonly run: RunView;
  /** The seq of the last event that the client has; 0 for none. */
  readonly after: number;
}

/** Finds where a stream begins (contract runs-api, section 5, rules 2 to 6). */
@Injectable()
export class StartFinder {
  constructor(
    private readonly runs: Runs,
    private readonly lookup: RunLookup,
  ) {}

  /**
   * The run to begin with and the event to begin after; undefined when a thread is followed that has no run yet.
   *
   * @throws AppError RUN_NOT_FOUND, SESSION_NOT_FOUND, INVALID_LAST_EVENT_ID, CURSOR_AHEAD
   */
  async find(principal: Principal, request: EventsRequest): Promise<StreamStart | undefined> {
    const { threadId, runId, cursor, follow } = request;
    if (runId !== undefined) {
      const run = await this.lookup.run(principal, threadId, runId);
      if (cursor && cursor.ordinal !== run.ordinal) {
        throw new RunsError('INVALID_LAST_EVENT_ID', `The event id ${formatEventId(cursor)} is of another run`);
      }
      return { run, after: cursor?.seq ?? 0 };
    }
    if (cursor) return this.atCursor(principal, threadId, cursor);
    if (follow === 'run') return { run: await this.lookup.newest(principal, threadId), after: 0 };
    await this.lookup.thread(principal, threadId);
    const isWhole = request.from === 'start';
    const run = isWhole ? await this.firstUnpruned(principal, threadId) : await this.newest(principal, threadId);
    return run && { run, after: 0 };
  }

  /**
   * The beginning of the run that follows one whose events a client has all; undefined when none follows, or
   * when the client asks for one run only.
   */
  async afterEnd(principal: Principal, run: RunView, request: EventsRequest): Promise<StreamStart | undefined> {
    if (!request.cursor || request.runId !== undefined) return undefined;
    const next = await this.lookup.after(principal, request.threadId, run.ordinal);
    return next && { run: next, after: 0 };
  }

  /** A cursor names its run by itself; where that run is gone, the next one of the thread begins. */
  private async atCursor(principal: Principal, threadId: string, cursor: EventId): Promise<StreamStart> {
    const newest = await this.lookup.newest(principal, threadId);
    if (cursor.ordinal > newest.ordinal) {
      throw new AppError('CURSOR_AHEAD', `The thread has only ${newest.ordinal} runs`);
    }
    const run = await this.lookup.byOrdinal(principal, threadId, cursor.ordinal);
    if (run) return { run, after: cursor.seq };
    const next = await this.lookup.after(principal, threadId, cursor.ordinal);
    if (!next) throw new AppError('CURSOR_AHEAD');
    return { run: next, after: 0 };
  }

  /** The newest run of a thread, finished or not; undefined if the thread has none. */
  private async newest(principal: Principal, threadId: string): Promise<RunView | undefined> {
    const [run] = await this.runs.list(principal, canonicalThreadId(threadId), { limit: 1 });
    return run;
  }

  /** The oldest run that has its events, because the events of older runs are removed first; else the newest. */
  private async firstUnpruned(principal: Principal, threadId: string): Promise<RunView | undefined> {
    let run = await this.lookup.after(principal, threadId, 0);
    for (let next = run; next && (await this.isPruned(next)); run = next) {
      next = await this.lookup.after(principal, threadId, next.ordinal);
      if (!next) return run;
    }
    return run;
  }

  /** Whether a finished run has lost its events to retention. Costs a read of at most one batch. */
  private async isPruned(run: RunView): Promise<boolean> {
    if (run.finishedAt === null || run.lastSeq < 0) return false;
    try {
      // Removal leaves the last event and not the one before it.
      const after = Math.max(-1, run.lastSeq - 2);
      for await (const batch of this.runs.tail(userReach(run), run.runId, { after, accepted: true })) {
        return batch.length === 0;
      }
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === 'EVENTS_EXPIRED') return true;
      throw error;
    }
  }
}

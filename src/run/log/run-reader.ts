import { Injectable } from '@nestjs/common';
import type { AbortLike, Principal } from '../../common/index.js';
import { type AgentResponse, type LoggedEvent, type Message, ResponseFold } from '../../events/index.js';
import { SessionStore } from '../../agent/session/index.js';
import { RunLog } from '../ports/run-log.js';
import { RunStore } from '../ports/run-store.js';
import type { TailOptions } from '../ports/runs.js';
import type { RunRecord } from '../run-record.js';
import { logPages } from './log-pages.js';
import { RunFeeds } from './run-feeds.js';
import { RunTail } from './run-tail.js';
import { RunWatch } from './run-watch.js';

/** Reads runs: their events, their response, their input, and the run that follows. Knows nothing of access rights. */
@Injectable()
export class RunReader {
  constructor(
    private readonly log: RunLog,
    private readonly feeds: RunFeeds,
    private readonly runs: RunStore,
    private readonly sessions: SessionStore,
    private readonly watch: RunWatch,
  ) {}

  /** The events of a run from a cursor, then live, see `RunTail`. @param find called with the first batch */
  tail(find: () => Promise<RunRecord>, options: TailOptions): AsyncIterableIterator<readonly LoggedEvent[]> {
    return new RunTail(find, options, this.watch.sources);
  }

  /** The response of a run: its terminal event, or the fold of its log so far. */
  async response(run: RunRecord): Promise<AgentResponse> {
    if (run.nextSeq === 0) return queuedResponse(run);
    const [last] = await this.log.read(run.rowId, run.nextSeq - 1, 1);
    if (last?.isTerminal) return last.event as AgentResponse;
    const fold = new ResponseFold();
    for await (const events of logPages(this.log, run)) for (const { event } of events) fold.apply(event);
    return fold.response() ?? queuedResponse(run);
  }

  /** The messages that a run was accepted with. */
  async input(run: RunRecord): Promise<readonly Message[]> {
    return (await this.sessions.inputOf(run.sessionRowId, run.rowId)).messages;
  }

  /**
   * The first run of a session with a greater ordinal, as soon as there is one. Undefined when the signal aborts or the
   * server stops.
   *
   * @throws the driver's error when the database cannot be read
   */
  async next(
    { tenantId, userId }: Principal,
    sessionId: string,
    afterOrdinal: number,
    signal: AbortLike,
  ): Promise<RunRecord | undefined> {
    const wakeUp = new WakeUp();
    const unsubscribe = this.watch.awaitRun({ tenantId, userId, sessionId, afterOrdinal }, wakeUp.call);
    const unsubscribeClose = this.feeds.onClose(wakeUp.call);
    signal.addEventListener('abort', wakeUp.call);
    try {
      while (!signal.aborted && !this.feeds.isClosed) {
        wakeUp.reset();
        const run = await this.runs.next({ tenantId, userId }, sessionId, afterOrdinal);
        if (run) return run;
        await wakeUp.wait();
      }
      return undefined;
    } catch (error) {
      // A server that stops closes the database under a query that has begun.
      if (this.feeds.isClosed) return undefined;
      throw error;
    } finally {
      unsubscribe();
      unsubscribeClose();
      signal.removeEventListener('abort', wakeUp.call);
    }
  }
}

/** A wait that ends with a call, also one since the last `reset`. */
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

  async wait(): Promise<void> {
    if (!this.isCalled) await new Promise<void>((resolve) => (this.resolve = resolve));
  }
}

/** The response of a run that has no events yet. */
function queuedResponse(run: RunRecord): AgentResponse {
  return {
    object: 'response',
    status: 'queued',
    error: null,
    id: run.id,
    created_at: Math.floor(run.createdAt / 1000),
    completed_at: null,
    output: [],
    usage: null,
    session_id: run.sessionId,
  };
}

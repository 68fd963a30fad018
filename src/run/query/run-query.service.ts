import { Injectable } from '@nestjs/common';
import { AppError, type JsonObject, type Principal, type Reach } from '../../common/index.js';
import type { EventKind, LoggedEvent, Message } from '../../events/index.js';
import { SessionStore } from '../../session/index.js';
import { type JournalStep, RunLog } from '../ports/run-log.js';
import {
  type EventPage,
  type EventQuery,
  type ListChanges,
  type RunDetails,
  type RunListPage,
  type RunListQuery,
  RunQueries,
  type StateChangePage,
} from '../ports/run-queries.js';
import { RunSearch } from '../ports/run-search.js';
import { RunStore } from '../ports/run-store.js';
import { isForgotten, type RunRecord } from '../run-record.js';
import { runView } from '../run-view.js';
import { RunListWatch } from './run-list-watch.js';
import { searchEvents } from './event-search.js';
import { stateChanges } from './state-changes.js';

/** How many commits `marks` reads at a time, and in all. */
const COMMITS_AT_ONCE = 500;
const MOST_COMMITS = 2000;

/** Reads runs for people who look at them. */
@Injectable()
export class RunQueryService extends RunQueries {
  constructor(
    private readonly search: RunSearch,
    private readonly runs: RunStore,
    private readonly log: RunLog,
    private readonly sessions: SessionStore,
    private readonly watch: RunListWatch,
  ) {
    super();
  }

  list(reach: Reach, query: RunListQuery): Promise<RunListPage> {
    return this.search.list(reach, query);
  }

  follow(reach: Reach, listener: (changes: ListChanges) => void): Promise<() => void> {
    return this.watch.follow(reach, listener);
  }

  async details(reach: Reach, runId: string): Promise<RunDetails> {
    const run = await this.find(reach, runId);
    const queuedBefore = run.state === 'queued' ? await this.runs.queuedBefore(run) : 0;
    const { resumes: _, ...request } = run.request;
    return Object.assign(runView(run, queuedBefore), await this.search.turn(run.rowId), {
      model: run.request.modelOptions.model ?? null,
      authority: run.authority,
      worker: run.state === 'running' ? run.leaseOwner : null,
      request: request as unknown as JsonObject,
      eventsPrunedAt: run.eventsPrunedAt,
    });
  }

  async events(reach: Reach, runId: string, query: EventQuery): Promise<EventPage> {
    const run = await this.find(reach, runId);
    if (run.eventsPrunedAt !== null) throw new AppError('EVENTS_EXPIRED');
    return searchEvents(this.log, { rowId: run.rowId, total: run.nextSeq }, query);
  }

  async marks(reach: Reach, runId: string, kinds: readonly EventKind[]): Promise<readonly LoggedEvent[]> {
    const { rowId } = await this.find(reach, runId);
    const marks: LoggedEvent[] = [];
    for (let read = 0; read < MOST_COMMITS; read += COMMITS_AT_ONCE) {
      const after = marks.at(-1)?.seq ?? -1;
      const events = await this.log.select(rowId, { kinds, after, order: 'asc', limit: COMMITS_AT_ONCE });
      if (events.length === 0) break;
      marks.push(...events);
    }
    return marks;
  }

  async steps(reach: Reach, runId: string): Promise<readonly JournalStep[]> {
    const { rowId } = await this.find(reach, runId);
    const steps = await this.log.steps(rowId);
    return [...steps].sort((one, other) => beganAt(one) - beganAt(other));
  }

  async input(reach: Reach, runId: string): Promise<readonly Message[]> {
    const { sessionRowId, rowId } = await this.find(reach, runId);
    return (await this.sessions.inputOf(sessionRowId, rowId)).messages;
  }

  stateChanges(
    principal: Principal,
    sessionId: string,
    page: { readonly limit: number; readonly cursor?: string },
  ): Promise<StateChangePage> {
    return stateChanges({ runs: this.runs, log: this.log }, principal, sessionId, page);
  }

  /** @throws AppError RUN_NOT_FOUND */
  private async find(reach: Reach, runId: string): Promise<RunRecord> {
    const run = await this.runs.find(reach, runId);
    if (!run || isForgotten(run)) throw new AppError('RUN_NOT_FOUND');
    return run;
  }
}

function beganAt({ startedAt, updatedAt = 0 }: JournalStep): number {
  return startedAt ?? updatedAt;
}

import { Injectable } from '@nestjs/common';
import { AppError, type JsonObject, type Principal, type Reach } from '../../common/index.js';
import { type EventKind, LoggedEvent, type Message } from '../../events/index.js';
import { SessionStore } from '../../agent/session/index.js';
import { type JournalStep, RunLog } from '../ports/run-log.js';
import {
  type EventPage,
  type EventQuery,
  type ListChanges,
  type RunDetails,
  type RunListPage,
  type RunListQuery,
  RunQueries,
  type RunSummary,
  type StateChange,
  type StateChangePage,
} from '../ports/run-queries.js';
import { RunSearch } from '../ports/run-search.js';
import { RunStore } from '../ports/run-store.js';
import type { NameOptions } from '../ports/runs.js';
import { isForgotten, type RunRecord } from '../run-record.js';
import { runView } from '../run-view.js';
import { RunListWatch } from './run-list-watch.js';

/** How many runs one page looks at. */
const RUNS_LOOKED_AT = 50;
/** How many commits of one run are read at a time. */
const COMMITS = 200;

/** Before which event of which run of the session a page begins. */
interface Position {
  readonly ordinal: number;
  /** Only events of that run with a smaller number. */
  readonly seq: number;
}

/**
 * The changes of a session's state that its runs have logged, newest first.
 *
 * @throws AppError INVALID_PARAMETER for an unknown cursor
 */
async function stateChanges(
  { runs, log }: { readonly runs: RunStore; readonly log: RunLog },
  principal: Principal,
  sessionId: string,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<StateChangePage> {
  const from = cursor === undefined ? undefined : positionOf(cursor);
  const before = from && from.ordinal + 1;
  const page = await runs.list(principal, sessionId, {
    limit: RUNS_LOOKED_AT + 1,
    ...(before !== undefined && { before }),
  });
  const items: StateChange[] = [];
  for (const run of page.slice(0, RUNS_LOOKED_AT)) {
    let seq = from?.ordinal === run.ordinal ? from.seq : run.nextSeq;
    for (;;) {
      const events = await log.select(run.rowId, { kinds: ['state'], before: seq, order: 'desc', limit: COMMITS });
      for (const event of events) {
        if (items.length === limit) return { items, nextCursor: `${run.ordinal}.${seq}` };
        items.push({ runId: run.id, event });
        seq = event.seq;
      }
      if (events.length === 0) break;
    }
  }
  const rest = page[RUNS_LOOKED_AT];
  return rest ? { items, nextCursor: `${rest.ordinal}.${rest.nextSeq}` } : { items };
}

function positionOf(cursor: string): Position {
  const [, ordinal, seq] = /^(\d{1,9})\.(\d{1,10})$/.exec(cursor) ?? [];
  if (ordinal === undefined || seq === undefined) throw new AppError('INVALID_PARAMETER', 'Unknown cursor');
  return { ordinal: Number(ordinal), seq: Number(seq) };
}

/** How many events one page looks at: those that a filter leaves out count, too. */
export const EVENTS_LOOKED_AT = 5000;
/** How many are read at a time. */
const READ_AT_ONCE = 1024;
/** The most JSON on one page, in characters. A page has at least one event. */
const PAGE_CHARACTERS = 4 * 1024 * 1024;

/**
 * A page of the committed events of a run.
 *
 * @param run.total how many events are committed
 */
export async function searchEvents(
  log: RunLog,
  run: { readonly rowId: number; readonly total: number },
  query: EventQuery,
): Promise<EventPage> {
  const { rowId, total } = run;
  const matches = matcherOf(query);
  const items: LoggedEvent[] = [];
  const most = Math.min(total, query.after + 1 + EVENTS_LOOKED_AT);
  let size = 0;
  let next = query.after + 1;
  while (next < most) {
    const hasFilter = query.kinds !== undefined || query.text !== undefined;
    const events = await log.read(rowId, next, hasFilter ? READ_AT_ONCE : query.limit - items.length);
    if (events.length === 0) break;
    for (const event of events) {
      if (event.seq >= most) return { items, next: nextOf(next, total), total };
      const isFound = matches(event);
      if (isFound && items.length > 0 && size + event.json.length > PAGE_CHARACTERS) {
        return { items, next: nextOf(next, total), total };
      }
      next = event.seq + 1;
      if (!isFound) continue;
      items.push(event);
      size += event.json.length;
      if (items.length === query.limit) return { items, next: nextOf(next, total), total };
    }
  }
  return { items, next: nextOf(next, total), total };
}

/** The number of the last event that was looked at, unless it is the last one. */
function nextOf(next: number, total: number): number | undefined {
  return next < total ? next - 1 : undefined;
}

function matcherOf({ kinds, text }: EventQuery): (event: LoggedEvent) => boolean {
  // As the text is written in JSON, without the quotes around it.
  const needle = text === undefined ? undefined : JSON.stringify(text).slice(1, -1).toLowerCase();
  return ({ kind, json }) => {
    if (kinds && !kinds.includes(kind)) return false;
    return needle === undefined || json.toLowerCase().includes(needle);
  };
}

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

  async details(reach: Reach, runId: string, options?: NameOptions): Promise<RunDetails> {
    const run = await this.find(reach, runId, options);
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

  async ofTurn(reach: Reach, runId: string): Promise<readonly RunSummary[]> {
    return this.search.ofTurn((await this.find(reach, runId)).rowId);
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
  private async find(reach: Reach, runId: string, { byKey }: NameOptions = {}): Promise<RunRecord> {
    const own = await this.runs.find(reach, runId);
    const run = own ?? (byKey === true ? await this.runs.findNewestByKey(reach, runId) : undefined);
    if (!run || isForgotten(run)) throw new AppError('RUN_NOT_FOUND');
    return run;
  }
}

function beganAt({ startedAt, updatedAt = 0 }: JournalStep): number {
  return startedAt ?? updatedAt;
}

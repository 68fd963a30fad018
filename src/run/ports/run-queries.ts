import type { Authority, JsonObject, Principal, Reach } from '../../common/index.js';
import type { ErrorModel, EventKind, LoggedEvent, Message, Usage } from '../../events/index.js';
import type { RunState, RunView } from '../run.types.js';
import type { JournalStep } from './run-log.js';
import type { NameOptions } from './runs.js';

/** Something that a run has asked. */
export interface AskedOfRun {
  readonly id: string;
  readonly kind: 'approval' | 'input';
  /** Of an `InterruptView`. */
  readonly status: string;
  readonly toolName: string | null;
  /** Whether a person has approved it with other arguments. */
  readonly isEdited: boolean;
  /** The run that resumed with the answer; null if none did. */
  readonly resumedByRunId: string | null;
}

/** How a run belongs to others: a turn is what one message of a user has caused, with the answers to what was asked. */
export interface RunTurn {
  /** The first run of the turn that this one continues; null if this one is the first. */
  readonly first: { readonly runId: string; readonly inputText: string | null } | null;
  /** What an interrupted run waits for; null once the turn went on, or cannot any more. */
  readonly waitsFor: 'approval' | 'input' | 'client' | null;
  /** Whether a run that was interrupted is continued by the next one of its session. */
  readonly isContinued: boolean;
  /** What an interrupted run has asked, oldest first. */
  readonly asked: readonly AskedOfRun[];
}

/** A run in a list. Times are milliseconds since the epoch. */
export interface RunSummary {
  readonly tenantId: string;
  readonly runId: string;
  readonly sessionId: string;
  readonly userId: string;
  readonly agentType: string;
  readonly wire: string;
  readonly state: RunState;
  /** 1 for the next run of its session; null unless queued. */
  readonly queuePosition: number | null;
  readonly attempt: number;
  /** The model that the request names; null for the configured one. */
  readonly model: string | null;
  /** The model that made the newest answer, as its server names it; null before the run has ended, and if none did. */
  readonly answeredBy: string | null;
  /** The first words of the newest text of a user; null if there are none. */
  readonly inputText: string | null;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly error: ErrorModel | null;
  readonly usage: Usage | null;
  readonly turn: RunTurn;
}

/** Which runs to list. Everything that is given must hold. */
export interface RunListQuery {
  readonly limit: number;
  /** `nextCursor` of the page before. */
  readonly cursor?: string;
  readonly state?: RunState;
  readonly agentType?: string;
  readonly wire?: string;
  /** The client's id of the session. */
  readonly sessionId?: string;
  /** Runs that were created at or after this time. */
  readonly since?: number;
  /** Runs that were created before this time. */
  readonly until?: number;
  /** In the first words of the input; or the whole id of a run or of a session. */
  readonly text?: string;
}

/** One page, newest first. It may have fewer items than the limit, or none, although more follow. */
export interface RunListPage {
  readonly items: readonly RunSummary[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/** What names a run within a tenant. */
export interface ListedRunName {
  readonly userId: string;
  readonly runId: string;
}

/** What has changed in a list of runs. */
export interface ListChanges {
  /** The runs that are new or have another form. */
  readonly changed: readonly RunSummary[];
  /** The runs that the list does not show any more. */
  readonly removed: readonly ListedRunName[];
}

/** A run in full. */
export interface RunDetails extends RunView {
  readonly model: string | null;
  readonly answeredBy: string | null;
  readonly inputText: string | null;
  readonly turn: RunTurn;
  /** Null for a run that was started without authentication. */
  readonly authority: Authority | null;
  /** The process that executes it; null while none does. */
  readonly worker: string | null;
  /** What the run keeps of its request besides its messages. */
  readonly request: JsonObject;
  /** When its events were removed; null while it has them. */
  readonly eventsPrunedAt: number | null;
}

/** Which events of a run to read. */
export interface EventQuery {
  /** Only events with a greater number; -1 for all. */
  readonly after: number;
  readonly limit: number;
  readonly kinds?: readonly EventKind[];
  /** In the JSON of the event, without regard to upper and lower case. */
  readonly text?: string;
}

/** A page of events, in order. It may have fewer than the limit, or none, although more follow. */
export interface EventPage {
  readonly items: readonly LoggedEvent[];
  /** The `after` of the next page; undefined when no committed event follows. */
  readonly next: number | undefined;
  /** How many events are committed. */
  readonly total: number;
}

/** A change of the shared state, by a run. */
export interface StateChange {
  readonly runId: string;
  readonly event: LoggedEvent;
}

/** The changes of a session's state, newest first. */
export interface StateChangePage {
  readonly items: readonly StateChange[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/**
 * Reads runs for people who look at them: lists over all sessions, and what a run has done. Each call reads a bounded
 * number of rows, however many runs there are. What lies outside the reach is not found. A run that is not stored
 * (`RunRequest.store`) is not found either once it has ended.
 */
export abstract class RunQueries {
  /** @throws AppError INVALID_PARAMETER for an unknown cursor; AMBIGUOUS_ID when several users have such a session */
  abstract list(reach: Reach, query: RunListQuery): Promise<RunListPage>;

  /**
   * Calls the listener with what changes in a list from now on, in any process, usually within a second. Of the runs that
   * have not ended, the newest 250 queued and the newest 250 running ones are watched. The removal of a run is noticed if
   * it was reported before, or was among the newest 500 at the beginning.
   *
   * @returns how to stop that
   * @throws the driver's error when the database cannot be read
   */
  abstract follow(reach: Reach, listener: (changes: ListChanges) => void): Promise<() => void>;

  /** @throws AppError RUN_NOT_FOUND */
  abstract details(reach: Reach, runId: string, options?: NameOptions): Promise<RunDetails>;

  /** The runs of the turn that a run belongs to, oldest first, at most 100. @throws AppError RUN_NOT_FOUND */
  abstract ofTurn(reach: Reach, runId: string): Promise<readonly RunSummary[]>;

  /** @throws AppError RUN_NOT_FOUND, EVENTS_EXPIRED */
  abstract events(reach: Reach, runId: string, query: EventQuery): Promise<EventPage>;

  /**
   * Events of the given kinds, which are few in each run: at most about 2,000 commits of them are read.
   *
   * @throws AppError RUN_NOT_FOUND
   */
  abstract marks(reach: Reach, runId: string, kinds: readonly EventKind[]): Promise<readonly LoggedEvent[]>;

  /** The journal in the order its steps began; empty once the events were removed. @throws AppError RUN_NOT_FOUND */
  abstract steps(reach: Reach, runId: string): Promise<readonly JournalStep[]>;

  /** The messages that the run was accepted with. @throws AppError RUN_NOT_FOUND */
  abstract input(reach: Reach, runId: string): Promise<readonly Message[]>;

  /** @throws AppError INVALID_PARAMETER for an unknown cursor */
  abstract stateChanges(
    principal: Principal,
    sessionId: string,
    page: { readonly limit: number; readonly cursor?: string },
  ): Promise<StateChangePage>;
}

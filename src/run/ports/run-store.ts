import type { Authority, JsonObject, Principal, Reach, TenantSelection } from '../../common/index.js';
import type { Transaction } from '../../database/index.js';
import type { ErrorModel } from '../../events/index.js';
import type { RunRecord, RunVisibility, StoredRequest } from '../run-record.js';
import type { RunState } from '../run.types.js';
import type { Lease } from './run-leases.js';
import type { SessionKey } from './run-relay.js';

/** A run that is about to be inserted. Times are milliseconds since the epoch. */
export interface NewRun {
  readonly id: string;
  readonly principal: Principal;
  readonly sessionId: string;
  readonly sessionRowId: number;
  readonly ordinal: number;
  readonly createdSession: boolean;
  readonly agentType: string;
  readonly request: StoredRequest;
  readonly authority: Authority | null;
  readonly fingerprint: string;
  readonly wire: string;
  readonly runKey: string | null;
  readonly parentRunId: string | null;
  readonly wireData: JsonObject;
  readonly visibility: RunVisibility;
  /** The session's state that the request replaced; null when it replaced none. */
  readonly stateBefore: JsonObject | null;
  /** The first words of the input, for lists; null if there are none. */
  readonly inputText: string | null;
  /** Given: the run starts under it at once. Absent: it is queued. */
  readonly lease: Lease | undefined;
  /** Canonical JSON of the events that its log begins with; none for a queued run. */
  readonly lines: readonly string[];
  readonly createdAt: number;
  /** The id of the first run of the chain that it continues; null if it continues none. */
  readonly rootRunId: string | null;
}

/** The end of a run that was never started, with its whole log. */
export interface UnstartedEnd {
  readonly state: Exclude<RunState, 'queued' | 'running'>;
  readonly error: ErrorModel | null;
  /** Canonical JSON of each event. */
  readonly lines: readonly string[];
}

/** Which runs of a session to list. */
export interface RunQuery {
  readonly limit: number;
  readonly before?: number;
  readonly states?: readonly RunState[];
}

/** How many runs of a session have not ended. */
export interface ActiveCount {
  /** Queued or running. */
  readonly active: number;
  readonly queued: number;
}

/** A wait for the next run of a session. */
export interface AwaitedRun extends SessionKey {
  /** Only runs with a greater ordinal. */
  readonly afterOrdinal: number;
}

/** How far a run is. */
export interface WatchedRow {
  /** How many events are committed. */
  readonly nextSeq: number;
  readonly fence: number;
}

/** What a look at many runs and sessions finds. */
export interface WatchFindings {
  /** By row id; runs that were removed are missing. */
  readonly runs: ReadonlyMap<number, WatchedRow>;
  /** The waits whose runs `next` finds. */
  readonly arrived: readonly AwaitedRun[];
}

/** The rows of runs. With a transaction a read sees, and an update joins, what that transaction writes. */
export abstract class RunStore {
  /** Inserts a run and the beginning of its log. */
  abstract insert(tx: Transaction, run: NewRun): Promise<RunRecord>;

  /**
   * The run with this id within the reach.
   *
   * @throws AppError AMBIGUOUS_ID when several users of a tenant have such a run, and the reach is the tenant
   */
  abstract find(reach: Reach, runId: string, tx?: Transaction): Promise<RunRecord | undefined>;

  /** As `find`; other writers of the run wait until the transaction ends. */
  abstract findForUpdate(tx: Transaction, reach: Reach, runId: string): Promise<RunRecord | undefined>;

  /**
   * The newest run within the reach with a client's run id, whatever its session.
   *
   * @throws AppError AMBIGUOUS_ID when several users of a tenant have such a run, and the reach is the tenant
   */
  abstract findNewestByKey(reach: Reach, runKey: string): Promise<RunRecord | undefined>;

  /** The run of the caller's session with a client's run id. */
  abstract findByKey(
    principal: Principal,
    sessionId: string,
    runKey: string,
    tx?: Transaction,
  ): Promise<RunRecord | undefined>;

  /** The run with a row id. */
  abstract get(tx: Transaction, rowId: number): Promise<RunRecord | undefined>;

  /** The newest run within the reach that waits for one of these interrupts. */
  abstract findWaitingFor(reach: Reach, interruptIds: readonly string[]): Promise<RunRecord | undefined>;

  /** The newest interrupted run of a session. */
  abstract newestInterrupted(tx: Transaction, sessionRowId: number): Promise<RunRecord | undefined>;

  /** The newest run of a session before an ordinal that was not taken back. */
  abstract newestBefore(tx: Transaction, sessionRowId: number, ordinal: number): Promise<RunRecord | undefined>;

  /** Records that what an interrupted run waits for is given up. The first time counts. */
  abstract close(tx: Transaction, rowId: number, now: number): Promise<void>;

  /** Runs of the caller's session, newest first. Transient runs that have ended are left out. */
  abstract list(principal: Principal, sessionId: string, query: RunQuery): Promise<readonly RunRecord[]>;

  /** The run of the caller's session with the smallest ordinal greater than `afterOrdinal`, of those that `list` lists. */
  abstract next(principal: Principal, sessionId: string, afterOrdinal: number): Promise<RunRecord | undefined>;

  /** How far runs are, and which of the waits are over: one query, however many. */
  abstract watch(runRowIds: readonly number[], waits: readonly AwaitedRun[], withinMs?: number): Promise<WatchFindings>;

  /** The first queued run of a session with a greater ordinal. */
  abstract nextQueued(tx: Transaction, sessionRowId: number, afterOrdinal: number): Promise<RunRecord | undefined>;

  /** Whether a later run of the session is, or may still become, part of the conversation. */
  abstract hasLater(tx: Transaction, sessionRowId: number, ordinal: number): Promise<boolean>;

  /** How many runs of its session are queued before a run. */
  abstract queuedBefore(run: RunRecord, tx?: Transaction): Promise<number>;

  abstract countActive(tx: Transaction, sessionRowId: number): Promise<ActiveCount>;

  /** How many runs of an owner, and of its tenant, have not ended, without those whose cancel was requested. */
  abstract countActiveOf(tx: Transaction, owner: Principal): Promise<{ user: number; tenant: number }>;

  /** Whether as many runs of a tenant, or of all without one, are queued. */
  abstract isQueueFull(tx: Transaction, limit: number, tenantId?: string): Promise<boolean>;

  /** The session's runs that have not ended, oldest first. */
  abstract active(sessionRowId: number): Promise<readonly RunRecord[]>;

  /** As `active`, newest first; other writers of these runs wait until the transaction ends. */
  abstract activeForUpdate(tx: Transaction, sessionRowId: number): Promise<readonly RunRecord[]>;

  /**
   * Makes other writers of the session's runs that have not ended wait until the transaction ends. Called
   * before the session is locked: the end of a run locks in this order too, so neither can deadlock the other.
   */
  abstract lockActive(tx: Transaction, principal: Principal, sessionId: string): Promise<void>;

  /** All runs of a session, without content; other writers of these runs wait until the transaction ends. */
  abstract ofSessionForUpdate(
    tx: Transaction,
    sessionRowId: number,
  ): Promise<readonly Pick<RunRecord, 'rowId' | 'finishedAt'>[]>;

  /** Records that the run must end. The first request counts. */
  abstract requestCancel(tx: Transaction, rowId: number, now: number): Promise<void>;

  /**
   * Ends a queued run that has no log yet: writes its log and its end.
   *
   * @returns the ended run; undefined when it has been started
   */
  abstract endUnstarted(
    tx: Transaction,
    run: RunRecord,
    end: UnstartedEnd,
    now: number,
  ): Promise<RunRecord | undefined>;

  /** Up to `limit` queued runs without a log that were created before a time. */
  abstract overdue(createdBefore: number, limit: number): Promise<readonly RunRecord[]>;

  /** As `overdue`; leaves out runs that another transaction has locked, and locks the others. */
  abstract overdueForUpdate(tx: Transaction, createdBefore: number, limit: number): Promise<readonly RunRecord[]>;

  /**
   * Marks a run as rolled back.
   *
   * @returns the state that its request replaced, null when it replaced none; undefined when it was marked before
   */
  abstract markRolledBack(tx: Transaction, rowId: number): Promise<{ stateBefore: JsonObject | null } | undefined>;

  /** The runs of the conversation that have ended, from an ordinal on, in their order. */
  abstract endedFrom(tx: Transaction, sessionRowId: number, ordinal: number): Promise<readonly RunRecord[]>;

  /**
   * Records a state as the one that the next later run of the session replaced.
   *
   * @returns false when no later run replaced the state
   */
  abstract passStateBefore(tx: Transaction, run: RunRecord, state: JsonObject): Promise<boolean>;

  /** Up to `limit` runs of some tenants that ended before a time and have their events, oldest first. */
  abstract prunable(finishedBefore: number, limit: number, tenants: TenantSelection): Promise<readonly RunRecord[]>;

  /** Those of the runs that were not pruned, locked; without those that another transaction has locked. */
  abstract unprunedForUpdate(tx: Transaction, rowIds: readonly number[]): Promise<readonly RunRecord[]>;

  /** Records that the run was pruned, and what is kept of them. */
  abstract markPruned(tx: Transaction, run: RunRecord, summaries: JsonObject | null, now: number): Promise<void>;

  /** Removes the row of a run. */
  abstract remove(tx: Transaction, rowId: number): Promise<void>;

  /** Removes the rows of all runs of a session. */
  abstract removeOfSession(tx: Transaction, sessionRowId: number): Promise<void>;
}

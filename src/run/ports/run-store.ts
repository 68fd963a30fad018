import type { JsonObject, Principal } from '../../common/index.js';
import type { ErrorModel, Message, Usage } from '../../events/index.js';
import type { ModelOptions } from '../../agent/index.js';
import type { CheckedAnswer, InterruptRun } from '../../interrupt/index.js';
import type { ClientTime, ToolDeclaration, ToolRestriction } from '../../tools/index.js';
import type { RunRequest, RunState } from '../run.types.js';

/** What a run keeps of its request beside its messages: enough to execute it again anywhere. */
export interface StoredRequest {
  readonly clientTools: readonly ToolDeclaration[];
  /** Stored under this name since earlier versions. */
  readonly toolLimits?: readonly ToolRestriction[];
  readonly modelOptions: ModelOptions;
  readonly clientTime: ClientTime | null;
  readonly locale?: string;
  readonly forwardedProps: JsonObject;
  /** Set when the run goes on where an earlier one waited. */
  readonly resumes?: ResumedRuns;
  readonly systemPrompt?: string;
  readonly state?: JsonObject;
}

/** Where a run goes on. */
export interface ResumedRuns {
  /** The first run of the chain. */
  readonly rootRunNo: number;
  /**
   * The runs before this one that ended with an agent's own question, oldest first: this run does all
   * that the first of them did, with its input, and their journals are this run's too.
   */
  readonly reruns: readonly { readonly no: number; readonly ordinal: number }[];
}

/** A run as its questions see it. */
export function interruptRun(run: RunRecord): InterruptRun {
  return {
    rowId: run.rowId,
    id: run.id,
    sessionRowId: run.sessionRowId,
    rootRunNo: run.request.resumes?.rootRunNo ?? run.rowId,
  };
}

/**
 * Whether a run counts: `kept`; `transient` (no history for later runs, unknown once it is over);
 * `rolled_back` (its messages and state are undone).
 */
export type RunVisibility = 'kept' | 'transient' | 'rolled_back';

/** A run as the ledger has it. Times are milliseconds since the epoch. */
export interface RunRecord {
  readonly rowId: number;
  readonly id: string;
  readonly tenantId: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly sessionRowId: number;
  readonly ordinal: number;
  readonly agentType: string;
  readonly wire: string;
  readonly runKey: string | null;
  readonly parentRunId: string | null;
  readonly wireData: JsonObject;
  readonly visibility: RunVisibility;
  /** Whether the session was made for this run. */
  readonly createdSession: boolean;
  readonly state: RunState;
  readonly request: StoredRequest;
  readonly fingerprint: string;
  readonly attempt: number;
  readonly fence: number;
  readonly leaseOwner: string | null;
  readonly leaseUntil: number;
  readonly cancelRequestedAt: number | null;
  readonly nextSeq: number;
  readonly error: ErrorModel | null;
  readonly usage: Usage | null;
  readonly createdAt: number;
  readonly startedAt: number | null;
  /** When the present attempt began. */
  readonly claimedAt: number | null;
  /** Milliseconds that earlier attempts used. */
  readonly usedMs: number;
  readonly finishedAt: number | null;
  /** When the events before the terminal one were removed. */
  readonly eventsPrunedAt: number | null;
  /** What wires keep of them, by the names they registered; null before. */
  readonly retainedSummaries: JsonObject | null;
}

/** A worker's hold on the runs it claims. */
export interface Lease {
  readonly owner: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** How a run is accepted. */
export interface AcceptOptions {
  readonly runId: string;
  readonly fingerprint: string;
  readonly now: number;
  readonly queueLimit: number;
  /** The request's answers, checked. */
  readonly answers?: readonly CheckedAnswer[];
  /** Given: the run starts under it at once, unless its session has another that is not over. */
  readonly lease?: Lease;
}

/** What was accepted: the run, and its messages without what the session had already. */
export interface Acceptance {
  readonly run: RunRecord;
  readonly input: readonly Message[];
  /** False: the same request had been accepted before. */
  readonly created: boolean;
  /** How many runs of the session are queued before this one; 0 unless it is queued itself. */
  readonly queuedBefore: number;
  /** The runs that are executed now and shall end because of this one. */
  readonly canceled: readonly number[];
}

/** How a run is asked to end. */
export interface CancelRequest {
  readonly now: number;
  /** Also takes its messages and state out of the session. */
  readonly rollback?: boolean;
}

/** Which runs of a session to list. */
export interface RunQuery {
  readonly limit: number;
  readonly before?: number;
  readonly states?: readonly RunState[];
}

/** A step of a run's journal as the ledger has it. */
export interface StoredStep {
  readonly key: string;
  readonly status: 'begun' | 'finished';
  readonly inputHash: string;
  readonly output: JsonObject | null;
  readonly messageIds: readonly string[];
}

/** The rows of runs: who may execute which, and how each stands. */
export abstract class RunStore {
  /**
   * @throws AppError SESSION_BUSY, QUEUE_FULL, RUN_ID_CONFLICT, INVALID_PARAMETER, RUN_NOT_FOUND,
   *   SESSION_EXISTS, SESSION_NOT_FOUND; then nothing is written
   */
  abstract accept(request: RunRequest, options: AcceptOptions): Promise<Acceptance>;

  abstract find(tenantId: string, runId: string): Promise<RunRecord | undefined>;

  /** The newest run that waits for one of these questions, of whoever it is. */
  abstract waitingFor(tenantId: string, interruptIds: readonly string[]): Promise<RunRecord | undefined>;
  /** The run of the caller's session with a client's run id. */
  abstract findByKey(principal: Principal, sessionId: string, runKey: string): Promise<RunRecord | undefined>;

  /** Runs of the caller's session, newest first. */
  abstract list(principal: Principal, sessionId: string, query: RunQuery): Promise<readonly RunRecord[]>;

  /** The run of the caller's session with the smallest ordinal greater than `afterOrdinal`, among those that `list` lists. */
  abstract next(principal: Principal, sessionId: string, afterOrdinal: number): Promise<RunRecord | undefined>;

  /** How many runs of its session come before a waiting run. */
  abstract waitingBefore(run: RunRecord): Promise<number>;

  /** The session's runs that are not over, oldest first. */
  abstract active(sessionRowId: number): Promise<readonly RunRecord[]>;

  /**
   * Takes over up to `limit` runs: the heads of their sessions' queues and runs whose lease is over.
   * Each gets a new fence, and one attempt more.
   */
  abstract claim(lease: Lease, now: number, limit: number): Promise<readonly RunRecord[]>;

  /**
   * Prolongs an owner's leases of the given runs and returns the numbers of those it still has. A
   * run that its owner no longer executes is not among them, so that its lease ends by itself.
   * Several runs are not waited for: one that is being written at this moment is left out, because
   * whoever holds some and waits for others waits for ever when two do it. A single one is waited for.
   */
  abstract renew(lease: Lease, runRowIds: readonly number[]): Promise<readonly number[]>;

  /** Gives a run back to the queue without counting the attempt. */
  abstract release(runRowId: number, fence: number, now: number): Promise<void>;

  /**
   * Writes down that a run shall end; undefined when there is no such run. One that was never begun
   * has ended then, with a whole log; another one ends when its worker hears of it.
   */
  abstract requestCancel(tenantId: string, runId: string, request: CancelRequest): Promise<RunRecord | undefined>;

  /** Ends up to `limit` runs as failed that wait since before a time and were never begun. */
  abstract endOverdue(createdBefore: number, now: number, limit: number): Promise<readonly RunRecord[]>;

  /** The numbers of an owner's runs whose cancel was requested. */
  abstract cancelRequested(owner: string): Promise<readonly number[]>;

  /** Everybody who holds a lease. */
  abstract owners(): Promise<readonly string[]>;

  /** Ends all leases of an owner that is known to be gone. */
  abstract expire(owner: string, now: number): Promise<void>;

  abstract steps(runRowId: number): Promise<readonly StoredStep[]>;
}

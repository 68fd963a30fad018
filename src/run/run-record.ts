import type { ModelOptions } from '../agent/index.js';
import type { Authority, Carried, JsonObject } from '../common/index.js';
import type { ErrorModel, Usage } from '../events/index.js';
import type { InterruptRun } from '../agent/interrupt/index.js';
import type { RunTrace } from '../telemetry/index.js';
import type { ClientTime, ToolDeclaration, ToolRestriction } from '../agent/tools/index.js';
import type { RunState } from './run.types.js';

/** What a run keeps of its request besides its messages: enough to execute it again on any instance. */
export interface StoredRequest {
  readonly clientTools: readonly ToolDeclaration[];
  readonly toolRestrictions?: readonly ToolRestriction[];
  readonly modelOptions: ModelOptions;
  readonly clientTime: ClientTime | null;
  readonly locale?: string;
  readonly forwardedProps: JsonObject;
  /** Set when the run resumes an interrupted one. */
  readonly resumes?: ResumePoint;
  readonly systemPrompt?: string;
  /** True: its client sends the whole conversation with each request, and so has this run in it from now on. */
  readonly resendsHistory?: boolean;
  readonly state?: JsonObject;
  /** The id of the endpoint that receives the end of the run. */
  readonly webhook?: string;
  /** What its requests to remote agents carry on. */
  readonly carried?: Carried;
  readonly trace?: RunTrace;
}

/** Where a resumed run continues. */
export interface ResumePoint {
  /** The first run of the chain. */
  readonly rootRunRowId: number;
  /**
   * The runs before this one that ended with an agent's own input interrupt, oldest first: this run repeats
   * the first of them from the start, with its input, and replays the journals of all of them.
   */
  readonly reruns: readonly RunKey[];
}

/** A run and its place in its session. */
export interface RunKey {
  readonly rowId: number;
  readonly ordinal: number;
}

/**
 * Whether a run counts: `kept`; `transient` (not in the history of later runs, not found once it has ended);
 * `rolled_back` (its messages and state are undone).
 */
export type RunVisibility = 'kept' | 'transient' | 'rolled_back';

/** A run in the ledger. Times are milliseconds since the epoch. */
export interface RunRecord extends RunKey {
  readonly id: string;
  readonly tenantId: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly sessionRowId: number;
  readonly agentType: string;
  readonly wire: string;
  readonly runKey: string | null;
  readonly parentRunId: string | null;
  readonly wireData: JsonObject;
  readonly visibility: RunVisibility;
  /** Whether the session was created for this run. */
  readonly createdSession: boolean;
  readonly state: RunState;
  readonly request: StoredRequest;
  /** Null for a run that was started without authentication. */
  readonly authority: Authority | null;
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
  /** Milliseconds that earlier attempts used. */
  readonly usedMs: number;
  readonly finishedAt: number | null;
  /** When the events before the terminal one were removed. */
  readonly eventsPrunedAt: number | null;
  /** Whether the log was compacted: its last event has a chunk of its own. */
  readonly isCompacted: boolean;
  /** What the wires keep of the events, by registered name; null before they are compacted or pruned. */
  readonly retainedSummaries: JsonObject | null;
  /** How many runs of its tenant had not ended when it was queued, at most 1,000: the smallest come first. */
  readonly place: number;
  /** The id of the first run of its chain: the runs that continue an interrupted one. Its own id if it is the first. */
  readonly rootRunId: string;
  /** When what the interrupted run waits for was given up; null if it was not. */
  readonly closedAt: number | null;
  /** Set if its content cannot be decrypted: the record has none. */
  readonly isUnreadable?: true;
}

/** True while the run waits or is executed. */
export function isActive({ state }: Pick<RunRecord, 'state'>): boolean {
  return state === 'queued' || state === 'running';
}

/** True for a transient run that has ended: only the request that it was accepted by can still read it. */
export function isForgotten({ visibility, finishedAt }: RunRecord): boolean {
  return visibility === 'transient' && finishedAt !== null;
}

/** A run as its interrupts refer to it. */
export function interruptRun(run: RunRecord): InterruptRun {
  const { rowId, id, tenantId, userId, sessionId, sessionRowId, request } = run;
  const rootRunRowId = request.resumes?.rootRunRowId ?? rowId;
  return { rowId, id, tenantId, userId, sessionId, sessionRowId, rootRunRowId };
}

import type { JsonObject, Principal } from '../common/index.js';
import type { ErrorModel, Message, Usage } from '../events/index.js';
import type { ModelOptions } from '../agent/index.js';
import type { InterruptAnswer } from '../interrupt/index.js';
import type { ClientTime, ToolDeclaration, ToolRestriction } from '../tools/index.js';

export type { InterruptAnswer } from '../interrupt/index.js';

/** The states of a run (docs/architecture.md#states-of-a-run). */
export type RunState = 'queued' | 'running' | 'completed' | 'failed' | 'canceled' | 'incomplete' | 'interrupted';

/**
 * What happens when the session already has runs that are not over. `interrupt` cancels them and keeps
 * their work; `rollback` cancels them, and their messages and state no longer count for later runs.
 */
export type BusyPolicy = 'reject' | 'enqueue' | 'interrupt' | 'rollback';

/** The wire of requests that name none. */
export const DEFAULT_WIRE = 'agent-api';

/** A request to run an agent, as every protocol's decoder makes it. */
export interface RunRequest {
  readonly principal: Principal;
  readonly sessionId: string;
  /** True: the session's id is one user's in the tenant, and a session that is another user's is unknown. */
  readonly tenantUniqueId?: boolean;
  /** False when the server chose the session: then a repeated request need not name the same one. */
  readonly sessionGiven?: boolean;
  /** Chosen by the client: a repeated request with equal content replays. Absent: the server chooses. */
  readonly runId?: string;
  /** The id of the run when the request turns out to be new, for a wire whose ids look otherwise. Tells no repeats. */
  readonly newRunId?: string;
  /** The wire that accepts the run, `DEFAULT_WIRE` when absent. At most 32 characters. */
  readonly wire?: string;
  /**
   * The client's run id where it is unique within the session only: repeated with equal content it
   * replays. At most 256 characters; `runId` is then left to the server.
   */
  readonly runKey?: string;
  /** Opaque, kept with the run. At most 256 characters. */
  readonly parentRunId?: string;
  readonly agentType: string;
  /** The messages of this request, each with an id. May repeat what the session already has. */
  readonly input: readonly Message[];
  /**
   * True: `input` is the whole conversation as the client knows it. What the session has is left out,
   * by message id and by call, in whatever words; everything else is added.
   */
  readonly resendsHistory?: boolean;
  readonly clientTools: readonly ToolDeclaration[];
  /** Restrictions of the server's tools. */
  readonly toolRestrictions?: readonly ToolRestriction[];
  readonly modelOptions: ModelOptions;
  readonly clientTime?: ClientTime;
  /** The language the request wants, a BCP 47 tag; it comes before that of the user's settings. Tells no repeats. */
  readonly locale?: string;
  readonly forwardedProps: JsonObject;
  readonly onBusy: BusyPolicy;
  /**
   * Answers to questions of the session. The run then goes on where the asking run waited: with its
   * agent, and with its tools and model options where the request brings none. Without `sessionGiven`
   * the session is that of the questions.
   */
  readonly answers?: readonly InterruptAnswer[];
  /** True when the request names no user: while nobody has to log in, its answers are taken for the owner's. */
  readonly anonymous?: boolean;
  /** Replaces the session's shared state before the agent begins. */
  readonly state?: JsonObject;
  /**
   * A run id: the history is that run and what it was built on. When the conversation has gone on
   * since, it forks: a new session, `sessionId`, begins with a copy of the messages up to that run.
   * Otherwise the run joins the session of that one and `sessionId` is ignored.
   */
  readonly after?: string;
  /**
   * False: the messages of this run are no history for later runs, and once it is over only the
   * request that it was accepted by can read it. Default true.
   */
  readonly store?: boolean;
  /** What the wire keeps with the run, opaque to the core; no part of what makes requests equal. */
  readonly wireData?: JsonObject;
  /** Instructions for this run only, put after the agent's own prompt. */
  readonly systemPrompt?: string;
}

/** What `accept` returns once the run is committed. A repeated request gets the run of the first one. */
export interface AcceptedRun {
  readonly runId: string;
  readonly sessionId: string;
  /** False: this request had been accepted before; its run is replayed. */
  readonly created: boolean;
  /** Whether the session was made for this run. */
  readonly createdSession: boolean;
  /** Grows with every run of the session: 1 for the first run of a session that it opened. */
  readonly ordinal: number;
  /** The run as the transaction that accepted it left it: it need not be read again. */
  readonly run: RunView;
}

/** A run as it stands. Times are milliseconds since the epoch. */
export interface RunView {
  readonly runId: string;
  readonly sessionId: string;
  /** Whose session it is. */
  readonly userId: string;
  readonly agentType: string;
  readonly ordinal: number;
  readonly wire: string;
  readonly runKey: string | null;
  readonly parentRunId: string | null;
  readonly wireData: JsonObject;
  readonly state: RunState;
  /** True for a failed run whose time was over: as a whole, between two events, or while it waited. */
  readonly timedOut: boolean;
  /** 1 for the next of the session; null unless queued. */
  readonly queuePosition: number | null;
  readonly attempt: number;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly cancelRequestedAt: number | null;
  /** The number of the last committed event, -1 when there is none. */
  readonly lastSeq: number;
  readonly error: ErrorModel | null;
  readonly usage: Usage | null;
  /** What wires keep of the events that were removed (`RetainedSummaries`); null while they are there. */
  readonly retainedSummaries: JsonObject | null;
}

import type { JsonObject, Principal } from '../common/index.js';
import type { ErrorModel, Message, Usage } from '../events/index.js';
import type { ModelOptions } from '../agent/index.js';
import type { InterruptAnswer } from '../interrupt/index.js';
import type { ClientTime, ToolDeclaration } from '../tools/index.js';

export type { InterruptAnswer } from '../interrupt/index.js';

/** The states of a run (architecture, section 6). */
export type RunState = 'queued' | 'running' | 'completed' | 'failed' | 'canceled' | 'incomplete' | 'interrupted';

/** What happens when the session already has a run that is not over. */
export type BusyPolicy = 'reject' | 'enqueue';

/** A request to run an agent, as every protocol's decoder makes it. */
export interface RunRequest {
  readonly principal: Principal;
  readonly sessionId: string;
  /** False when the server chose the session: then a repeated request need not name the same one. */
  readonly sessionGiven?: boolean;
  /** Chosen by the client: a repeated request with equal content replays. Absent: the server chooses. */
  readonly runId?: string;
  readonly agentType: string;
  /** The messages of this request, each with an id. May repeat what the session already has. */
  readonly input: readonly Message[];
  readonly clientTools: readonly ToolDeclaration[];
  readonly modelOptions: ModelOptions;
  readonly clientTime?: ClientTime;
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
}

/** What `accept` answers once the run is committed. */
export interface AcceptedRun {
  readonly runId: string;
  readonly sessionId: string;
  /** False: this request had been accepted before; its run is replayed. */
  readonly created: boolean;
}

/** A run as it stands. Times are milliseconds since the epoch. */
export interface RunView {
  readonly runId: string;
  readonly sessionId: string;
  readonly agentType: string;
  readonly state: RunState;
  readonly attempt: number;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly cancelRequestedAt: number | null;
  /** The number of the last committed event, -1 when there is none. */
  readonly lastSeq: number;
  readonly error: ErrorModel | null;
  readonly usage: Usage | null;
}

import type { Carried, JsonObject, Principal, Reach, Requester } from '../common/index.js';
import type { ErrorModel, Message, Usage } from '../events/index.js';
import type { ModelOptions } from '../agent/index.js';
import type { InterruptAnswer } from '../agent/interrupt/index.js';
import type { ClientTime, ToolDeclaration, ToolRestriction } from '../agent/tools/index.js';

export type { InterruptAnswer } from '../agent/interrupt/index.js';

/** The states of a run (docs/architecture.md#states-of-a-run). */
export const RUN_STATES = [
  'queued',
  'running',
  'completed',
  'incomplete',
  'failed',
  'canceled',
  'interrupted',
] as const;
/** A state of a run. */
export type RunState = (typeof RUN_STATES)[number];

/**
 * What happens when the session has runs that have not ended. `interrupt` cancels them and keeps
 * their messages; `rollback` cancels them, and their messages and state no longer count for later runs.
 */
export type BusyPolicy = 'reject' | 'enqueue' | 'interrupt' | 'rollback';

/** The wire of requests that do not name one. */
export const DEFAULT_WIRE = 'agent-api';

/**
 * From so many messages on, each step of a run's beginning takes milliseconds: other requests have a turn of the event
 * loop between two.
 */
export const MANY_MESSAGES = 100;

/** A request to run an agent, as the decoder of every wire returns it. */
export interface RunRequest {
  /** The owner of the run. With `answers`, the owner of the interrupts takes its place. */
  readonly principal: Principal;
  /** Where the ids that the request names are looked up: `runId`, and the interrupts of `answers`. */
  readonly reach: Reach;
  /**
   * Who asks, with which rights: they become the authority of the run, unless the request answers interrupts, and
   * decide whether it may answer them. Null without authentication, which limits nothing.
   */
  readonly requester: Requester | null;
  readonly sessionId: string;
  /** True: the session id is unique in the tenant, so another user's session with this id is not found. */
  readonly tenantUniqueId?: boolean;
  /** False when the server chose the session: a repeated request may then name another one. */
  readonly sessionGiven?: boolean;
  /** True: a session that is made for this run is in no list of sessions. Not compared in repeated requests. */
  readonly unlistedSession?: boolean;
  /** Chosen by the client: a repeated request with equal content returns the same run. Absent: the server chooses. */
  readonly runId?: string;
  /** The id of the run if the request is new, for a wire with ids of its own form. Not compared in repeated requests. */
  readonly newRunId?: string;
  /** The wire that accepts the run, `DEFAULT_WIRE` when absent. At most 32 characters. */
  readonly wire?: string;
  /**
   * The client's run id where it is unique in the session only: a repeated request with equal content returns
   * the same run. At most 256 characters; the server then chooses `runId`.
   */
  readonly runKey?: string;
  /** Opaque, stored with the run. At most 256 characters. */
  readonly parentRunId?: string;
  readonly agentType: string;
  /** True: the wire has chosen the agent itself, so that the caller need not be allowed to name it. Not compared in repeated requests. */
  readonly isAgentOfWire?: boolean;
  /** The messages of this request, each with an id. May repeat what the session already has. */
  readonly input: readonly Message[];
  /**
   * True: `input` is the whole conversation as the client knows it. Messages and tool calls that the session has are
   * left out; everything else is added. If it begins as the session does and ends before it, the later turns are rolled
   * back (contract ag-ui, section 2.6).
   */
  readonly resendsHistory?: boolean;
  /**
   * The id of a message of an earlier request of the session. That message, the run that it began and everything later
   * are taken out of the conversation, together with what they have changed in the shared state.
   */
  readonly replacesFrom?: string;
  /** The ids of those messages of `input` to which the client gave none: equal ids of others do not make them known. */
  readonly unnamed?: ReadonlySet<string>;
  /** What the client calls `input`, for errors. Default: `input`. */
  readonly messagesField?: string;
  /**
   * What the client calls the addresses of media in `input`, for errors: by message and index of the content. Those that
   * it does not have are named by `messagesField`.
   */
  readonly addressPaths?: ReadonlyMap<string, ReadonlyMap<number, string>>;
  readonly clientTools: readonly ToolDeclaration[];
  /** Restrictions of the server's tools. */
  readonly toolRestrictions?: readonly ToolRestriction[];
  readonly modelOptions: ModelOptions;
  readonly clientTime?: ClientTime;
  /** A BCP 47 tag that overrides the language of the user's settings. Not compared in repeated requests. */
  readonly locale?: string;
  readonly forwardedProps: JsonObject;
  readonly onBusy: BusyPolicy;
  /**
   * Answers to interrupts of the session. The run then resumes where the interrupted run waits: with its
   * agent, and with its tools and model options unless the request has its own. When `sessionGiven` is false
   * the session is that of the interrupts.
   */
  readonly answers?: readonly InterruptAnswer[];
  /** True: refuse the request unless `answers` answers every open interrupt of the session. */
  readonly answersAllInterrupts?: boolean;
  /** True: input without answers leaves the interrupts of the session open, instead of canceling them. */
  readonly keepsInterrupts?: boolean;
  /** Replaces the session's shared state before the agent starts. */
  readonly state?: JsonObject;
  /**
   * The id of the run that this one continues: its history ends with that run. If the conversation has later
   * messages, it is forked: a new session, `sessionId`, starts with a copy of the messages up to that run.
   * Otherwise the run joins the session of that one and `sessionId` is ignored.
   */
  readonly after?: string;
  /**
   * False: the messages of this run are not in the history of later runs, and once it has ended only the
   * request that it was accepted by can read it. Default true.
   */
  readonly store?: boolean;
  /**
   * Data that the wire stores with the run, opaque to the core but for the key `encoder` (`EncoderRevisions`). Not
   * compared in repeated requests.
   */
  readonly wireData?: JsonObject;
  /** Given: the run is in the list that its wire keeps of its runs (`RunListings`). */
  readonly listing?: RunListing;
  /**
   * The id of an endpoint of the tenant that receives the end of the run, whatever events it has chosen (contract
   * hooks, section A1). Not compared in repeated requests.
   */
  readonly webhook?: string;
  /** What the requests of the run to remote agents carry on. Not compared in repeated requests. */
  readonly carried?: Carried;
  /** The `traceparent` of the request, under which the run is traced. Not compared in repeated requests. */
  readonly traceparent?: string;
  /** That of the run that this one continues. */
  readonly continuesTrace?: string;
  /** Instructions for this run only, added after the agent's own prompt. */
  readonly systemPrompt?: string;
}

/** What a list of a wire shows of a run, and finds it by. */
export interface RunListing {
  /** The model as the request names it. At most 256 characters. */
  readonly model: string;
  /** Texts that the client chose, by name. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** What `accept` returns once the run is committed. A repeated request gets the run of the first one. */
export interface AcceptedRun {
  /** The run as the transaction that accepted it left it: it need not be read again. */
  readonly run: RunView;
  /** False: this request had been accepted before, and its run is returned. */
  readonly created: boolean;
  /** Whether the session was created for this run. */
  readonly createdSession: boolean;
}

/** A run as wires see it, with its owner: a `Principal`. Times are milliseconds since the epoch. */
export interface RunView {
  /** Of a run that was just accepted: the run itself, which need not be looked up to be read. Opaque to wires. */
  readonly ref?: object | undefined;
  readonly tenantId: string;
  readonly runId: string;
  readonly sessionId: string;
  /** The owner of the session. */
  readonly userId: string;
  readonly agentType: string;
  /** Grows with every run of the session: 1 for the run that created it. */
  readonly ordinal: number;
  readonly wire: string;
  readonly runKey: string | null;
  readonly parentRunId: string | null;
  readonly wireData: JsonObject;
  /** The tools that its client has declared. */
  readonly clientTools: readonly ToolDeclaration[];
  readonly state: RunState;
  /** True for a run that was taken back: its messages are no longer part of the conversation. */
  readonly isRolledBack: boolean;
  /** True for a run that goes on where an interrupted one of its session waits. */
  readonly isResumed: boolean;
  /** True for a run that failed because it took too long: as a whole, between two events, or in the queue. */
  readonly timedOut: boolean;
  /** 1 for the next run of the session; null unless queued. */
  readonly queuePosition: number | null;
  readonly attempt: number;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly cancelRequestedAt: number | null;
  /** The number of the last committed event; -1 before the first. */
  readonly lastSeq: number;
  readonly error: ErrorModel | null;
  readonly usage: Usage | null;
  /** What wires keep of the events (`RetainedSummaries`); null until they are compacted or removed. */
  readonly retainedSummaries: JsonObject | null;
  /** The id of the first run of the chain: of those that continue an interrupted one. Its own id if it is the first. */
  readonly rootRunId: string;
  /** When what the interrupted run waits for was given up; null if it was not. */
  readonly closedAt: number | null;
}

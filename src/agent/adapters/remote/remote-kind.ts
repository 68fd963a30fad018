import type { AppError, Json, JsonObject } from '../../../common/index.js';
import type { ActivityEvent } from '../../../events/index.js';
import type { AgentContext, InputQuestion } from '../../agent.js';
import type { ModelMessage } from '../../ports/model-client.js';
import type { RemoteFailure } from './remote-failure.js';
import type { RemoteRequest } from './remote-http.js';
import type { SseEvent } from './remote-connection.js';
import type { ToldCall } from './remote-calls.js';
import type { RemoteWriter } from './remote-writer.js';

/** What a message of an earlier run keeps of the exchange that it came from. */
export interface KeptExchange {
  /** The upstream's id of the answer, or of the conversation. */
  readonly handle: string;
  /** True if the upstream keeps the answer, so that a later request can refer to it. */
  readonly isKept: boolean;
  /** The upstream's ids of calls, by ours, where they differ. */
  readonly calls: Readonly<Record<string, string>>;
  /** The upstream's approval requests, by our interrupts. */
  readonly approvals: Readonly<Record<string, string>>;
  /** The upstream's ids of messages, by ours. */
  readonly messages?: Readonly<Record<string, string>>;
  /** Decisions that were not told yet, because others are missing, by our interrupts. */
  readonly decided?: Readonly<Record<string, GivenDecision>>;
  /** What the exchange asked for beside the approvals: asked when these are decided, and told with them. */
  readonly asked?: AskedQuestions;
  /** `Turn.conversation`; absent of what was kept by an earlier version. */
  readonly conversation?: string;
  /** `RemoteReader.shown` at its end, if it asked for approvals. */
  readonly shown?: Json;
}

/** A decision on an approval. */
export interface GivenDecision {
  readonly approve: boolean;
  readonly reason?: string;
}

/** A message for an upstream that knows messages by ids. */
export interface NamedMessage {
  /** The upstream's, or ours if it has none. */
  readonly id: string;
  readonly message: ModelMessage;
}

/** A call that an upstream has asked to approve. */
export interface DecidedCall {
  /** Ours. */
  readonly callId: string;
  readonly name: string;
  readonly arguments: string;
  readonly label: string;
}

/** A decision that an upstream waits for. */
export interface Decision {
  /** The upstream's id of the request. */
  readonly requestId: string;
  /** The exchange that asked. */
  readonly handle: string;
  readonly isKept: boolean;
  readonly shown: Json | undefined;
  readonly approve: boolean;
  readonly reason: string | undefined;
  /** Absent if the history does not have the request. */
  readonly call?: DecidedCall;
}

/** What an exchange asks people for. */
export interface AskedQuestions {
  /** The id of the exchange, `Turn.id`: a later exchange may ask under the same keys. */
  readonly exchange: string;
  /** Their keys are what the protocol needs to answer them, of any length. */
  readonly questions: readonly InputQuestion[];
}

/** An answer to a question of the exchange before. */
export interface GivenInput {
  /** Of the question. */
  readonly key: string;
  /** Null if it was declined. */
  readonly value: Json;
  readonly isRefused: boolean;
}

/** What is asked of an upstream in one exchange. */
export interface Turn {
  readonly context: AgentContext;
  /** Which exchange of the run it is, from 0. */
  readonly round: number;
  /** The id of ours that the exchange is sent with: the same in every attempt. */
  readonly id: string;
  /** The name of the conversation at the upstream. */
  readonly conversation: string;
  /** What the upstream is told of the user; undefined: nothing. */
  readonly user: string | undefined;
  /** The whole conversation, or what is new, without the instructions; empty where messages have names. */
  readonly messages: readonly ModelMessage[];
  /** Makes the whole conversation, for an upstream that no longer has it; empty where messages have names. */
  readonly whole: () => Promise<readonly ModelMessage[]>;
  /** What is new in this run. */
  readonly news: readonly ModelMessage[];
  /** As `messages`, each with its id; empty where they have none. */
  readonly named: readonly NamedMessage[];
  /** The whole conversation, each message with its id: what the upstream may show again; empty where they have none. */
  readonly known: readonly NamedMessage[];
  /** The last exchange of this conversation with the upstream; undefined: `messages` is all of it. */
  readonly after: KeptExchange | undefined;
  /** True in a branch of a conversation with the upstream, which knows nothing of it: the turn is sent as its first one. */
  readonly isBranch: boolean;
  readonly decisions: readonly Decision[];
  /** Answers to the questions of the exchange before, and what it kept. */
  readonly inputs: readonly GivenInput[];
  readonly before: JsonObject | undefined;
}

/** How an exchange ended. */
export type ExchangeEnd =
  | { readonly kind: 'completed' }
  | { readonly kind: 'incomplete'; readonly reason: string }
  | { readonly kind: 'failed'; readonly error: AppError };

/** Reads the events of one exchange, over all its connections. */
export interface RemoteReader {
  /**
   * The upstream's id of the exchange in its first events; undefined if the event has none.
   *
   * @param header reads a header of the answer
   */
  identify(event: SseEvent, header: HeaderOf): string | undefined;
  /** True for an event without an id that says nothing of the answer: one behind it may have the id. Default: none is. */
  isPrelude?(event: SseEvent): boolean;
  /** Maps an event. @throws RemoteFailure for one that breaks the protocol */
  read(event: SseEvent, writer: RemoteWriter): void;
  /** The end, once the terminal event was read. */
  readonly end: ExchangeEnd | undefined;
  /** True once the stream has shown that the exchange is over, and what is stored decides how it ended. */
  readonly isOver?: boolean;
  /** False while the upstream may still take back what it told: then there is no boundary. Default: true. */
  readonly isSettled?: boolean;
  /** The model that answers, as the upstream names it. */
  readonly model: string | undefined;
  /** Where the stream is continued. What began before it does not come again. */
  readonly position: Json;
  /** How many events have shown that the exchange goes on, new or not. Default: the position shows it. */
  readonly heard?: number;
  /** What the next boundary keeps beside the position; merged when the exchange is restored. */
  takeTold(): JsonObject;
  /** What the exchange that answers this one's questions needs, so that it shows nothing again. */
  shown?(writer: RemoteWriter): Json;
  /** A new connection continues behind `position`. */
  reconnected(): void;
  /** The stream has ended, or brings nothing more: what was read may be the whole answer. */
  closed?(): void;
  /** Continues an exchange that another process has begun. */
  restore(position: Json, told: readonly JsonObject[]): void;
}

/** What the handle of an exchange is at the upstream. */
export interface Opened {
  readonly handle: string;
  /** Whether the exchange can be continued on another connection. */
  readonly canReattach: boolean;
  /** Whether later requests can refer to it. */
  readonly isKept: boolean;
  /** Where it was begun, in the words of its protocol: it is continued and stopped there. */
  readonly place?: JsonObject;
}

/** Reads a header of an answer. @param name in lower case */
export type HeaderOf = (name: string) => string | undefined;

/** Makes a request that is answered with JSON. @param onAnswer gets the headers @throws RemoteFailure; the signal's reason */
export type Ask = (request: RemoteRequest, onAnswer?: (header: HeaderOf) => void) => Promise<unknown>;

/** How an exchange begins whose first request only starts it. */
export interface DetachedStart {
  /** How long the stream may bring nothing before the state of the exchange is looked at, in milliseconds. */
  readonly quietMs: number;
  /** The handle of an exchange, before it begins. @param isInDoubt an earlier attempt may have made it */
  place(turn: Turn, ask: Ask, isInDoubt: boolean): Promise<string>;
  /** Whether an exchange in doubt is in progress or over. */
  hasBegun(handle: string, turn: Turn, ask: Ask): Promise<boolean>;
  /** Called when the exchange has begun: tells the reader what its stream may have of earlier ones. */
  accepted(handle: string, turn: Turn, ask: Ask, reader: RemoteReader): Promise<void>;
}

/** A request that may have arrived, and of which no answer is known. */
export interface Doubt {
  readonly turn: Turn;
  /** When it was about to be sent, in milliseconds of the epoch. */
  readonly begunAt: number;
  readonly ask: Ask;
}

/** What has become of a request in doubt. */
export type Settlement =
  | { readonly kind: 'unknown' }
  /** It does nothing twice. */
  | { readonly kind: 'repeatable' }
  | { readonly kind: 'begun'; readonly opened: Opened };

/** One protocol, for one remote agent. */
export interface RemoteProtocol {
  /** Whether an exchange that begins now can be continued on another connection. */
  readonly canReattach: boolean;
  /** True if an exchange in doubt can be looked for by `Turn.id`. */
  readonly findsByOwnId: boolean;
  /** Whether later requests can refer to an exchange that begins now. */
  readonly keeps: boolean;
  /** True if a branch of a conversation can go on with an exchange of it; otherwise it is a new one for the upstream. */
  readonly canBranch?: boolean;
  /** True if the upstream knows messages by ids: then a turn has `named`, otherwise `messages` and `news`. */
  readonly isNamed: boolean;
  /** Given: the request of `open` only starts an exchange, and its events come on the connection of `follow`. */
  readonly detached?: DetachedStart;
  /** Finds out what has become of a request in doubt, as far as the upstream can be asked. Called after `prepare`. */
  settle?(doubt: Doubt): Promise<Settlement>;
  /** True if an answer may be JSON in place of a stream. */
  readonly takesJson?: boolean;
  /** Called before each request of an exchange. @param get reads JSON of an address @param opened what is continued */
  prepare?(get: Ask, opened?: Opened): Promise<void>;
  /** The request that begins an exchange. @param handle of a detached one @throws AppError for what cannot be sent */
  open(turn: Turn, handle?: string): RemoteRequest;
  /** What a failure of that request means. Default: the failure itself. */
  refusal?(failure: RemoteFailure, turn: Turn): RemoteFailure;
  /** The handle of the exchange that an answer was for, if its refusal means that this goes on without one. */
  goesOn?(failure: RemoteFailure, turn: Turn): string | undefined;
  /** What is sent in place of a request that was refused; undefined: the refusal counts. Default: it does. */
  adapts?(failure: RemoteFailure, turn: Turn): Promise<Turn | undefined>;
  /**
   * Called with the first event of each answer to the request that begins an exchange: upstreams may refuse in it.
   *
   * @returns the request in another way; undefined: the event counts
   * @throws RemoteFailure for an event that breaks the protocol
   */
  rewrites?(first: SseEvent, request: RemoteRequest, turn: Turn): RemoteRequest | undefined;
  reader(turn: Turn): RemoteReader;
  /** Whether an exchange with this handle can be continued. Default: every one. */
  readonly follows?: (handle: string) => boolean;
  /** The request that continues an exchange; undefined: it has no stream and is looked at. */
  follow(opened: Opened, position: Json, turn: Turn): RemoteRequest | undefined;
  /**
   * Reads the state of an exchange whose stream cannot be continued, again and again until it is over.
   *
   * @returns undefined if there is no such request; the reader has its end if the exchange is over
   */
  look?(
    opened: Opened,
    turn: Turn,
  ): {
    readonly request: RemoteRequest;
    read(answer: unknown, reader: RemoteReader, writer: RemoteWriter): void;
  };
  /** The request that stops an exchange; undefined: closing the connection does. */
  stop(opened: Opened, turn: Turn): RemoteRequest | undefined;
}

/** What the journal has of an exchange. */
export interface StoredBoundary {
  readonly position: Json;
  readonly told: JsonObject;
  readonly calls: readonly ToldCall[];
  /** The shared state at the boundary; absent if it is that of the last one that has it. */
  readonly state?: JsonObject;
  /** The activities that had changed since the boundary before. */
  readonly activities?: readonly ActivityEvent[];
}

import type { JsonObject, Principal, Reach } from '../../../common/index.js';
import type { Transaction } from '../../../database/index.js';
import type { Message, MessageType } from '../../../events/index.js';

/** A session as its owner sees it. Times are milliseconds since the epoch. */
export interface SessionView {
  readonly sessionId: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly runCount: number;
  /** Data that the owner stored with it. */
  readonly metadata: JsonObject;
  /** The shared state. */
  readonly state: JsonObject;
  /** The agent type of the newest run; null without a run. */
  readonly agentType: string | null;
}

/** A message and its position in the session. */
export interface SessionMessage {
  /** Grows with every message of the session; may have gaps. */
  readonly seq: number;
  /** Null for a message that was added outside a run or copied by a fork. */
  readonly runId: string | null;
  readonly runOrdinal: number;
  readonly createdAt: number;
  readonly message: Message;
}

/** A message that was found by its id alone, and its session. */
export interface FoundMessage extends SessionMessage {
  readonly sessionId: string;
  readonly userId: string;
}

/** The position of a run in its session. */
export interface RunPosition {
  readonly sessionId: string;
  readonly ordinal: number;
}

/** What is stored together with messages that join a session. @param now milliseconds since the epoch */
export type Joined = (tx: Transaction, place: { readonly sessionRowId: number; readonly now: number }) => Promise<void>;

/** Which messages to read. */
export interface MessagesQuery {
  readonly limit: number;
  /** Only messages with a greater `seq`. */
  readonly after?: number;
  /** Only messages with a smaller `seq`. */
  readonly before?: number;
  readonly order: 'asc' | 'desc';
  /** Only messages stored at or after this time, in milliseconds since the epoch. */
  readonly from?: number;
  /** Only messages stored before this time, in milliseconds since the epoch. */
  readonly to?: number;
}

/** Which sessions to list. */
export interface SessionsQuery {
  readonly limit: number;
  /** `nextCursor` of the page before. */
  readonly cursor?: string;
  /** By the time of the last change; default `desc`. */
  readonly order?: 'asc' | 'desc';
  /**
   * True: instead of the caller's, the tenant's sessions without a user, whose user id is the session id. For callers
   * without authentication only.
   */
  readonly unowned?: boolean;
  /** Only sessions whose newest run has this agent type. */
  readonly agentType?: string | undefined;
  /** Only sessions whose metadata do not have the value `true` under this key, of letters and digits. */
  readonly unlessTrue?: string | undefined;
}

/** A page of sessions. */
export interface SessionPage {
  readonly items: readonly SessionView[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/**
 * Sessions as wires use them. Only its user sees a session: another user's session is not found.
 * Messages of transient and of rolled back runs are never returned.
 */
export abstract class Sessions {
  abstract view(principal: Principal, sessionId: string): Promise<SessionView | undefined>;

  /**
   * The owner of the session with an id; undefined when the reach has no such session.
   *
   * @throws AppError AMBIGUOUS_ID when several users of a tenant have such a session, and the reach is the tenant
   */
  abstract ownerOf(reach: Reach, sessionId: string): Promise<Principal | undefined>;

  /** The caller's sessions, without the unlisted ones (`OpenOptions.unlisted`). @throws AppError INVALID_PARAMETER for an unknown cursor */
  abstract list(principal: Principal, query: SessionsQuery): Promise<SessionPage>;

  /** Messages in the order they were stored; empty for an unknown session. */
  abstract messages(principal: Principal, sessionId: string, query: MessagesQuery): Promise<readonly SessionMessage[]>;

  /**
   * The messages of a session before a run's input: those of runs with smaller ordinals, oldest first. Later
   * runs do not change the result. Empty for an unknown session.
   *
   * @param options.limit returns only the newest ones; absent: all
   */
  abstract before(
    principal: Principal,
    run: RunPosition,
    options?: { readonly limit?: number },
  ): Promise<readonly SessionMessage[]>;

  /** All messages of the types, oldest first; empty for an unknown session. */
  abstract messagesOfTypes(
    principal: Principal,
    sessionId: string,
    types: readonly MessageType[],
  ): Promise<readonly SessionMessage[]>;

  /** The newest message with this id. */
  abstract message(principal: Principal, sessionId: string, id: string): Promise<SessionMessage | undefined>;

  /** The message with this id in any session within the reach; in a forked conversation the original. */
  abstract findMessage(reach: Reach, id: string): Promise<FoundMessage | undefined>;

  /** Creates a session without a run. @throws AppError SESSION_EXISTS; SESSION_BUSY while the user's data is being erased */
  abstract create(principal: Principal, sessionId: string, metadata?: JsonObject): Promise<SessionView>;

  /**
   * Adds messages outside a run, which are history for later runs.
   *
   * @param joined called in the transaction that stores them
   * @throws AppError SESSION_NOT_FOUND; what `joined` throws, then nothing is stored
   */
  abstract append(
    principal: Principal,
    sessionId: string,
    messages: readonly Message[],
    joined?: Joined,
  ): Promise<readonly SessionMessage[]>;

  /** Removes the messages with this id. Returns false when there is no such message. */
  abstract removeMessage(principal: Principal, sessionId: string, id: string): Promise<boolean>;

  /** Replaces the metadata. @throws AppError SESSION_NOT_FOUND */
  abstract saveMetadata(principal: Principal, sessionId: string, metadata: JsonObject): Promise<SessionView>;

  /** Replaces the shared state. @throws AppError SESSION_NOT_FOUND */
  abstract saveState(principal: Principal, sessionId: string, state: JsonObject): Promise<SessionView>;
}

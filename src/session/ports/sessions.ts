import type { JsonObject, Principal } from '../../common/index.js';
import type { Message } from '../../events/index.js';

/** A session as its owner sees it. Times are milliseconds since the epoch. */
export interface SessionView {
  readonly sessionId: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly runCount: number;
  /** What the owner noted about it. */
  readonly metadata: JsonObject;
  /** The shared state. */
  readonly state: JsonObject;
}

/** A message in its place. */
export interface SessionMessage {
  /** Grows with every message of the session; gaps are legal. */
  readonly seq: number;
  /** Null for a message that was added outside a run or copied by a fork. */
  readonly runId: string | null;
  readonly runOrdinal: number;
  readonly createdAt: number;
  readonly message: Message;
}

/** Whose messages: of a tenant, and of one user unless the asking side may see all of them. */
export interface MessageScope {
  readonly tenantId: string;
  readonly userId?: string;
}

/** A message that was found by its id alone, and where it is. */
export interface FoundMessage extends SessionMessage {
  readonly sessionId: string;
  readonly userId: string;
}

/** Where a run is in its session. */
export interface RunPosition {
  readonly sessionId: string;
  readonly ordinal: number;
}

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
  /** True: the tenant's sessions whose user nobody named, each a user of its own, instead of the caller's. */
  readonly unowned?: boolean;
}

/** A page of sessions. */
export interface SessionPage {
  readonly items: readonly SessionView[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/**
 * Sessions as protocols use them, each seen by its user only: a foreign session is an unknown one.
 * Messages of transient and of rolled back runs are in none of the answers.
 */
export abstract class Sessions {
  abstract view(principal: Principal, sessionId: string): Promise<SessionView | undefined>;

  /** The caller's sessions. @throws AppError INVALID_PARAMETER for a cursor that is none of ours */
  abstract list(principal: Principal, query: SessionsQuery): Promise<SessionPage>;

  /** Messages in the order they were stored; none of an unknown session. */
  abstract messages(principal: Principal, sessionId: string, query: MessagesQuery): Promise<readonly SessionMessage[]>;

  /**
   * The messages of a session before a run's own, its input included: those of runs with smaller ordinals,
   * oldest first. They do not change with what the session does later. None of an unknown session.
   *
   * @param options.limit only the newest so many; all when absent
   */
  abstract before(
    principal: Principal,
    run: RunPosition,
    options?: { readonly limit?: number },
  ): Promise<readonly SessionMessage[]>;

  /** The newest message with this id. */
  abstract message(principal: Principal, sessionId: string, id: string): Promise<SessionMessage | undefined>;

  /** The message with this id in whichever session; of a forked conversation the original. */
  abstract findMessage(scope: MessageScope, id: string): Promise<FoundMessage | undefined>;

  /** Makes a session without a run. @throws AppError SESSION_EXISTS */
  abstract create(principal: Principal, sessionId: string, metadata?: JsonObject): Promise<SessionView>;

  /** Adds messages outside a run: history for the runs accepted later. @throws AppError SESSION_NOT_FOUND */
  abstract append(
    principal: Principal,
    sessionId: string,
    messages: readonly Message[],
  ): Promise<readonly SessionMessage[]>;

  /** Removes the messages with this id; false when there was none. */
  abstract removeMessage(principal: Principal, sessionId: string, id: string): Promise<boolean>;

  /** Replaces the metadata. @throws AppError SESSION_NOT_FOUND */
  abstract saveMetadata(principal: Principal, sessionId: string, metadata: JsonObject): Promise<SessionView>;

  /** Replaces the shared state. @throws AppError SESSION_NOT_FOUND */
  abstract saveState(principal: Principal, sessionId: string, state: JsonObject): Promise<SessionView>;
}

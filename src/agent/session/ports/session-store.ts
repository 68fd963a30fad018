import type { JsonObject, Principal, Reach } from '../../../common/index.js';
import type { Transaction } from '../../../database/index.js';
import type { Message } from '../../../events/index.js';
import type { MessageStates, StateTexts, StoredMessages } from '../message-state.js';
import type { RemovedSession } from '../session-cleaners.js';

/** A session that a transaction opened for a new run. */
export interface OpenedSession {
  readonly rowId: number;
  /** The ordinal of the new run: 1 when the session was created for it. */
  readonly runOrdinal: number;
  /** The first of the message numbers that were reserved for the run. */
  readonly firstMessage: number;
}

/** How a session is opened for a run. */
export interface OpenOptions {
  /** How many message numbers are reserved for the run; default 0. */
  readonly messages?: number;
  /** True: a session that is made for the run is in no list of sessions. It is found by its id. */
  readonly unlisted?: boolean;
}

/** A session of a tenant. */
export interface StoredSession {
  readonly tenantId: string;
  readonly sessionRowId: number;
}

/** Where messages are stored. */
export interface MessageOwner extends StoredSession {
  /** 0 outside a run. */
  readonly runRowId: number;
  readonly runOrdinal: number;
}

/** How messages are stored. */
export interface AppendOptions {
  /** `state`: messages of a transient run, kept for their states alone. */
  readonly origin: 'input' | 'output' | 'state';
  /** True: not part of the conversation, only their own run sees them. */
  readonly hidden?: boolean;
  /** The number of the first message, when the numbers were reserved (`OpenedSession`). Absent: the next ones. */
  readonly first?: number;
  /** The provider states of some of them. */
  readonly states?: MessageStates | undefined;
}

/** What finds the states of messages that a client sends back. */
export interface StateQuery {
  /** Ids of messages. */
  readonly ids: readonly string[];
  /** As `stateKey` makes them. */
  readonly keys: readonly string[];
}

/** Provider states that were found: the newest of each id and key. */
export interface FoundStates {
  readonly byId: StateTexts;
  readonly byKey: StateTexts;
}

/** A message of the conversation and its place. */
export interface StoredMessage {
  readonly message: Message;
  /** With `runOrdinal` its place: messages are read in the order of both. */
  readonly seq: number;
  readonly runOrdinal: number;
  /** 0 outside a run. */
  readonly runRowId: number;
  readonly origin: 'input' | 'output';
}

/** Where a session is forked. */
export interface ForkPoint extends StoredSession {
  /** The last ordinal whose messages are copied. */
  readonly ordinal: number;
}

/**
 * Sessions, their messages and their state. Writes take part in the transaction of the run they
 * belong to, so that a run and its messages are always stored together.
 */
export abstract class SessionStore {
  /** Finds or creates the session and counts one more run. */
  abstract open(
    tx: Transaction,
    principal: Principal,
    sessionId: string,
    now: number,
    options?: OpenOptions,
  ): Promise<OpenedSession>;

  /**
   * Refuses to store anything of a user whose data is being erased. Call it after `open`, in the same transaction.
   *
   * @throws AppError SESSION_BUSY; then the transaction must fail
   */
  abstract refuseErased(tx: Transaction, principal: Principal): Promise<void>;

  /**
   * As `open`, for session ids that are unique in the tenant. When several users open the same new id at
   * once, one of them gets it.
   *
   * @throws AppError SESSION_NOT_FOUND when the session would be created and another user has its id
   */
  abstract openTenantUnique(
    tx: Transaction,
    principal: Principal,
    sessionId: string,
    now: number,
    options?: OpenOptions,
  ): Promise<OpenedSession>;

  /**
   * Counts one more run of an existing session, as `open`. Later callers wait until this transaction ends.
   *
   * @param messages how many message numbers are reserved for the run; default 0
   */
  abstract reopen(tx: Transaction, sessionRowId: number, now: number, messages?: number): Promise<OpenedSession>;

  /** Makes other writers of the session wait until this transaction ends. Returns false if it has been removed. */
  abstract lock(tx: Transaction, sessionRowId: number): Promise<boolean>;

  /**
   * Creates a session that begins with a copy of another's messages and state, and counts its first run, as `open`.
   *
   * @throws AppError SESSION_EXISTS
   */
  abstract fork(
    tx: Transaction,
    from: ForkPoint,
    sessionId: string,
    now: number,
    messages?: number,
  ): Promise<OpenedSession>;

  /** Adds messages, in order. */
  abstract append(
    tx: Transaction,
    owner: MessageOwner,
    messages: readonly Message[],
    now: number,
    options: AppendOptions,
  ): Promise<void>;

  /** Takes the messages of a run out of the conversation. */
  abstract hideRun(tx: Transaction, sessionRowId: number, runRowId: number): Promise<void>;

  /** Takes messages that were added outside a run out of the conversation. @param seqs at most a few thousand */
  abstract hideAdded(tx: Transaction, sessionRowId: number, seqs: readonly number[]): Promise<void>;

  /** Whether the conversation has messages of later ordinals. */
  abstract hasMessagesAfter(tx: Transaction, sessionRowId: number, ordinal: number): Promise<boolean>;

  /** Replaces the shared state. */
  abstract saveState(tx: Transaction, session: StoredSession, state: JsonObject, now: number): Promise<void>;

  /** Those messages of the conversation that have one of the ids. */
  abstract messagesById(tx: Transaction, sessionRowId: number, ids: readonly string[]): Promise<Map<string, Message>>;

  /** The whole conversation, oldest first. */
  abstract conversation(tx: Transaction, sessionRowId: number): Promise<readonly StoredMessage[]>;

  /** The tool calls of the conversation and their outputs, oldest first: all of them, or those of client tools. */
  abstract toolMessages(tx: Transaction, sessionRowId: number, whose: 'all' | 'client'): Promise<readonly Message[]>;

  /** The messages that a run was accepted with, in order. */
  abstract inputOf(sessionRowId: number, runRowId: number): Promise<StoredMessages>;

  /** The statuses of the runs that some messages of a session belong to, by the ids of the messages. For runs: as `history`. */
  abstract runStatuses(sessionRowId: number, messageIds: readonly string[]): Promise<ReadonlyMap<string, string>>;

  /** Provider states of any sessions within a reach. */
  abstract findStates(tx: Transaction, reach: Reach, query: StateQuery): Promise<FoundStates>;

  /** How many output messages of a run the session has so far, hidden ones included. */
  abstract outputCount(sessionRowId: number, runRowId: number): Promise<number>;

  /**
   * Messages of the conversation before the given ordinal, oldest first; the newest `limit` of them. For runs: does not
   * wait until they are on the disk.
   */
  abstract history(sessionRowId: number, beforeOrdinal: number, limit: number): Promise<StoredMessages>;

  /** The shared state, `{}` at first. With a transaction: as that transaction sees it. Otherwise for runs, as `history`. */
  abstract state(sessionRowId: number, tx?: Transaction): Promise<JsonObject>;

  /** The row id of a session; undefined when it does not exist. */
  abstract findRowId(principal: Principal, sessionId: string): Promise<number | undefined>;

  /** The owner of a session; undefined when it does not exist. */
  abstract owner(tx: Transaction, sessionRowId: number): Promise<RemovedSession | undefined>;

  /** Removes a run's messages. */
  abstract removeRun(tx: Transaction, sessionRowId: number, runRowId: number): Promise<void>;

  /** Removes the session and its messages. */
  abstract remove(tx: Transaction, sessionRowId: number): Promise<void>;
}

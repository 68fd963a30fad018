import type { JsonObject, Principal } from '../../common/index.js';
import type { Queryable } from '../../database/index.js';
import type { Message } from '../../events/index.js';
import type { RemovedSession } from '../session-cleaners.js';

/** A session that was opened inside a write: its key and what the new run gets of it. */
export interface OpenedSession {
  readonly rowId: number;
  /** The ordinal of the run that opened it: 1 for the first of a session that did not exist before. */
  readonly runOrdinal: number;
}

/** Whose messages are stored. */
export interface MessageOwner {
  readonly sessionRowId: number;
  /** 0 outside a run. */
  readonly runRowId: number;
  readonly runOrdinal: number;
}

/** How messages are stored. */
export interface AppendOptions {
  readonly origin: 'input' | 'output';
  /** True: no part of the conversation, only its own run sees them. */
  readonly hidden?: boolean;
}

/** Where a session is forked. */
export interface ForkPoint {
  readonly sessionRowId: number;
  /** The last ordinal whose messages are copied. */
  readonly ordinal: number;
}

/**
 * Sessions, their messages and their state. Writes take part in the transaction of the run they
 * belong to, so that a run and its messages are always stored together.
 */
export abstract class SessionStore {
  /** Finds or makes the session and counts one more run. */
  abstract open(tx: Queryable, principal: Principal, sessionId: string, now: number): Promise<OpenedSession>;

  /**
   * As `open`, for ids that are one user's in the whole tenant. Of users who open a new one at the same
   * time, one gets it.
   *
   * @throws AppError SESSION_NOT_FOUND when it would be made and another user has a session with this id
   */
  abstract openTenantUnique(
    tx: Queryable,
    principal: Principal,
    sessionId: string,
    now: number,
  ): Promise<OpenedSession>;

  /** Counts one more run of a session that exists. Whoever does so waits for the rivals before. */
  abstract reopen(tx: Queryable, sessionRowId: number, now: number): Promise<OpenedSession>;

  /** Makes rivals for a session wait until this transaction is over. */
  abstract lock(tx: Queryable, sessionRowId: number): Promise<void>;

  /**
   * Makes a session that begins with a copy of another's messages and state, and counts its first run.
   *
   * @throws AppError SESSION_EXISTS
   */
  abstract fork(tx: Queryable, from: ForkPoint, sessionId: string, now: number): Promise<OpenedSession>;

  /** Adds messages, in order. */
  abstract append(
    tx: Queryable,
    owner: MessageOwner,
    messages: readonly Message[],
    now: number,
    options: AppendOptions,
  ): Promise<void>;

  /** Takes the messages of a run out of the conversation. */
  abstract hideRun(tx: Queryable, sessionRowId: number, runRowId: number): Promise<void>;

  /** Whether the conversation has messages of later ordinals. */
  abstract hasMessagesAfter(tx: Queryable, sessionRowId: number, ordinal: number): Promise<boolean>;

  /** Replaces the shared state. */
  abstract saveState(tx: Queryable, sessionRowId: number, state: JsonObject, now: number): Promise<void>;

  /** Those of the given ids that the conversation has, with their messages. */
  abstract known(tx: Queryable, sessionRowId: number, ids: readonly string[]): Promise<Map<string, Message>>;

  /** The conversation's tool calls and their outputs, oldest first: all of them, or those for clients. */
  abstract toolTraffic(tx: Queryable, sessionRowId: number, whose: 'all' | 'client'): Promise<readonly Message[]>;

  /** The messages that a run was accepted with, in order. */
  abstract inputOf(sessionRowId: number, runRowId: number): Promise<readonly Message[]>;

  /** How many messages of its output a run has in the session so far, hidden ones too. */
  abstract outputCount(sessionRowId: number, runRowId: number): Promise<number>;

  /** Messages of the conversation before the given ordinal, oldest first; the newest `limit` of them. */
  abstract history(sessionRowId: number, beforeOrdinal: number, limit: number): Promise<readonly Message[]>;

  /** The shared state, `{}` at first. Inside a write: as that write sees it. */
  abstract state(sessionRowId: number, tx?: Queryable): Promise<JsonObject>;

  /** The key of a session, or undefined when nobody opened it. */
  abstract find(principal: Principal, sessionId: string): Promise<number | undefined>;

  /** Whose session it is; undefined when it is gone. */
  abstract owner(tx: Queryable, sessionRowId: number): Promise<RemovedSession | undefined>;

  /** Removes a run's messages. */
  abstract removeRun(tx: Queryable, sessionRowId: number, runRowId: number): Promise<void>;

  /** Removes the session and its messages. */
  abstract remove(tx: Queryable, sessionRowId: number): Promise<void>;
}

import type { JsonObject, Principal } from '../common/index.js';
import type { Queryable } from '../database/index.js';
import type { Message } from '../events/index.js';

/** A session that was opened inside a write: its key and what the new run gets of it. */
export interface OpenedSession {
  readonly no: number;
  /** The ordinal of the run that opened it: 1 for the first of the session. */
  readonly runOrdinal: number;
}

/** Whose messages are stored. */
export interface MessageOwner {
  readonly sessionNo: number;
  readonly runNo: number;
  readonly runOrdinal: number;
}

/**
 * Sessions, their messages and their state. Writes take part in the transaction of the run they
 * belong to, so that a run and its messages are always stored together.
 */
export abstract class SessionStore {
  /** Finds or makes the session and counts one more run. */
  abstract open(tx: Queryable, principal: Principal, sessionId: string, now: number): Promise<OpenedSession>;

  /** Adds messages, in order. */
  abstract append(tx: Queryable, owner: MessageOwner, messages: readonly Message[], now: number): Promise<void>;

  /** Replaces the shared state. */
  abstract saveState(tx: Queryable, sessionNo: number, state: JsonObject, now: number): Promise<void>;

  /** Those of the given ids that the session has, with their messages. */
  abstract known(tx: Queryable, sessionNo: number, ids: readonly string[]): Promise<Map<string, Message>>;

  /** The session's tool calls for clients and their outputs, oldest first. */
  abstract clientToolTraffic(tx: Queryable, sessionNo: number): Promise<readonly Message[]>;

  /** The messages that a run was accepted with, in order. */
  abstract ofRun(sessionNo: number, runOrdinal: number): Promise<readonly Message[]>;

  /** Messages of runs before the given ordinal, oldest first; the newest `limit` of them. */
  abstract history(sessionNo: number, beforeOrdinal: number, limit: number): Promise<readonly Message[]>;

  /** The shared state, `{}` at first. */
  abstract state(sessionNo: number): Promise<JsonObject>;

  /** The key of a session, or undefined when nobody opened it. */
  abstract find(principal: Principal, sessionId: string): Promise<number | undefined>;
}

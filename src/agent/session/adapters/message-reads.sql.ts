import type { StoredMessage } from '../ports/session-store.js';
import type { StoredRow } from './message-states.js';

/** A row of `conversation`. */
export interface ConversationRow {
  readonly seq: number;
  readonly run_no: number;
  readonly run_ordinal: number;
  readonly origin: StoredMessage['origin'];
  readonly body: string;
}

/** A row of `toCopy`. */
export interface CopiedRow extends StoredRow {
  readonly role: string | null;
  readonly type: string;
  readonly created_at: number;
  readonly origin: string;
  readonly state_key: string | null;
}

/** Messages by their ids. Without an order, for which SQLite would read all messages of the session. */
export const BY_IDS = byIds('');

/** The runs of messages. */
export const RUNS_BY_IDS = {
  sqlite: `
    SELECT m.id, r.status FROM messages m JOIN runs r ON r.no = m.run_no
    WHERE m.session_no = ? AND m.hidden = 0 AND m.id IN (SELECT value FROM json_each(?))`,
  postgres: `
    SELECT m.id, r.status FROM messages m JOIN runs r ON r.no = m.run_no
    WHERE m.session_no = ? AND m.hidden = 0 AND m.id = ANY(ARRAY(SELECT json_array_elements_text(?::json)))`,
};

/** A statement for each database. */
type OfDatabase = Readonly<Record<'sqlite' | 'postgres', string>>;

/** The statements that read messages of a session. */
export interface MessageReads {
  readonly history: string;
  readonly conversation: string;
  readonly input: string;
  /** Every message that a fork copies, in the order of its copies. */
  readonly toCopy: string;
  readonly byIds: OfDatabase;
  /** Those of some types. @param count how many */
  ofTypes(count: number): string;
}

/** @param key further columns of each: those of `keyColumns` */
export function messageReads(key: string): MessageReads {
  return {
    history: `
      SELECT id, body, provider_state${key} FROM messages WHERE session_no = ? AND run_ordinal < ? AND hidden = 0
      ORDER BY run_ordinal DESC, seq DESC LIMIT ?`,
    conversation: `
      SELECT seq, run_no, run_ordinal, origin, body${key} FROM messages WHERE session_no = ? AND hidden = 0
      ORDER BY run_ordinal, seq`,
    input: `
      SELECT id, body, provider_state${key} FROM messages
      WHERE session_no = ? AND run_no = ? AND origin = 'input' ORDER BY seq`,
    toCopy: `
      SELECT id, role, type, body, created_at, origin, provider_state, state_key${key} FROM messages
      WHERE session_no = ? AND run_ordinal <= ? AND hidden = 0 ORDER BY run_ordinal, seq`,
    byIds: byIds(key),
    ofTypes: (count) => `
      SELECT body${key} FROM messages
      WHERE session_no = ? AND hidden = 0 AND type IN (${Array.from({ length: count }, () => '?').join(', ')})
      ORDER BY seq`,
  };
}

function byIds(key: string): OfDatabase {
  return {
    sqlite: `
    SELECT id, seq, body${key} FROM messages
    WHERE session_no = ? AND hidden = 0 AND id IN (SELECT value FROM json_each(?))`,
    postgres: `
    SELECT id, seq, body${key} FROM messages
    WHERE session_no = ? AND hidden = 0 AND id = ANY(ARRAY(SELECT json_array_elements_text(?::json)))`,
  };
}

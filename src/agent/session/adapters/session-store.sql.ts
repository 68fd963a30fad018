import { Injectable } from '@nestjs/common';
import { In, MoreThan } from 'typeorm';
import { AppError, isStorable, type JsonObject, type Principal, type Reach } from '../../../common/index.js';
import {
  Database,
  MessageEntity,
  prepared,
  queryable,
  SessionEntity,
  type Transaction,
} from '../../../database/index.js';
import { CALL_TYPES, type Message, type MessageType, OUTPUT_TYPES } from '../../../events/index.js';
import type { StoredMessages } from '../message-state.js';
import type { RemovedSession } from '../session-cleaners.js';
import {
  type AppendOptions,
  type ForkPoint,
  type FoundStates,
  type MessageOwner,
  type OpenedSession,
  type OpenOptions,
  SessionStore,
  type StateQuery,
  type StoredMessage,
} from '../ports/session-store.js';
import { newestStates, storedMessage, storedMessages, type StoredRow } from './message-states.js';

const OPEN = prepared(`
  INSERT INTO sessions (tenant_id, user_id, id, state, run_count, message_count, created_at, updated_at, unlisted)
  VALUES (?, ?, ?, '{}', 1, ?, ?, ?, ?)
  ON CONFLICT (tenant_id, user_id, id)
  DO UPDATE SET run_count = sessions.run_count + 1, message_count = sessions.message_count + excluded.message_count,
    updated_at = excluded.updated_at
  RETURNING no, run_count, message_count`);

/** Serialises writers that open the same new id: there is no row to lock yet. */
const LOCK_NEW_ID = `
  SELECT pg_advisory_xact_lock(hashtextextended(?, 0)) WHERE NOT EXISTS (
    SELECT 1 FROM sessions WHERE tenant_id = ? AND user_id = ? AND id = ?)`;

const OF_ANOTHER = 'SELECT 1 AS yes FROM sessions WHERE tenant_id = ? AND id = ? AND user_id <> ? LIMIT 1';

const REOPEN = `
  UPDATE sessions SET run_count = run_count + 1, message_count = message_count + ?, updated_at = ? WHERE no = ?
  RETURNING no, run_count, message_count`;

/** The copied messages take ordinal 1, the run that forks takes 2. */
const FORK = `
  INSERT INTO sessions (tenant_id, user_id, id, state, run_count, message_count, created_at, updated_at)
  SELECT s.tenant_id, s.user_id, CAST(? AS varchar), s.state, 2,
    (SELECT COUNT(*) FROM messages m WHERE m.session_no = s.no AND m.run_ordinal <= ? AND m.hidden = 0) + ?,
    CAST(? AS bigint), CAST(? AS bigint)
  FROM sessions s WHERE s.no = ?
  ON CONFLICT (tenant_id, user_id, id) DO NOTHING
  RETURNING no, run_count, message_count`;

const COPY_MESSAGES = `
  INSERT INTO messages (session_no, seq, id, run_no, run_ordinal, role, type, body, created_at, origin, hidden,
    provider_state, state_key)
  SELECT CAST(? AS integer), ROW_NUMBER() OVER (ORDER BY run_ordinal, seq), id, 0, 1, role, type, body, created_at, origin, 0,
    provider_state, state_key
  FROM messages WHERE session_no = ? AND run_ordinal <= ? AND hidden = 0`;

const TAKE_NUMBERS = `
  UPDATE sessions SET message_count = message_count + ?, updated_at = ? WHERE no = ? RETURNING message_count`;

const INSERT_MESSAGE = prepared(`
  INSERT INTO messages (session_no, seq, id, run_no, run_ordinal, role, type, body, created_at, origin, hidden,
    provider_state, state_key)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);

const HISTORY = `
  SELECT id, body, provider_state FROM messages WHERE session_no = ? AND run_ordinal < ? AND hidden = 0
  ORDER BY run_ordinal DESC, seq DESC LIMIT ?`;

const CONVERSATION = `
  SELECT seq, run_no, run_ordinal, origin, body FROM messages WHERE session_no = ? AND hidden = 0
  ORDER BY run_ordinal, seq`;

const INPUT = `
  SELECT id, body, provider_state FROM messages WHERE session_no = ? AND run_no = ? AND origin = 'input' ORDER BY seq`;

/** Messages by their ids. Without an order, for which SQLite would read all messages of the session. */
export const BY_IDS = {
  sqlite:
    'SELECT id, seq, body FROM messages WHERE session_no = ? AND hidden = 0 AND id IN (SELECT value FROM json_each(?))',
  postgres: `
    SELECT id, seq, body FROM messages
    WHERE session_no = ? AND hidden = 0 AND id = ANY(ARRAY(SELECT json_array_elements_text(?::json)))`,
};

/** The runs of messages. */
const RUNS_BY_IDS = {
  sqlite: `
    SELECT m.id, r.status FROM messages m JOIN runs r ON r.no = m.run_no
    WHERE m.session_no = ? AND m.hidden = 0 AND m.id IN (SELECT value FROM json_each(?))`,
  postgres: `
    SELECT m.id, r.status FROM messages m JOIN runs r ON r.no = m.run_no
    WHERE m.session_no = ? AND m.hidden = 0 AND m.id = ANY(ARRAY(SELECT json_array_elements_text(?::json)))`,
};

const OUTPUT_COUNT = `
  SELECT COUNT(*) AS count FROM messages WHERE session_no = ? AND run_no = ? AND origin = 'output'`;

const STATE = 'SELECT state FROM sessions WHERE no = ?';

const CLIENT_TOOL_TYPES: readonly MessageType[] = ['function_call', 'function_call_output'];
const TOOL_TYPES: readonly MessageType[] = [...CALL_TYPES, ...OUTPUT_TYPES];

const FIND_ROW_ID = 'SELECT no FROM sessions WHERE tenant_id = ? AND user_id = ? AND id = ?';

/** Sessions in the ledger: plain statements for what every run writes, entities for the rest. */
@Injectable()
export class SqlSessionStore extends SessionStore {
  constructor(private readonly database: Database) {
    super();
  }

  async open(
    tx: Transaction,
    { tenantId, userId }: Principal,
    sessionId: string,
    now: number,
    { messages = 0, unlisted = false }: OpenOptions = {},
  ): Promise<OpenedSession> {
    const values = [tenantId, userId, sessionId, messages, now, now, unlisted ? 1 : 0];
    return opened(await queryable(tx).all<OpenedRow>(OPEN, values), messages);
  }

  async openTenantUnique(
    tx: Transaction,
    principal: Principal,
    sessionId: string,
    now: number,
    options: OpenOptions = {},
  ): Promise<OpenedSession> {
    const { tenantId, userId } = principal;
    const lock = JSON.stringify(['session', tenantId, sessionId]);
    if (queryable(tx).dialect === 'postgres') await queryable(tx).all(LOCK_NEW_ID, [lock, tenantId, userId, sessionId]);
    const session = await this.open(tx, principal, sessionId, now, options);
    const isTaken =
      session.runOrdinal === 1 && (await queryable(tx).all(OF_ANOTHER, [tenantId, sessionId, userId])).length > 0;
    if (isTaken) throw new AppError('SESSION_NOT_FOUND');
    return session;
  }

  async reopen(tx: Transaction, sessionRowId: number, now: number, messages = 0): Promise<OpenedSession> {
    return opened(await queryable(tx).all<OpenedRow>(REOPEN, [messages, now, sessionRowId]), messages);
  }

  async lock(tx: Transaction, sessionRowId: number): Promise<boolean> {
    // SQLite has one writer: nobody can have removed what the transaction has found.
    if (queryable(tx).dialect === 'sqlite') return true;
    return (await queryable(tx).all('SELECT no FROM sessions WHERE no = ? FOR UPDATE', [sessionRowId])).length > 0;
  }

  async fork(tx: Transaction, from: ForkPoint, sessionId: string, now: number, messages = 0): Promise<OpenedSession> {
    const values = [sessionId, from.ordinal, messages, now, now, from.sessionRowId];
    const rows = await queryable(tx).all<OpenedRow>(FORK, values);
    if (rows.length === 0) throw new AppError('SESSION_EXISTS');
    const session = opened(rows, messages);
    await queryable(tx).run(COPY_MESSAGES, [session.rowId, from.sessionRowId, from.ordinal]);
    return session;
  }

  async append(
    tx: Transaction,
    owner: MessageOwner,
    messages: readonly Message[],
    now: number,
    { origin, hidden, first, states }: AppendOptions,
  ): Promise<void> {
    if (messages.length === 0) return;
    let seq = first ?? (await this.takeNumbers(tx, owner.sessionRowId, messages.length, now));
    for (const message of messages) {
      const state = states?.get(message.id);
      queryable(tx).send(INSERT_MESSAGE, [
        owner.sessionRowId,
        seq,
        message.id,
        owner.runRowId,
        owner.runOrdinal,
        message.role,
        message.type,
        JSON.stringify(message),
        now,
        origin,
        hidden ? 1 : 0,
        state?.json ?? null,
        state?.key ?? null,
      ]);
      seq += 1;
    }
  }

  async hideRun(tx: Transaction, sessionRowId: number, runRowId: number): Promise<void> {
    await queryable(tx).manager.update(MessageEntity, { sessionRowId, runRowId }, { hidden: 1 });
  }

  async hideAdded(tx: Transaction, sessionRowId: number, seqs: readonly number[]): Promise<void> {
    if (seqs.length === 0) return;
    await queryable(tx).manager.update(MessageEntity, { sessionRowId, runRowId: 0, seq: In(seqs) }, { hidden: 1 });
  }

  async hasMessagesAfter(tx: Transaction, sessionRowId: number, ordinal: number): Promise<boolean> {
    return queryable(tx).manager.existsBy(MessageEntity, { sessionRowId, runOrdinal: MoreThan(ordinal), hidden: 0 });
  }

  async saveState(tx: Transaction, sessionRowId: number, state: JsonObject, now: number): Promise<void> {
    await queryable(tx).manager.update(
      SessionEntity,
      { rowId: sessionRowId },
      { state: JSON.stringify(state), updatedAt: now },
    );
  }

  async messagesById(tx: Transaction, sessionRowId: number, ids: readonly string[]): Promise<Map<string, Message>> {
    if (ids.length === 0) return new Map();
    type Row = Pick<MessageEntity, 'id' | 'seq' | 'body'>;
    const sql = BY_IDS[queryable(tx).dialect];
    const rows = await queryable(tx).all<Row>(sql, [sessionRowId, JSON.stringify(ids.filter(isStorable))]);
    rows.sort((one, other) => one.seq - other.seq);
    return new Map(rows.map((row) => [row.id, storedMessage(row)]));
  }

  async conversation(tx: Transaction, sessionRowId: number): Promise<readonly StoredMessage[]> {
    const rows = await queryable(tx).all<ConversationRow>(CONVERSATION, [sessionRowId]);
    return rows.map((row) => ({
      message: storedMessage(row),
      seq: row.seq,
      runOrdinal: row.run_ordinal,
      runRowId: row.run_no,
      origin: row.origin,
    }));
  }

  async toolMessages(tx: Transaction, sessionRowId: number, whose: 'all' | 'client'): Promise<readonly Message[]> {
    const types = whose === 'all' ? TOOL_TYPES : CLIENT_TOOL_TYPES;
    const rows = await queryable(tx).manager.find(MessageEntity, {
      where: { sessionRowId, type: In(types), hidden: 0 },
      order: { seq: 'ASC' },
    });
    return rows.map(storedMessage);
  }

  async inputOf(sessionRowId: number, runRowId: number): Promise<StoredMessages> {
    return storedMessages(await this.database.forRuns.read.all<StoredRow>(INPUT, [sessionRowId, runRowId]));
  }

  async runStatuses(sessionRowId: number, messageIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { readUnsynced } = this.database.forRuns;
    const values = [sessionRowId, JSON.stringify(messageIds.filter(isStorable))];
    const rows = await readUnsynced.all<{ id: string; status: string }>(RUNS_BY_IDS[readUnsynced.dialect], values);
    return new Map(rows.map(({ id, status }) => [id, status]));
  }

  findStates(tx: Transaction, reach: Reach, query: StateQuery): Promise<FoundStates> {
    return newestStates(queryable(tx), reach, query);
  }

  async outputCount(sessionRowId: number, runRowId: number): Promise<number> {
    const [row] = await this.database.forRuns.read.all<{ count: number }>(OUTPUT_COUNT, [sessionRowId, runRowId]);
    return Number(row?.count);
  }

  async history(sessionRowId: number, beforeOrdinal: number, limit: number): Promise<StoredMessages> {
    const rows = await this.database.forRuns.readUnsynced.all<StoredRow>(HISTORY, [sessionRowId, beforeOrdinal, limit]);
    return storedMessages(rows.reverse());
  }

  async state(sessionRowId: number, tx?: Transaction): Promise<JsonObject> {
    const source = tx ? queryable(tx) : this.database.forRuns.readUnsynced;
    const [row] = await source.all<Pick<SessionEntity, 'state'>>(STATE, [sessionRowId]);
    return row ? (JSON.parse(row.state) as JsonObject) : {};
  }

  async findRowId(principal: Principal, sessionId: string): Promise<number | undefined> {
    if (!isStorable(sessionId) || !isStorable(principal.userId)) return undefined;
    const { tenantId, userId } = principal;
    const [row] = await this.database.read.all<{ no: number }>(FIND_ROW_ID, [tenantId, userId, sessionId]);
    return row?.no;
  }

  async owner(tx: Transaction, rowId: number): Promise<RemovedSession | undefined> {
    const row = await queryable(tx).manager.findOneBy(SessionEntity, { rowId });
    return row ? { rowId, tenantId: row.tenantId, userId: row.userId, sessionId: row.id } : undefined;
  }

  async removeRun(tx: Transaction, sessionRowId: number, runRowId: number): Promise<void> {
    await queryable(tx).manager.delete(MessageEntity, { sessionRowId, runRowId });
  }

  async remove(tx: Transaction, sessionRowId: number): Promise<void> {
    await queryable(tx).manager.delete(MessageEntity, { sessionRowId });
    await queryable(tx).manager.delete(SessionEntity, { rowId: sessionRowId });
  }

  /** Returns the first of the numbers. */
  private async takeNumbers(tx: Transaction, sessionRowId: number, count: number, now: number): Promise<number> {
    const [row] = await queryable(tx).all<{ message_count: number }>(TAKE_NUMBERS, [count, now, sessionRowId]);
    if (!row) throw new Error('the session does not exist');
    return row.message_count - count + 1;
  }
}

interface ConversationRow {
  readonly seq: number;
  readonly run_no: number;
  readonly run_ordinal: number;
  readonly origin: StoredMessage['origin'];
  readonly body: string;
}

interface OpenedRow {
  readonly no: number;
  readonly run_count: number;
  readonly message_count: number;
}

function opened([row]: readonly OpenedRow[], messages: number): OpenedSession {
  if (!row) throw new Error('the session was neither inserted nor found');
  return { rowId: row.no, runOrdinal: row.run_count, firstMessage: row.message_count - messages + 1 };
}

import { Injectable } from '@nestjs/common';
import { In, MoreThan } from 'typeorm';
import { AppError, isStorable, type JsonObject, type Principal, type Reach } from '../../../common/index.js';
import {
  Database,
  MessageEntity,
  messagePlace,
  prepared,
  queryable,
  refuseErased,
  SessionEntity,
  statePlace,
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
  type StoredSession,
} from '../ports/session-store.js';
import { keyColumns, openMessages } from './message-content.js';
import {
  type ConversationRow,
  type CopiedRow,
  type MessageReads,
  messageReads,
  RUNS_BY_IDS,
} from './message-reads.sql.js';
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

const OUTPUT_COUNT = `
  SELECT COUNT(*) AS count FROM messages WHERE session_no = ? AND run_no = ? AND origin = 'output'`;

const STATE = 'SELECT tenant_id, state FROM sessions WHERE no = ?';

const SAVE_STATE = 'UPDATE sessions SET state = ? WHERE no = ?';

const CLIENT_TOOL_TYPES: readonly MessageType[] = ['function_call', 'function_call_output'];
const TOOL_TYPES: readonly MessageType[] = [...CALL_TYPES, ...OUTPUT_TYPES];

const FIND_ROW_ID = 'SELECT no FROM sessions WHERE tenant_id = ? AND user_id = ? AND id = ?';

/** Sessions in the ledger: plain statements for what every run writes, entities for the rest. */
@Injectable()
export class SqlSessionStore extends SessionStore {
  /** Those that read messages. */
  private readonly statements: MessageReads;

  constructor(private readonly database: Database) {
    super();
    this.statements = messageReads(keyColumns(database.content));
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

  refuseErased(tx: Transaction, principal: Principal): Promise<void> {
    return refuseErased(queryable(tx), principal);
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
    if (this.database.content.isOn) await this.copySealed(tx, from, session.rowId);
    else await queryable(tx).run(COPY_MESSAGES, [session.rowId, from.sessionRowId, from.ordinal]);
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
    const found = this.database.content.of(owner.tenantId, queryable(tx));
    const seal = found instanceof Promise ? await found : found;
    for (const message of messages) {
      const state = states?.get(message.id);
      const stateJson = state?.json ?? null;
      queryable(tx).send(INSERT_MESSAGE, [
        owner.sessionRowId,
        seq,
        message.id,
        owner.runRowId,
        owner.runOrdinal,
        message.role,
        message.type,
        seal.json(messagePlace('body', owner.sessionRowId, seq), JSON.stringify(message)),
        now,
        origin,
        hidden ? 1 : 0,
        stateJson && seal.json(messagePlace('provider_state', owner.sessionRowId, seq), stateJson),
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

  async saveState(
    tx: Transaction,
    { tenantId, sessionRowId: rowId }: StoredSession,
    state: JsonObject,
    now: number,
  ): Promise<void> {
    const seal = await this.database.content.of(tenantId, queryable(tx));
    const stored = seal.json(statePlace(rowId), JSON.stringify(state));
    await queryable(tx).manager.update(SessionEntity, { rowId }, { state: stored, updatedAt: now });
  }

  async messagesById(tx: Transaction, sessionRowId: number, ids: readonly string[]): Promise<Map<string, Message>> {
    if (ids.length === 0) return new Map();
    type Row = Pick<MessageEntity, 'id' | 'seq' | 'body'>;
    const sql = this.statements.byIds[queryable(tx).dialect];
    const rows = await queryable(tx).all<Row>(sql, [sessionRowId, JSON.stringify(ids.filter(isStorable))]);
    rows.sort((one, other) => one.seq - other.seq);
    const opened = await openMessages(this.database.content, rows);
    return new Map(opened.map((row) => [row.id, storedMessage(row)]));
  }

  async conversation(tx: Transaction, sessionRowId: number): Promise<readonly StoredMessage[]> {
    const rows = await queryable(tx).all<ConversationRow>(this.statements.conversation, [sessionRowId]);
    return (await openMessages(this.database.content, rows)).map((row) => ({
      message: storedMessage(row),
      seq: row.seq,
      runOrdinal: row.run_ordinal,
      runRowId: row.run_no,
      origin: row.origin,
    }));
  }

  async toolMessages(tx: Transaction, sessionRowId: number, whose: 'all' | 'client'): Promise<readonly Message[]> {
    const types = whose === 'all' ? TOOL_TYPES : CLIENT_TOOL_TYPES;
    const { content } = this.database;
    const sql = this.statements.ofTypes(types.length);
    const rows = await queryable(tx).all<Pick<StoredRow, 'body'>>(sql, [sessionRowId, ...types]);
    return (await openMessages(content, rows)).map(storedMessage);
  }

  async inputOf(sessionRowId: number, runRowId: number): Promise<StoredMessages> {
    const rows = await this.database.forRuns.read.all<StoredRow>(this.statements.input, [sessionRowId, runRowId]);
    return storedMessages(await openMessages(this.database.content, rows));
  }

  async runStatuses(sessionRowId: number, messageIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { readUnsynced } = this.database.forRuns;
    const values = [sessionRowId, JSON.stringify(messageIds.filter(isStorable))];
    const rows = await readUnsynced.all<{ id: string; status: string }>(RUNS_BY_IDS[readUnsynced.dialect], values);
    return new Map(rows.map(({ id, status }) => [id, status]));
  }

  findStates(tx: Transaction, reach: Reach, query: StateQuery): Promise<FoundStates> {
    return newestStates(queryable(tx), this.database.content, reach, query);
  }

  async outputCount(sessionRowId: number, runRowId: number): Promise<number> {
    const [row] = await this.database.forRuns.read.all<{ count: number }>(OUTPUT_COUNT, [sessionRowId, runRowId]);
    return Number(row?.count);
  }

  async history(sessionRowId: number, beforeOrdinal: number, limit: number): Promise<StoredMessages> {
    const values = [sessionRowId, beforeOrdinal, limit];
    const rows = await this.database.forRuns.readUnsynced.all<StoredRow>(this.statements.history, values);
    return storedMessages(await openMessages(this.database.content, rows.reverse()));
  }

  async state(sessionRowId: number, tx?: Transaction): Promise<JsonObject> {
    const source = tx ? queryable(tx) : this.database.forRuns.readUnsynced;
    const [row] = await source.all<{ tenant_id: string; state: string }>(STATE, [sessionRowId]);
    if (!row) return {};
    const { content } = this.database;
    const stored = await content.reading(() => content.json(row.tenant_id, statePlace(sessionRowId), row.state));
    return JSON.parse(stored) as JsonObject;
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

  /** As `COPY_MESSAGES`, and what `FORK` copied of the state: what is sealed is bound to its row. */
  private async copySealed(tx: Transaction, { tenantId, sessionRowId, ordinal }: ForkPoint, to: number): Promise<void> {
    const { content } = this.database;
    const sql = queryable(tx);
    const seal = await content.of(tenantId, sql);
    const rows = await openMessages(content, await sql.all<CopiedRow>(this.statements.toCopy, [sessionRowId, ordinal]));
    for (const [index, row] of rows.entries()) {
      const seq = index + 1;
      const body = seal.json(messagePlace('body', to, seq), row.body);
      const state = seal.json(messagePlace('provider_state', to, seq), row.provider_state);
      const { id, role, type, created_at: createdAt, origin, state_key: key } = row;
      sql.send(INSERT_MESSAGE, [to, seq, id, 0, 1, role, type, body, createdAt, origin, 0, state, key]);
    }
    const state = JSON.stringify(await this.state(sessionRowId, tx));
    await sql.run(SAVE_STATE, [seal.json(statePlace(to), state), to]);
  }

  /** Returns the first of the numbers. */
  private async takeNumbers(tx: Transaction, sessionRowId: number, count: number, now: number): Promise<number> {
    const [row] = await queryable(tx).all<{ message_count: number }>(TAKE_NUMBERS, [count, now, sessionRowId]);
    if (!row) throw new Error('the session does not exist');
    return row.message_count - count + 1;
  }
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

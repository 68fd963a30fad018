import { Injectable } from '@nestjs/common';
import { AppError, Clock, isStorable, type JsonObject, type Principal, type Reach } from '../../../common/index.js';
import {
  RequestDatabase,
  isUniqueViolation,
  type Queryable,
  reachCondition,
  refuseErased,
  type SqlValue,
  statePlace,
} from '../../../database/index.js';
import type { Message, MessageType } from '../../../events/index.js';
import { SessionStore } from '../ports/session-store.js';
import {
  type FoundMessage,
  type Joined,
  type MessagesQuery,
  type RunPosition,
  type SessionMessage,
  type SessionPage,
  Sessions,
  type SessionsQuery,
  type SessionView,
} from '../ports/sessions.js';
import { keyColumns, openMessages } from './message-content.js';
import {
  AGENT_TYPE,
  cursorAfter,
  MESSAGE_COLUMNS,
  messageOf,
  type MessageRow,
  readCursor,
  SESSION_COLUMNS,
} from './session.row.js';
import { type SessionRow, viewOf } from './session.row.js';

const FIND = `SELECT ${SESSION_COLUMNS} FROM sessions s WHERE s.tenant_id = ? AND s.user_id = ? AND s.id = ?`;

/** Takes an ordinal, so that the first run does not count as the one that created the session. */
const CREATE = `
  INSERT INTO sessions (tenant_id, user_id, id, state, metadata, run_count, message_count, created_at, updated_at)
  VALUES (?, ?, ?, '{}', ?, 1, 0, ?, ?)`;

const messages = (key: string): string => `
  SELECT ${MESSAGE_COLUMNS}${key} FROM messages m LEFT JOIN runs r ON r.no = m.run_no
  WHERE m.hidden = 0 AND m.session_no =
    (SELECT s.no FROM sessions s WHERE s.tenant_id = ? AND s.user_id = ? AND s.id = ?)`;

const REMOVE_MESSAGE = `
  DELETE FROM messages WHERE session_no = ? AND id = ? AND hidden = 0 RETURNING run_no, run_ordinal, seq, role`;
/** The last message of an answer has what its provider wants back, which may hold what the removed one says. */
const FORGET_STATE = `
  UPDATE messages SET provider_state = NULL, state_key = NULL WHERE session_no = ? AND seq = (
    SELECT MIN(seq) FROM messages WHERE session_no = ? AND run_ordinal = ? AND seq > ? AND provider_state IS NOT NULL)`;
/** The first words of the input may be those of the message. */
const FORGET_INPUT_TEXT = 'UPDATE runs SET input_text = NULL, input_sealed = NULL WHERE no = ?';

const findMessage = (key: string): string => `
  SELECT ${MESSAGE_COLUMNS}${key}, s.id AS session_id, s.user_id FROM messages m
  JOIN sessions s ON s.no = m.session_no LEFT JOIN runs r ON r.no = m.run_no
  WHERE m.id = ? AND m.hidden = 0`;

/** Sessions in the ledger, each visible to its user only. */
@Injectable()
export class SqlSessions extends Sessions {
  /** What finds where a message is stored. */
  private readonly key: string;

  constructor(
    private readonly database: RequestDatabase,
    private readonly store: SessionStore,
    private readonly clock: Clock,
  ) {
    super();
    this.key = keyColumns(database.content, 'm');
  }

  async view(principal: Principal, sessionId: string): Promise<SessionView | undefined> {
    const row = await this.find(this.database.read, principal, sessionId);
    return row && this.viewOf(row);
  }

  async ownerOf(reach: Reach, sessionId: string): Promise<Principal | undefined> {
    if (!isStorable(sessionId)) return undefined;
    const { sql, values } = reachCondition(reach);
    const [row, another] = await this.database.read.all<{ user_id: string }>(
      `SELECT user_id FROM sessions WHERE ${sql} AND id = ? LIMIT 2`,
      [...values, sessionId],
    );
    if (another) throw new AppError('AMBIGUOUS_ID');
    return row && { tenantId: reach.tenantId, userId: row.user_id };
  }

  async list({ tenantId, userId }: Principal, query: SessionsQuery): Promise<SessionPage> {
    if (!isStorable(userId)) return { items: [] };
    const descending = query.order !== 'asc';
    const values: SqlValue[] = query.unowned ? [tenantId] : [tenantId, userId];
    let where = `s.unlisted = 0 AND s.tenant_id = ? AND s.user_id = ${query.unowned ? 's.id' : '?'}`;
    if (query.cursor !== undefined) {
      where += ` AND (s.updated_at, s.no) ${descending ? '<' : '>'} (?, ?)`;
      values.push(...readCursor(query.cursor));
    }
    if (query.agentType !== undefined) {
      if (!isStorable(query.agentType)) return { items: [] };
      where += ` AND ${AGENT_TYPE} = ?`;
      values.push(query.agentType);
    }
    if (query.unlessTrue !== undefined) {
      // The text of `JSON.stringify`. A JSON operator of PostgreSQL would fail on an escaped NUL.
      where += ' AND s.metadata NOT LIKE ?';
      values.push(`%"${query.unlessTrue}":true%`);
    }
    const direction = descending ? 'DESC' : 'ASC';
    const rows = await this.database.read.all<SessionRow>(
      `SELECT ${SESSION_COLUMNS} FROM sessions s WHERE ${where}
       ORDER BY s.updated_at ${direction}, s.no ${direction} LIMIT ?`,
      [...values, query.limit + 1],
    );
    const items = rows.slice(0, query.limit);
    const last = items.at(-1);
    const { content } = this.database;
    return {
      items: await content.reading(() => items.map((row) => viewOf(row, content))),
      ...(rows.length > items.length && last ? { nextCursor: cursorAfter(last) } : {}),
    };
  }

  async messages(principal: Principal, sessionId: string, query: MessagesQuery): Promise<readonly SessionMessage[]> {
    const bounds: readonly (readonly [string, number | undefined])[] = [
      ['m.seq > ?', query.after],
      ['m.seq < ?', query.before],
      ['m.created_at >= ?', query.from],
      ['m.created_at < ?', query.to],
    ];
    const given = bounds.filter(([, value]) => value !== undefined);
    const where = given.map(([condition]) => ` AND ${condition}`).join('');
    const order = query.order === 'desc' ? 'DESC' : 'ASC';
    const values = [...given.map(([, value]) => value as number), query.limit];
    return this.readMessages(principal, sessionId, `${where} ORDER BY m.seq ${order} LIMIT ?`, values);
  }

  async before(
    principal: Principal,
    { sessionId, ordinal }: RunPosition,
    { limit }: { readonly limit?: number } = {},
  ): Promise<readonly SessionMessage[]> {
    // The first run of a session has nothing before it.
    if (ordinal <= 1) return [];
    const [most, values] = limit === undefined ? ['', []] : [' LIMIT ?', [limit]];
    const rest = ` AND m.run_ordinal < ? ORDER BY m.run_ordinal DESC, m.seq DESC${most}`;
    const newestFirst = await this.readMessages(principal, sessionId, rest, [ordinal, ...values]);
    return [...newestFirst].reverse();
  }

  async messagesOfTypes(
    principal: Principal,
    sessionId: string,
    types: readonly MessageType[],
  ): Promise<readonly SessionMessage[]> {
    const places = types.map(() => '?').join(', ');
    return this.readMessages(principal, sessionId, ` AND m.type IN (${places}) ORDER BY m.seq`, types);
  }

  async message(principal: Principal, sessionId: string, id: string): Promise<SessionMessage | undefined> {
    if (!isStorable(id)) return undefined;
    const rest = ' AND m.id = ? ORDER BY m.seq DESC LIMIT 1';
    return (await this.readMessages(principal, sessionId, rest, [id]))[0];
  }

  async findMessage(reach: Reach, id: string): Promise<FoundMessage | undefined> {
    if (!isStorable(id)) return undefined;
    const owner = reachCondition(reach, 's');
    const found = await this.database.read.all<MessageRow & { session_id: string; user_id: string }>(
      `${findMessage(this.key)} AND ${owner.sql} ORDER BY m.session_no, m.seq LIMIT 1`,
      [id, ...owner.values],
    );
    const [row] = await openMessages(this.database.content, found);
    return row && Object.assign(messageOf(row), { sessionId: row.session_id, userId: row.user_id });
  }

  async create(principal: Principal, sessionId: string, metadata: JsonObject = {}): Promise<SessionView> {
    const { tenantId, userId } = principal;
    const now = this.clock.now();
    const values = [tenantId, userId, sessionId, JSON.stringify(metadata), now, now];
    try {
      await this.database.write(async (tx) => {
        await tx.run(CREATE, values);
        await refuseErased(tx, principal);
      });
    } catch (error) {
      if (isUniqueViolation(error)) throw new AppError('SESSION_EXISTS');
      throw error;
    }
    return { sessionId, createdAt: now, updatedAt: now, runCount: 0, metadata, state: {}, agentType: null };
  }

  append(
    principal: Principal,
    sessionId: string,
    messages: readonly Message[],
    joined?: Joined,
  ): Promise<readonly SessionMessage[]> {
    const now = this.clock.now();
    return this.database.write(async (tx) => {
      const { no } = await this.require(tx, principal, sessionId);
      const { runOrdinal, firstMessage } = await this.store.reopen(tx, no, now, messages.length);
      const owner = { tenantId: principal.tenantId, sessionRowId: no, runRowId: 0, runOrdinal };
      await this.store.append(tx, owner, messages, now, { origin: 'input', first: firstMessage });
      await joined?.(tx, { sessionRowId: no, now });
      const sql = `SELECT ${MESSAGE_COLUMNS}${this.key} FROM messages m LEFT JOIN runs r ON r.no = m.run_no
        WHERE m.session_no = ? AND m.run_ordinal = ? ORDER BY m.seq`;
      const rows = await tx.all<MessageRow>(sql, [no, runOrdinal]);
      return (await openMessages(this.database.content, rows)).map(messageOf);
    });
  }

  async removeMessage(principal: Principal, sessionId: string, id: string): Promise<boolean> {
    if (!isStorable(id)) return false;
    return this.database.write(async (tx) => {
      const session = await this.find(tx, principal, sessionId);
      if (!session) return false;
      const removed = await tx.all<RemovedRow>(REMOVE_MESSAGE, [session.no, id]);
      for (const { run_no: runRowId, run_ordinal: ordinal, seq, role } of removed) {
        await tx.run(FORGET_INPUT_TEXT, [runRowId]);
        if (role === 'assistant') await tx.run(FORGET_STATE, [session.no, session.no, ordinal, seq]);
      }
      return removed.length > 0;
    });
  }

  saveMetadata(principal: Principal, sessionId: string, metadata: JsonObject): Promise<SessionView> {
    return this.update(principal, sessionId, 'metadata', metadata);
  }

  saveState(principal: Principal, sessionId: string, state: JsonObject): Promise<SessionView> {
    return this.update(principal, sessionId, 'state', state);
  }

  private update(
    principal: Principal,
    sessionId: string,
    column: 'metadata' | 'state',
    value: JsonObject,
  ): Promise<SessionView> {
    const sql = `UPDATE sessions SET ${column} = ?, updated_at = ? WHERE no = ?`;
    return this.database.write(async (tx) => {
      const { no } = await this.require(tx, principal, sessionId);
      const seal = await this.database.content.of(principal.tenantId, tx);
      const json = JSON.stringify(value);
      const stored = column === 'state' ? seal.json(statePlace(no), json) : json;
      await tx.run(sql, [stored, this.clock.now(), no]);
      return this.viewOf(await this.require(tx, principal, sessionId));
    });
  }

  private async readMessages(
    { tenantId, userId }: Principal,
    sessionId: string,
    rest: string,
    values: readonly SqlValue[],
  ): Promise<readonly SessionMessage[]> {
    if (!isStorable(sessionId) || !isStorable(userId)) return [];
    const sql = messages(this.key) + rest;
    const rows = await this.database.read.all<MessageRow>(sql, [tenantId, userId, sessionId, ...values]);
    return (await openMessages(this.database.content, rows)).map(messageOf);
  }

  private viewOf(row: SessionRow): SessionView | Promise<SessionView> {
    const { content } = this.database;
    return content.reading(() => viewOf(row, content));
  }

  private async find(
    tx: Queryable,
    { tenantId, userId }: Principal,
    sessionId: string,
  ): Promise<SessionRow | undefined> {
    if (!isStorable(sessionId) || !isStorable(userId)) return undefined;
    return (await tx.all<SessionRow>(FIND, [tenantId, userId, sessionId]))[0];
  }

  private async require(tx: Queryable, principal: Principal, sessionId: string): Promise<SessionRow> {
    const row = await this.find(tx, principal, sessionId);
    if (!row) throw new AppError('SESSION_NOT_FOUND');
    return row;
  }
}

/** A message that was removed. */
interface RemovedRow {
  readonly run_no: number;
  readonly run_ordinal: number;
  readonly seq: number;
  readonly role: string | null;
}

import { Injectable } from '@nestjs/common';
import { In, LessThan } from 'typeorm';
import type { JsonObject, Principal } from '../../common/index.js';
import { Database, MessageEntity, type Queryable, SessionEntity } from '../../database/index.js';

import type { Message } from '../../events/index.js';
import { type MessageOwner, type OpenedSession, SessionStore } from '../session-store.js';

const OPEN = `
  INSERT INTO sessions (tenant_id, user_id, id, state, run_count, message_count, created_at, updated_at)
  VALUES (?, ?, ?, '{}', 1, 0, ?, ?)
  ON CONFLICT (tenant_id, user_id, id)
  DO UPDATE SET run_count = sessions.run_count + 1, updated_at = excluded.updated_at
  RETURNING no, run_count`;

const TAKE_NUMBERS = `
  UPDATE sessions SET message_count = message_count + ?, updated_at = ? WHERE no = ? RETURNING message_count`;

const INSERT_MESSAGE = `
  INSERT INTO messages (session_no, seq, id, run_no, run_ordinal, role, type, body, created_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** Sessions in the ledger. The writes of every run are plain statements, the rest goes by entities. */
@Injectable()
export class TypeOrmSessionStore extends SessionStore {
  constructor(private readonly database: Database) {
    super();
  }

  async open(tx: Queryable, principal: Principal, sessionId: string, now: number): Promise<OpenedSession> {
    const [row] = await tx.all<{ no: number; run_count: number }>(OPEN, [
      principal.tenantId,
      principal.userId,
      sessionId,
      now,
      now,
    ]);
    if (!row) throw new Error('the session was neither inserted nor found');
    return { no: row.no, runOrdinal: row.run_count };
  }

  async append(tx: Queryable, owner: MessageOwner, messages: readonly Message[], now: number): Promise<void> {
    if (messages.length === 0) return;
    const [row] = await tx.all<{ message_count: number }>(TAKE_NUMBERS, [messages.length, now, owner.sessionNo]);
    if (!row) throw new Error('the session is gone');
    let seq = row.message_count - messages.length;
    for (const message of messages) {
      seq += 1;
      await tx.run(INSERT_MESSAGE, [
        owner.sessionNo,
        seq,
        message.id,
        owner.runNo,
        owner.runOrdinal,
        message.role,
        message.type,
        JSON.stringify(message),
        now,
      ]);
    }
  }

  async saveState(tx: Queryable, sessionNo: number, state: JsonObject, now: number): Promise<void> {
    await tx.manager.update(SessionEntity, { no: sessionNo }, { state: JSON.stringify(state), updatedAt: now });
  }

  async known(tx: Queryable, sessionNo: number, ids: readonly string[]): Promise<Map<string, Message>> {
    if (ids.length === 0) return new Map();
    const rows = await tx.manager.find(MessageEntity, {
      where: { sessionNo, id: In([...ids]) },
      order: { seq: 'ASC' },
    });
    return new Map(rows.map((row) => [row.id, messageOf(row)]));
  }

  async clientToolTraffic(tx: Queryable, sessionNo: number): Promise<readonly Message[]> {
    const rows = await tx.manager.find(MessageEntity, {
      where: { sessionNo, type: In(['function_call', 'function_call_output']) },
      order: { seq: 'ASC' },
    });
    return rows.map(messageOf);
  }

  async ofRun(sessionNo: number, runOrdinal: number): Promise<readonly Message[]> {
    const where = { sessionNo, runOrdinal };
    const rows = await this.database.read.manager.find(MessageEntity, { where, order: { seq: 'ASC' } });
    return rows.map(messageOf);
  }

  async history(sessionNo: number, beforeOrdinal: number, limit: number): Promise<readonly Message[]> {
    const rows = await this.database.read.manager.find(MessageEntity, {
      where: { sessionNo, runOrdinal: LessThan(beforeOrdinal) },
      order: { runOrdinal: 'DESC', seq: 'DESC' },
      take: limit,
    });
    return rows.reverse().map(messageOf);
  }

  async state(sessionNo: number): Promise<JsonObject> {
    const row = await this.database.read.manager.findOneBy(SessionEntity, { no: sessionNo });
    return row ? (JSON.parse(row.state) as JsonObject) : {};
  }

  async find(principal: Principal, sessionId: string): Promise<number | undefined> {
    const row = await this.database.read.manager.findOneBy(SessionEntity, {
      tenantId: principal.tenantId,
      userId: principal.userId,
      id: sessionId,
    });
    return row?.no;
  }
}

function messageOf(row: MessageEntity): Message {
  return JSON.parse(row.body) as Message;
}

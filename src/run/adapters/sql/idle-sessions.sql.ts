import { Injectable } from '@nestjs/common';
import { queryable, RequestDatabase, type Transaction } from '../../../database/index.js';
import { type IdleQuery, type IdleSession, IdleSessions } from '../../ports/idle-sessions.js';

const IS_IDLE = `
  s.updated_at < ?
  AND NOT EXISTS (
    SELECT 1 FROM runs r WHERE r.session_no = s.no AND (r.finished_at IS NULL OR r.finished_at >= ?))
  AND NOT EXISTS (SELECT 1 FROM interrupts i WHERE i.session_no = s.no AND i.status = 'pending')`;

/** `{unlisted}`: the sessions of lists and the others have an index each. */
const FIND = `
  SELECT s.no, s.id, s.updated_at FROM sessions s
  WHERE s.tenant_id = ? AND s.unlisted = {unlisted} AND (s.updated_at, s.no) > (?, ?) AND ${IS_IDLE}
  ORDER BY s.updated_at, s.no LIMIT ?`;
/** Idle sessions that lists show, and those that no list shows. */
export const FIND_IDLE = { listed: FIND.replace('{unlisted}', '0'), unlisted: FIND.replace('{unlisted}', '1') };

const STILL_IDLE = `SELECT 1 AS yes FROM sessions s WHERE s.no = ? AND ${IS_IDLE}`;

/** Idle sessions in the ledger. */
@Injectable()
export class SqlIdleSessions extends IdleSessions {
  constructor(private readonly database: RequestDatabase) {
    super();
  }

  async find({ tenantId, before, limit, after }: IdleQuery): Promise<readonly IdleSession[]> {
    const values = [tenantId, after?.updatedAt ?? -1, after?.rowId ?? -1, before, before, limit];
    const found: IdleSession[] = [];
    for (const sql of Object.values(FIND_IDLE)) {
      const rows = await this.database.read.all<IdleRow>(sql, values);
      found.push(
        ...rows.map((row) => ({ rowId: row.no, tenantId, sessionId: row.id, updatedAt: Number(row.updated_at) })),
      );
    }
    return found.sort(inOrder).slice(0, limit);
  }

  async isIdle(tx: Transaction, rowId: number, before: number): Promise<boolean> {
    return (await queryable(tx).all(STILL_IDLE, [rowId, before, before])).length > 0;
  }
}

interface IdleRow {
  readonly no: number;
  readonly id: string;
  readonly updated_at: number;
}

function inOrder(one: IdleSession, other: IdleSession): number {
  return one.updatedAt - other.updatedAt || one.rowId - other.rowId;
}

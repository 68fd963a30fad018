import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../common/index.js';
import { queryable, RunDatabase, type Transaction } from '../../../database/index.js';
import { type SessionCounts, UserSessions } from '../../ports/user-sessions.js';

const SOME = 'SELECT no FROM sessions WHERE tenant_id = ? AND user_id = ? ORDER BY no LIMIT ?';
const RUNS = 'SELECT no FROM runs WHERE session_no = ?';
const HOOKS = `
  SELECT h.no FROM run_hooks h JOIN runs r ON r.tenant_id = h.tenant_id AND r.user_id = h.user_id AND r.id = h.root_run_id
  WHERE r.session_no = ?`;

/** What is counted of a session, each with its row id as the only parameter. */
const COUNTS = {
  sessions: 'SELECT COUNT(*) FROM sessions WHERE no = ?',
  messages: 'SELECT COUNT(*) FROM messages WHERE session_no = ?',
  runs: 'SELECT COUNT(*) FROM runs WHERE session_no = ?',
  events: `SELECT COALESCE(SUM(event_count), 0) FROM run_event_chunks WHERE run_no IN (${RUNS})`,
  results: `SELECT COUNT(*) FROM run_results WHERE run_no IN (${RUNS})`,
  steps: `SELECT COUNT(*) FROM run_steps WHERE run_no IN (${RUNS})`,
  runMetadata: `SELECT COUNT(*) FROM run_metadata WHERE run_no IN (${RUNS})`,
  questions: 'SELECT COUNT(*) FROM interrupts WHERE session_no = ?',
  webhookDeliveries: `SELECT COUNT(*) FROM webhook_deliveries WHERE run_no IN (${RUNS})`,
  runHooks: `SELECT COUNT(*) FROM run_hooks WHERE no IN (${HOOKS})`,
  pushDeliveries: `SELECT COUNT(*) FROM outbox WHERE hook_no IN (${HOOKS})`,
};

/** Sessions of a user in the ledger. */
@Injectable()
export class SqlUserSessions extends UserSessions {
  constructor(private readonly database: RunDatabase) {
    super();
  }

  async some({ tenantId, userId }: Principal, limit: number): Promise<readonly number[]> {
    const rows = await this.database.read.all<{ no: number }>(SOME, [tenantId, userId, limit]);
    return rows.map(({ no }) => no);
  }

  async count(tx: Transaction, sessionRowId: number): Promise<SessionCounts> {
    const names = Object.keys(COUNTS);
    const columns = Object.entries(COUNTS).map(([name, sql]) => `(${sql}) AS "${name}"`);
    const values = names.map(() => sessionRowId);
    const [row = {}] = await queryable(tx).all<Record<string, number | string>>(`SELECT ${columns.join(', ')}`, values);
    return Object.fromEntries(names.map((name) => [name, Number(row[name] ?? 0)]));
  }
}

import { Injectable } from '@nestjs/common';
import { AttachmentBinder } from '../../attachment/index.js';
import { AppError, isStorable, type JsonObject, type Principal } from '../../common/index.js';
import { Database, RunStepEntity, isUniqueViolation, type SqlValue } from '../../database/index.js';
import { InterruptStore } from '../../interrupt/index.js';
import { SessionStore } from '../../session/index.js';
import {
  type AcceptOptions,
  type Acceptance,
  type CancelRequest,
  type Lease,
  type RunQuery,
  type RunRecord,
  RunStore,
  type StoredStep,
} from '../ports/run-store.js';
import type { RunRequest } from '../run.types.js';
import { failure, WAITED_TOO_LONG } from '../execute/run-ending.js';
import { FIND_BY_KEY, WAITING_BEFORE } from './accept-repeated.js';
import { acceptRun } from './accept-run.js';
import { cancelRun, endUnstarted, forUpdate } from './cancel-run.js';
import { RUN_COLUMNS, type RunRow, runRecord } from './run-row.js';

/**
 * Which runs may be taken over: the head of its session's queue, or one whose lease is over. A
 * session's order needs no lock of its own: only its head qualifies.
 */
const CLAIMABLE = `
  SELECT r.no FROM runs r
  WHERE (r.status = 'queued' AND NOT EXISTS (
      SELECT 1 FROM runs o
      WHERE o.session_no = r.session_no AND o.ordinal < r.ordinal AND o.status IN ('queued', 'running')))
    OR (r.status = 'running' AND r.lease_until < ?)
  ORDER BY r.no LIMIT ?`;

/** The time an attempt took: till now, or till the end of a lease that was not renewed any more. */
const USED = `
  used_ms = used_ms + CASE
    WHEN claimed_at IS NULL OR status <> 'running' OR claimed_at > ? THEN 0
    WHEN lease_until > claimed_at AND lease_until < ? THEN lease_until - claimed_at
    ELSE ? - claimed_at END`;

const TAKE = `
  UPDATE runs SET status = 'running', attempt = attempt + 1, fence = fence + 1, ${USED}, claimed_at = ?,
    lease_owner = ?, lease_until = ?, started_at = COALESCE(started_at, ?)
  WHERE no = ? AND (status = 'queued' OR (status = 'running' AND lease_until < ?))
  RETURNING ${RUN_COLUMNS}`;

const RENEW = `UPDATE runs SET lease_until = ? WHERE status = 'running' AND lease_owner = ? AND no`;
const RENEW_ONE = `${RENEW} = ? RETURNING no`;
const RENEW_MANY = {
  sqlite: `${RENEW} IN (SELECT value FROM json_each(?)) RETURNING no`,
  postgres: `${RENEW} IN (
    SELECT r.no FROM runs r WHERE r.no IN (SELECT value::int FROM json_array_elements_text(?::json))
    FOR UPDATE SKIP LOCKED) RETURNING no`,
};

const RELEASE = `
  UPDATE runs SET status = 'queued', attempt = attempt - 1, ${USED}, claimed_at = NULL, lease_owner = NULL,
    lease_until = 0
  WHERE no = ? AND fence = ? AND status = 'running'`;

const EXPIRE = `
  UPDATE runs SET ${USED}, claimed_at = NULL, lease_until = 0 WHERE lease_owner = ? AND status = 'running'`;

const FIND = `SELECT ${RUN_COLUMNS} FROM runs WHERE tenant_id = ? AND id = ?`;

const NEXT = `
  SELECT ${RUN_COLUMNS} FROM runs WHERE session_no =
    (SELECT s.no FROM sessions s WHERE s.tenant_id = ? AND s.user_id = ? AND s.id = ?)
    AND ordinal > ? AND (keep <> 'transient' OR status IN ('queued', 'running')) ORDER BY ordinal LIMIT 1`;

const OVERDUE = `
  SELECT ${RUN_COLUMNS} FROM runs WHERE status = 'queued' AND next_seq = 0 AND created_at < ? ORDER BY no LIMIT ?`;

/** The rows of runs in the ledger. */
@Injectable()
export class TypeOrmRunStore extends RunStore {
  constructor(
    private readonly database: Database,
    readonly sessions: SessionStore,
    readonly interrupts: InterruptStore,
    readonly attachments: AttachmentBinder,
  ) {
    super();
  }

  async accept(request: RunRequest, options: AcceptOptions): Promise<Acceptance> {
    try {
      return await this.database.write((tx) => acceptRun(tx, this, request, options));
    } catch (error) {
      // Two equal requests at the same moment: the slower one is refused and finds the faster one's run.
      const named = request.runId !== undefined || request.runKey !== undefined;
      const refused = error instanceof AppError && error.code !== 'RUN_ID_CONFLICT';
      if (!named || !(refused || isUniqueViolation(error))) throw error;
      return this.database.write((tx) => acceptRun(tx, this, request, options));
    }
  }

  async find(tenantId: string, runId: string): Promise<RunRecord | undefined> {
    if (!isStorable(runId)) return undefined;
    const [row] = await this.database.read.all<RunRow>(FIND, [tenantId, runId]);
    return row && runRecord(row);
  }

  async findByKey(principal: Principal, sessionId: string, runKey: string): Promise<RunRecord | undefined> {
    const { tenantId, userId } = principal;
    if (![userId, sessionId, runKey].every(isStorable)) return undefined;
    const [row] = await this.database.read.all<RunRow>(FIND_BY_KEY, [runKey, tenantId, userId, sessionId]);
    return row && runRecord(row);
  }

  async list(principal: Principal, sessionId: string, query: RunQuery): Promise<readonly RunRecord[]> {
    const sessionRowId = await this.sessions.find(principal, sessionId);
    if (sessionRowId === undefined) return [];
    const values: SqlValue[] = [sessionRowId];
    let where = '';
    if (query.before !== undefined) {
      where += ' AND ordinal < ?';
      values.push(query.before);
    }
    if (query.states) {
      where += ` AND status IN (${query.states.map(() => '?').join(', ') || 'NULL'})`;
      values.push(...query.states);
    }
    const sql = `SELECT ${RUN_COLUMNS} FROM runs WHERE session_no = ?${where}
      AND (keep <> 'transient' OR status IN ('queued', 'running')) ORDER BY ordinal DESC LIMIT ?`;
    return (await this.database.read.all<RunRow>(sql, [...values, query.limit])).map(runRecord);
  }

  async next(principal: Principal, sessionId: string, afterOrdinal: number): Promise<RunRecord | undefined> {
    const { tenantId, userId } = principal;
    if (!isStorable(sessionId) || !isStorable(userId)) return undefined;
    const [row] = await this.database.read.all<RunRow>(NEXT, [tenantId, userId, sessionId, afterOrdinal]);
    return row && runRecord(row);
  }

  async waitingFor(tenantId: string, interruptIds: readonly string[]): Promise<RunRecord | undefined> {
    const marks = interruptIds.map(() => '?').join(', ');
    const sql = `SELECT ${RUN_COLUMNS} FROM runs WHERE no = (
      SELECT MAX(waiting_run_no) FROM interrupts WHERE tenant_id = ? AND id IN (${marks}))`;
    const [row] = await this.database.read.all<RunRow>(sql, [tenantId, ...interruptIds]);
    return row && runRecord(row);
  }

  async waitingBefore(run: RunRecord): Promise<number> {
    const [row] = await this.database.read.all<{ n: number }>(WAITING_BEFORE, [run.sessionRowId, run.ordinal]);
    return row?.n ?? 0;
  }

  async active(sessionRowId: number): Promise<readonly RunRecord[]> {
    const sql = `SELECT ${RUN_COLUMNS} FROM runs WHERE session_no = ? AND status IN ('queued', 'running') ORDER BY no`;
    const rows = await this.database.read.all<RunRow>(sql, [sessionRowId]);
    return rows.map(runRecord);
  }

  async claim(lease: Lease, now: number, limit: number): Promise<readonly RunRecord[]> {
    // Look before taking the write lock: most of the time there is nothing to claim.
    const [found] = await this.database.read.all<{ no: number }>(CLAIMABLE, [now, 1]);
    if (!found) return [];
    return this.database.write(async (tx) => {
      const lock = tx.dialect === 'postgres' ? ' FOR UPDATE OF r SKIP LOCKED' : '';
      const heads = await tx.all<{ no: number }>(CLAIMABLE + lock, [now, limit]);
      const claimed: RunRecord[] = [];
      for (const head of heads) {
        const rows = await tx.all<RunRow>(TAKE, [now, now, now, now, lease.owner, lease.until, now, head.no, now]);
        claimed.push(...rows.map(runRecord));
      }
      return claimed;
    });
  }

  async renew(lease: Lease, runRowIds: readonly number[]): Promise<readonly number[]> {
    if (runRowIds.length === 0) return [];
    const [first = 0, ...others] = runRowIds;
    const [sql, among] =
      others.length === 0 ? [RENEW_ONE, first] : [RENEW_MANY[this.database.dialect], JSON.stringify(runRowIds)];
    const rows = await this.database.write((tx) => tx.all<{ no: number }>(sql, [lease.until, lease.owner, among]));
    return rows.map((row) => row.no);
  }

  async release(runRowId: number, fence: number, now: number): Promise<void> {
    await this.database.write((tx) => tx.run(RELEASE, [now, now, now, runRowId, fence]));
  }

  async requestCancel(tenantId: string, runId: string, request: CancelRequest): Promise<RunRecord | undefined> {
    if (!isStorable(runId)) return undefined;
    return this.database.write(async (tx) => {
      const [row] = await tx.all<RunRow>(FIND + forUpdate(tx), [tenantId, runId]);
      return row && runRecord(await cancelRun(tx, this.sessions, row, request));
    });
  }

  async endOverdue(createdBefore: number, now: number, limit: number): Promise<readonly RunRecord[]> {
    // As in `claim`: most of the time there is none.
    const [found] = await this.database.read.all(OVERDUE, [createdBefore, 1]);
    if (!found) return [];
    const ending = failure(new AppError('TIMEOUT', WAITED_TOO_LONG));
    return this.database.write(async (tx) => {
      const lock = tx.dialect === 'postgres' ? ' FOR UPDATE SKIP LOCKED' : '';
      const ended: RunRecord[] = [];
      for (const row of await tx.all<RunRow>(OVERDUE + lock, [createdBefore, limit])) {
        const after = await endUnstarted(tx, row, ending, now);
        if (after) ended.push(runRecord(after));
      }
      return ended;
    });
  }

  async cancelRequested(owner: string): Promise<readonly number[]> {
    const sql = `SELECT no FROM runs
      WHERE status = 'running' AND lease_owner = ? AND cancel_requested_at IS NOT NULL`;
    const rows = await this.database.read.all<{ no: number }>(sql, [owner]);
    return rows.map((row) => row.no);
  }

  async owners(): Promise<readonly string[]> {
    const sql = `SELECT DISTINCT lease_owner FROM runs WHERE status = 'running' AND lease_owner IS NOT NULL`;
    const rows = await this.database.read.all<{ lease_owner: string }>(sql);
    return rows.map((row) => row.lease_owner);
  }

  async expire(owner: string, now: number): Promise<void> {
    await this.database.write((tx) => tx.run(EXPIRE, [now, now, now, owner]));
  }

  async steps(runRowId: number): Promise<readonly StoredStep[]> {
    const rows = await this.database.read.manager.findBy(RunStepEntity, { runRowId });
    return rows.map((row) => ({
      key: row.stepKey,
      status: row.status === 'finished' ? 'finished' : 'begun',
      inputHash: row.inputHash,
      output: row.output === null ? null : (JSON.parse(row.output) as JsonObject),
      messageIds: JSON.parse(row.messageIds) as string[],
    }));
  }
}

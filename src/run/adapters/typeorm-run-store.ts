import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { AppError, type JsonObject } from '../../common/index.js';
import { Database, RunEntity, RunStepEntity, isUniqueViolation } from '../../database/index.js';
import { InterruptStore } from '../../interrupt/index.js';
import { SessionStore } from '../../session/index.js';
import {
  type AcceptOptions,
  type Acceptance,
  type Lease,
  type RunRecord,
  RunStore,
  type StoredStep,
} from '../ports/run-store.js';
import type { RunRequest } from '../run.types.js';
import { acceptRun } from './accept-run.js';
import { RUN_COLUMNS, type RunRow, runRecord } from './run-row.js';

/**
 * Which runs may be taken over: the head of its session's queue, one whose lease is over, one that
 * waits and shall be cancelled. A session's order needs no lock of its own: only its head qualifies.
 */
const CLAIMABLE = `
  SELECT r.no FROM runs r
  WHERE (r.status = 'queued' AND (r.cancel_requested_at IS NOT NULL OR NOT EXISTS (
      SELECT 1 FROM runs o
      WHERE o.session_no = r.session_no AND o.ordinal < r.ordinal AND o.status IN ('queued', 'running'))))
    OR (r.status = 'running' AND r.lease_until < ?)
  ORDER BY r.no LIMIT ?`;

const TAKE = `
  UPDATE runs SET status = 'running', attempt = attempt + 1, fence = fence + 1, lease_owner = ?, lease_until = ?,
    started_at = COALESCE(started_at, ?)
  WHERE no = ? AND (status = 'queued' OR (status = 'running' AND lease_until < ?))
  RETURNING ${RUN_COLUMNS}`;

const RENEW = `UPDATE runs SET lease_until = ? WHERE status = 'running' AND lease_owner = ? AND no IN`;
const AMONG = {
  sqlite: '(SELECT value FROM json_each(?))',
  postgres: '(SELECT value::int FROM json_array_elements_text(?::json))',
};

const RELEASE = `
  UPDATE runs SET status = 'queued', attempt = attempt - 1, lease_owner = NULL, lease_until = 0
  WHERE no = ? AND fence = ? AND status = 'running'`;

const REQUEST_CANCEL = `
  UPDATE runs SET cancel_requested_at = ?
  WHERE tenant_id = ? AND id = ? AND status IN ('queued', 'running') AND cancel_requested_at IS NULL`;

/** The rows of runs in the ledger. */
@Injectable()
export class TypeOrmRunStore extends RunStore {
  constructor(
    private readonly database: Database,
    readonly sessions: SessionStore,
    readonly interrupts: InterruptStore,
  ) {
    super();
  }

  async accept(request: RunRequest, options: AcceptOptions): Promise<Acceptance> {
    try {
      return await this.database.write((tx) => acceptRun(tx, this, request, options));
    } catch (error) {
      // Two equal requests at the same moment: the slower one is refused and finds the faster one's run.
      const refused = error instanceof AppError && error.code !== 'RUN_ID_CONFLICT';
      if (request.runId === undefined || !(refused || isUniqueViolation(error))) throw error;
      return this.database.write((tx) => acceptRun(tx, this, request, options));
    }
  }

  async find(tenantId: string, runId: string): Promise<RunRecord | undefined> {
    const sql = `SELECT ${RUN_COLUMNS} FROM runs WHERE tenant_id = ? AND id = ?`;
    const [row] = await this.database.read.all<RunRow>(sql, [tenantId, runId]);
    return row && runRecord(row);
  }

  async waitingFor(tenantId: string, interruptIds: readonly string[]): Promise<RunRecord | undefined> {
    const marks = interruptIds.map(() => '?').join(', ');
    const sql = `SELECT ${RUN_COLUMNS} FROM runs WHERE no = (
      SELECT MAX(waiting_run_no) FROM interrupts WHERE tenant_id = ? AND id IN (${marks}))`;
    const [row] = await this.database.read.all<RunRow>(sql, [tenantId, ...interruptIds]);
    return row && runRecord(row);
  }

  async active(sessionNo: number): Promise<readonly RunRecord[]> {
    const sql = `SELECT ${RUN_COLUMNS} FROM runs WHERE session_no = ? AND status IN ('queued', 'running') ORDER BY no`;
    const rows = await this.database.read.all<RunRow>(sql, [sessionNo]);
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
        const rows = await tx.all<RunRow>(TAKE, [lease.owner, lease.until, now, head.no, now]);
        claimed.push(...rows.map(runRecord));
      }
      return claimed;
    });
  }

  async renew(lease: Lease, runNos: readonly number[]): Promise<readonly number[]> {
    if (runNos.length === 0) return [];
    const sql = `${RENEW} ${AMONG[this.database.dialect]} RETURNING no`;
    const values = [lease.until, lease.owner, JSON.stringify(runNos)];
    const rows = await this.database.write((tx) => tx.all<{ no: number }>(sql, values));
    return rows.map((row) => row.no);
  }

  async release(runNo: number, fence: number): Promise<void> {
    await this.database.write((tx) => tx.run(RELEASE, [runNo, fence]));
  }

  async requestCancel(tenantId: string, runId: string, now: number): Promise<RunRecord | undefined> {
    await this.database.write((tx) => tx.run(REQUEST_CANCEL, [now, tenantId, runId]));
    return this.find(tenantId, runId);
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

  async expire(owner: string): Promise<void> {
    await this.database.write((tx) =>
      tx.manager.update(RunEntity, { leaseOwner: owner, status: In(['running']) }, { leaseUntil: 0 }),
    );
  }

  async steps(runNo: number): Promise<readonly StoredStep[]> {
    const rows = await this.database.read.manager.findBy(RunStepEntity, { runNo });
    return rows.map((row) => ({
      key: row.stepKey,
      status: row.status === 'finished' ? 'finished' : 'begun',
      inputHash: row.inputHash,
      output: row.output === null ? null : (JSON.parse(row.output) as JsonObject),
      messageIds: JSON.parse(row.messageIds) as string[],
    }));
  }
}

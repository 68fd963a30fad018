import { Injectable } from '@nestjs/common';
import { Database } from '../../database/index.js';
import { type Lease, RunLeases } from '../ports/run-leases.js';
import type { RunRecord } from '../run-record.js';
import { RUN_COLUMNS, type RunRow, runRecord } from './run-row.js';

/**
 * Runs that can be claimed: the first queued one of each session, and running ones whose lease has ended. The
 * order of a session needs no lock of its own, because only its first run qualifies.
 */
const CLAIMABLE = `
  SELECT r.no FROM runs r
  WHERE (r.status = 'queued' AND NOT EXISTS (
      SELECT 1 FROM runs o
      WHERE o.session_no = r.session_no AND o.ordinal < r.ordinal AND o.status IN ('queued', 'running')))
    OR (r.status = 'running' AND r.lease_until < ?)
  ORDER BY r.no LIMIT ?`;

/** The time an attempt took: until now, or until the end of a lease that was not renewed. */
const USED = `
  used_ms = used_ms + CASE
    WHEN claimed_at IS NULL OR status <> 'running' OR claimed_at > ? THEN 0
    WHEN lease_until > claimed_at AND lease_until < ? THEN lease_until - claimed_at
    ELSE ? - claimed_at END`;

const CLAIM = `
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

const OWNERS = `SELECT DISTINCT lease_owner FROM runs WHERE status = 'running' AND lease_owner IS NOT NULL`;

const CANCEL_REQUESTED = `
  SELECT no FROM runs WHERE status = 'running' AND lease_owner = ? AND cancel_requested_at IS NOT NULL`;

const HAS_ACTIVE = `SELECT 1 AS yes FROM runs WHERE session_no = ? AND status IN ('queued', 'running') LIMIT 1`;

/** Leases as columns of the rows of runs. */
@Injectable()
export class TypeOrmRunLeases extends RunLeases {
  constructor(private readonly database: Database) {
    super();
  }

  async claim(lease: Lease, now: number, limit: number): Promise<readonly RunRecord[]> {
    // Reads before it takes the write lock: usually there is nothing to claim.
    const [found] = await this.database.read.all<{ no: number }>(CLAIMABLE, [now, 1]);
    if (!found) return [];
    return this.database.write(async (tx) => {
      const lock = tx.dialect === 'postgres' ? ' FOR UPDATE OF r SKIP LOCKED' : '';
      const rows = await tx.all<{ no: number }>(CLAIMABLE + lock, [now, limit]);
      const claimed: RunRecord[] = [];
      for (const { no } of rows) {
        const values = [now, now, now, now, lease.owner, lease.until, now, no, now];
        claimed.push(...(await tx.all<RunRow>(CLAIM, values)).map(runRecord));
      }
      return claimed;
    });
  }

  async renew(lease: Lease, runRowIds: readonly number[]): Promise<readonly number[]> {
    const [first, ...others] = runRowIds;
    if (first === undefined) return [];
    const [sql, among] =
      others.length === 0 ? [RENEW_ONE, first] : [RENEW_MANY[this.database.dialect], JSON.stringify(runRowIds)];
    const rows = await this.database.write((tx) => tx.all<{ no: number }>(sql, [lease.until, lease.owner, among]));
    return rows.map(({ no }) => no);
  }

  async release(runRowId: number, fence: number, now: number): Promise<void> {
    await this.database.write((tx) => tx.run(RELEASE, [now, now, now, runRowId, fence]));
  }

  async expire(owner: string, now: number): Promise<void> {
    await this.database.write((tx) => tx.run(EXPIRE, [now, now, now, owner]));
  }

  async owners(): Promise<readonly string[]> {
    const rows = await this.database.read.all<{ lease_owner: string }>(OWNERS);
    return rows.map((row) => row.lease_owner);
  }

  async cancelRequested(owner: string): Promise<readonly number[]> {
    const rows = await this.database.read.all<{ no: number }>(CANCEL_REQUESTED, [owner]);
    return rows.map(({ no }) => no);
  }

  async hasActive(sessionRowId: number): Promise<boolean> {
    return (await this.database.read.all(HAS_ACTIVE, [sessionRowId])).length > 0;
  }
}

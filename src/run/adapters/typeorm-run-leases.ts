import { Injectable } from '@nestjs/common';
import { Database, DATABASE_NOW, type Queryable } from '../../database/index.js';
import { type Lease, RunLeases, type SweepFindings } from '../ports/run-leases.js';
import type { RunRecord } from '../run-record.js';
import { RUN_COLUMNS, type RunRow, runRecord } from './run-row.js';
import { LOST, QUEUED, sweepFindings } from './sweep-query.js';

/** Queued runs that can be claimed, of tenants with few running runs of an owner first. */
const QUEUED_FAIRLY = `
  SELECT q.no FROM (
    SELECT r.no, COALESCE(b.busy, 0) + ROW_NUMBER() OVER (PARTITION BY r.tenant_id ORDER BY r.no) AS place
    FROM runs r LEFT JOIN (
      SELECT tenant_id, COUNT(*) AS busy FROM runs WHERE status = 'running' AND lease_owner = ? GROUP BY tenant_id
    ) b ON b.tenant_id = r.tenant_id
    WHERE r.status = 'queued' AND NOT EXISTS (
      SELECT 1 FROM runs o
      WHERE o.session_no = r.session_no AND o.ordinal < r.ordinal AND o.status IN ('queued', 'running'))
  ) q WHERE q.place <= ? ORDER BY q.place, q.no LIMIT ?`;

/** Those of several queued runs that no other process is claiming; a query with ranks cannot lock rows itself. */
const LOCK_QUEUED = `
  SELECT r.no FROM runs r
  WHERE r.status = 'queued' AND r.no IN (SELECT value::int FROM json_array_elements_text(?::json))
  FOR UPDATE OF r SKIP LOCKED`;

/** The time an attempt took: until now, or until the end of a lease that an earlier version did not renew. */
const USED = `
  used_ms = used_ms + CASE
    WHEN claimed_at IS NULL OR status <> 'running' OR claimed_at > {now} THEN 0
    WHEN lease_until > claimed_at AND lease_until < {now} THEN lease_until - claimed_at
    ELSE {now} - claimed_at END`;

/** The database's clock may be behind that of the process which accepted the run. */
const CLAIM = `
  UPDATE runs SET status = 'running', attempt = attempt + 1, fence = fence + 1, ${USED}, claimed_at = {now},
    lease_owner = ?, lease_until = ?,
    started_at = COALESCE(started_at, CASE WHEN created_at > {now} THEN created_at ELSE {now} END)
  WHERE no = ? AND (status = 'queued' OR (status = 'running' AND lease_until < {now}))
  RETURNING ${RUN_COLUMNS}`;

const RELEASE = `
  UPDATE runs SET status = 'queued', attempt = attempt - 1, ${USED}, claimed_at = NULL, lease_owner = NULL,
    lease_until = 0
  WHERE no = ? AND fence = ? AND status = 'running'`;

const GIVE_UP = `
  UPDATE runs SET ${USED}, claimed_at = NULL, lease_until = 0 WHERE no = ? AND fence = ? AND status = 'running'`;

const HAS_ACTIVE = `SELECT 1 AS yes FROM runs WHERE session_no = ? AND status IN ('queued', 'running') LIMIT 1`;

/** Leases as columns of the rows of runs. */
@Injectable()
export class TypeOrmRunLeases extends RunLeases {
  constructor(private readonly database: Database) {
    super();
  }

  async claim(lease: Lease, limit: number, perTenant?: number): Promise<readonly RunRecord[]> {
    return this.database.write(async (tx) => {
      const lock = tx.dialect === 'postgres' ? ' FOR UPDATE OF r SKIP LOCKED' : '';
      const rows = await tx.all<{ no: number }>(this.sql(LOST) + lock, [limit]);
      const left = limit - rows.length;
      if (left > 0 && perTenant === undefined) rows.push(...(await tx.all<{ no: number }>(QUEUED + lock, [left])));
      else if (left > 0) rows.push(...(await queuedFairly(tx, [lease.owner, perTenant ?? 0, left])));
      const claimed: RunRecord[] = [];
      for (const { no } of rows) {
        const values = [lease.owner, lease.until, no];
        claimed.push(...(await tx.all<RunRow>(this.sql(CLAIM), values)).map(runRecord));
      }
      return claimed;
    });
  }

  async release(runRowId: number, fence: number): Promise<void> {
    await this.database.write((tx) => tx.run(this.sql(RELEASE), [runRowId, fence]));
  }

  async giveUp(runRowId: number, fence: number): Promise<void> {
    await this.database.write((tx) => tx.run(this.sql(GIVE_UP), [runRowId, fence]));
  }

  sweep(owner: string, queuedBefore: number): Promise<SweepFindings> {
    return sweepFindings(this.database, owner, queuedBefore);
  }

  async hasActive(sessionRowId: number): Promise<boolean> {
    return (await this.database.read.all(HAS_ACTIVE, [sessionRowId])).length > 0;
  }

  private sql(text: string): string {
    return text.replaceAll('{now}', DATABASE_NOW[this.database.dialect]);
  }
}

async function queuedFairly(
  tx: Queryable,
  [owner, perTenant, limit]: readonly [owner: string, perTenant: number, limit: number],
): Promise<readonly { readonly no: number }[]> {
  const rows = await tx.all<{ no: number }>(QUEUED_FAIRLY, [owner, perTenant, limit]);
  if (rows.length === 0 || tx.dialect === 'sqlite') return rows;
  return tx.all<{ no: number }>(LOCK_QUEUED, [JSON.stringify(rows.map(({ no }) => no))]);
}

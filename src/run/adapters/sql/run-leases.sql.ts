import { Injectable } from '@nestjs/common';
import { DATABASE_NOW, type Queryable, RunDatabase } from '../../../database/index.js';
import { type Lease, RunLeases, type SweepFindings } from '../../ports/run-leases.js';
import type { Ticket } from '../../ports/run-tickets.js';
import type { RunRecord } from '../../run-record.js';
import { RUN_COLUMNS, runRecords, type RunRow } from './run.row.js';
import { LONG_WAITING, pickNumbered, pickQueued, ticketOf, type TicketRow } from './queue-order.sql.js';

/**
 * Queued runs that can be claimed: the first one of each session. The order of a session needs no lock of its own,
 * because only its first run qualifies.
 */
export const QUEUED = `
  SELECT r.no FROM runs r
  WHERE r.status = 'queued' AND NOT EXISTS (
    SELECT 1 FROM runs o
    WHERE o.session_no = r.session_no AND o.ordinal < r.ordinal AND o.status IN ('queued', 'running'))
  ORDER BY r.no LIMIT ?`;

/** Running runs whose lease has ended. Its order is that of an index, whose first entries are all that is read. */
export const LOST = `
  SELECT r.no FROM runs r WHERE r.status = 'running' AND r.lease_until < {now} ORDER BY r.lease_until, r.no LIMIT ?`;

/** The owners of running runs: one step in an index for each owner, however many runs each has. */
export const RUNNING_OWNERS = `
  WITH RECURSIVE owners(name) AS (
    SELECT MIN(lease_owner) FROM runs WHERE status = 'running'
    UNION ALL
    SELECT (SELECT MIN(r.lease_owner) FROM runs r WHERE r.status = 'running' AND r.lease_owner > o.name)
    FROM owners o WHERE o.name IS NOT NULL
  )`;

export const OWNED = `
  SELECT no, fence, CASE WHEN cancel_requested_at IS NULL THEN 0 ELSE 1 END AS canceled
  FROM runs WHERE status = 'running' AND lease_owner = ?`;

/**
 * The slots of a worker stand in `no`, whether it is draining in `fence`.
 * What a sweep needs to know, in one query: an idle process makes one each second, with its other looks. Owners of previous versions, whose
 * names hold a slash, are no suspects.
 */
export const SWEEP = `
  ${RUNNING_OWNERS}
  SELECT 'owned' AS kind, CAST(NULL AS VARCHAR(64)) AS id, no, fence, canceled AS flag, CAST(NULL AS VARCHAR(200)) AS host_id,
    0 AS pid, CAST(NULL AS VARCHAR(64)) AS process_start, CAST(0 AS BIGINT) AS left_ms
  FROM (${OWNED}) owned
  UNION ALL
  SELECT 'suspect', id, slots, draining, CASE WHEN lease_until < {now} THEN 1 ELSE 0 END, host_id, pid, process_start,
    lease_until - {now}
  FROM workers
  UNION ALL
  SELECT 'suspect', name, 0, 0, 1, NULL, 0, NULL, 0 FROM owners
  WHERE name IS NOT NULL AND name NOT LIKE '%/%' AND NOT EXISTS (SELECT 1 FROM workers w WHERE w.id = owners.name)
  UNION ALL
  SELECT 'queued', NULL, no, 0, 0, NULL, 0, NULL, 0 FROM (${QUEUED}) q
  UNION ALL
  SELECT 'lost', NULL, no, 0, 0, NULL, 0, NULL, 0 FROM (${LOST}) l`;

interface SweepRow {
  readonly kind: 'owned' | 'suspect' | 'queued' | 'lost';
  readonly id: string | null;
  readonly no: number;
  readonly fence: number;
  readonly flag: number;
  readonly host_id: string | null;
  readonly pid: number;
  readonly process_start: string | null;
  readonly left_ms: number;
}

/** @throws the driver's error */
async function sweepFindings(database: RunDatabase, owner: string): Promise<SweepFindings> {
  const sql = SWEEP.replaceAll('{now}', DATABASE_NOW[database.dialect]);
  const rows = await database.looks.now<SweepRow>(sql, [owner, 1, 1]);
  const of = (kind: SweepRow['kind']): SweepRow[] => rows.filter((row) => row.kind === kind);
  return {
    owned: of('owned').map(({ no, fence, flag }) => ({ rowId: no, fence, isCanceled: flag === 1 })),
    suspects: of('suspect').map(({ id, host_id, pid, process_start, flag, no, fence, left_ms }) => {
      const isOpen = flag === 0 && no > 0 && fence === 0;
      const process = { hostId: host_id, pid, processStart: process_start };
      return { id: id ?? '', isLost: flag === 1, isOpen, leftMs: left_ms, ...process };
    }),
    isQueued: of('queued').length > 0,
    isLost: of('lost').length > 0,
  };
}

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

/** Without an owner, so that the next sweeps do not find it as a run to be given up. */
const GIVE_UP = `
  UPDATE runs SET ${USED}, claimed_at = NULL, lease_owner = NULL, lease_until = 0
  WHERE no = ? AND fence = ? AND status = 'running'`;

const FIRST_OF_SESSION = `
  SELECT no, fence, tenant_id, place, status FROM runs WHERE session_no = ? AND status IN ('queued', 'running')
  ORDER BY ordinal LIMIT 1`;

/** What a sweep does waits for no lock for long: it comes again. */
const SWEEP_WAIT = { lockWaitMs: 500 };

/** Leases as columns of the rows of runs. */
@Injectable()
export class SqlRunLeases extends RunLeases {
  constructor(private readonly database: RunDatabase) {
    super();
  }

  async claim(lease: Lease, limit: number, perTenant?: number): Promise<readonly RunRecord[]> {
    return this.database.write(async (tx) => {
      const lock = tx.dialect === 'postgres' ? ' FOR UPDATE OF r SKIP LOCKED' : '';
      const lost = await tx.all<{ no: number }>(this.sql(LOST) + lock, [limit]);
      const queued = await pickQueued(tx, { limit: limit - lost.length, owner: lease.owner, perTenant });
      return this.take(tx, lease, [...lost.map(({ no }) => no), ...queued]);
    }, SWEEP_WAIT);
  }

  async claimQueued(lease: Lease, rowIds: readonly number[]): Promise<readonly RunRecord[]> {
    if (rowIds.length === 0) return [];
    return this.database.write(async (tx) => this.take(tx, lease, await pickNumbered(tx, rowIds)));
  }

  async release(runRowId: number, fence: number): Promise<void> {
    await this.database.write((tx) => tx.run(this.sql(RELEASE), [runRowId, fence]));
  }

  async giveUp(runRowId: number, fence: number): Promise<void> {
    await this.database.write((tx) => tx.run(this.sql(GIVE_UP), [runRowId, fence]), SWEEP_WAIT);
  }

  sweep(owner: string): Promise<SweepFindings> {
    return sweepFindings(this.database, owner);
  }

  async nextOf(sessionRowId: number): Promise<Ticket | undefined> {
    // What it finds is claimed, which is a write.
    const [row] = await this.database.readUnsynced.all<TicketRow & { status: string }>(FIRST_OF_SESSION, [
      sessionRowId,
    ]);
    return row?.status === 'queued' ? ticketOf(row) : undefined;
  }

  async longWaiting(limit: number): Promise<readonly Ticket[]> {
    const rows = await this.database.read.all<TicketRow>(this.sql(LONG_WAITING), [limit]);
    return rows.map((row) => Object.assign(ticketOf(row), { isUrgent: true }));
  }

  /** Claims rows that this transaction has locked. */
  private async take(tx: Queryable, lease: Lease, rowIds: readonly number[]): Promise<readonly RunRecord[]> {
    const claimed: RunRecord[] = [];
    for (const no of rowIds) {
      const values = [lease.owner, lease.until, no];
      const rows = await tx.all<RunRow>(this.sql(CLAIM), values);
      claimed.push(...(await runRecords(rows, this.database.content)));
    }
    return claimed;
  }

  private sql(text: string): string {
    return text.replaceAll('{now}', DATABASE_NOW[this.database.dialect]);
  }
}

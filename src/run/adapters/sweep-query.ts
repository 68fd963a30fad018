import { type Database, DATABASE_NOW } from '../../database/index.js';
import type { SweepFindings } from '../ports/run-leases.js';

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
 * What a sweep needs to know, in one query: an idle process makes one each second. Owners of previous versions, whose
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
export async function sweepFindings(database: Database, owner: string): Promise<SweepFindings> {
  const sql = SWEEP.replaceAll('{now}', DATABASE_NOW[database.dialect]);
  const rows = await database.patientRead.all<SweepRow>(sql, [owner, 1, 1]);
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

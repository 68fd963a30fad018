import type { JsonObject, Principal } from '../../common/index.js';
import type { Queryable } from '../../database/index.js';
import type { SessionStore } from '../../session/index.js';
import { type Ending } from '../execute/run-ending.js';
import { unstartedEnd } from '../execute/unstarted-end.js';
import type { CancelRequest } from '../ports/run-store.js';
import { RUN_COLUMNS, type RunRow, runRecord } from './run-row.js';

const ACTIVE = `
  SELECT ${RUN_COLUMNS} FROM runs WHERE session_no = ? AND status IN ('queued', 'running') ORDER BY ordinal DESC`;

const REQUEST = `UPDATE runs SET cancel_requested_at = ? WHERE no = ? AND cancel_requested_at IS NULL`;

const END = `
  UPDATE runs SET status = ?, error = ?, next_seq = ?, cancel_requested_at = COALESCE(cancel_requested_at, ?),
    finished_at = ?
  WHERE no = ? AND status = 'queued' AND next_seq = 0
  RETURNING ${RUN_COLUMNS}`;

const INSERT_CHUNK = `
  INSERT INTO run_event_chunks (run_no, first_seq, event_count, body, created_at) VALUES (?, 0, ?, ?, ?)`;

const ROLL_BACK = `
  UPDATE runs SET keep = 'rolled_back' WHERE no = ? AND keep <> 'rolled_back' RETURNING state_before`;

/** The next later run that brought a state of its own. */
const NEXT_STATE = `
  SELECT no FROM runs WHERE session_no = ? AND ordinal > ? AND keep <> 'rolled_back' AND state_before IS NOT NULL
  ORDER BY ordinal LIMIT 1`;

/**
 * Asks all runs of a session that are not over to end; those that were never begun have ended then.
 *
 * @returns the numbers of those that have not
 */
export async function cancelActive(
  tx: Queryable,
  sessions: SessionStore,
  sessionRowId: number,
  request: CancelRequest,
): Promise<readonly number[]> {
  const left: number[] = [];
  // The newest first, so that each rollback puts back what was there before the next older one.
  for (const row of await tx.all<RunRow>(ACTIVE + forUpdate(tx), [sessionRowId])) {
    const after = await cancelRun(tx, sessions, row, request);
    if (after.finished_at === null) left.push(row.no);
  }
  return left;
}

/** Asks one run to end; one that was never begun has ended then. The row is locked by the caller. */
export async function cancelRun(
  tx: Queryable,
  sessions: SessionStore,
  row: RunRow,
  { now, rollback }: CancelRequest,
): Promise<RunRow> {
  if (row.status !== 'queued' && row.status !== 'running') return row;
  await tx.run(REQUEST, [now, row.no]);
  const canceled = { ...row, cancel_requested_at: row.cancel_requested_at ?? now };
  const ended = await endUnstarted(tx, canceled, { kind: 'canceled' }, now);
  if (rollback) await rollBack(tx, sessions, row, now);
  return ended ?? canceled;
}

/** Ends a run that was never begun, with a whole log; undefined when somebody has begun it. */
export async function endUnstarted(
  tx: Queryable,
  row: RunRow,
  ending: Ending,
  now: number,
): Promise<RunRow | undefined> {
  if (row.status !== 'queued' || row.next_seq > 0) return undefined;
  const { lines, state, error } = unstartedEnd(runRecord(row), ending, now);
  const requestedAt = row.cancel_requested_at;
  const [ended] = await tx.all<RunRow>(END, [
    state,
    error && JSON.stringify(error),
    lines.length,
    requestedAt,
    now,
    row.no,
  ]);
  if (ended) await tx.run(INSERT_CHUNK, [row.no, lines.length, lines.join('\n'), now]);
  return ended;
}

const LOCK_ACTIVE = `
  SELECT r.no FROM runs r JOIN sessions s ON s.no = r.session_no
  WHERE s.tenant_id = ? AND s.user_id = ? AND s.id = ? AND r.status IN ('queued', 'running')
  ORDER BY r.no FOR UPDATE OF r`;

/**
 * Locks the runs of a session that are not over, before the session itself is: the end of a run locks
 * in this order too, and whoever does otherwise may have to wait for each other.
 */
export async function lockActive(tx: Queryable, { tenantId, userId }: Principal, sessionId: string): Promise<void> {
  if (tx.dialect === 'postgres') await tx.all(LOCK_ACTIVE, [tenantId, userId, sessionId]);
}

/** Locks the rows that a query finds, where reading alone does not keep rivals away. */
export function forUpdate(tx: Queryable): string {
  return tx.dialect === 'postgres' ? ' FOR UPDATE' : '';
}

async function rollBack(tx: Queryable, sessions: SessionStore, row: RunRow, now: number): Promise<void> {
  const [rolled] = await tx.all<{ state_before: string | null }>(ROLL_BACK, [row.no]);
  if (!rolled) return;
  await sessions.hideRun(tx, row.session_no, row.no);
  if (rolled.state_before === null) return;
  const [next] = await tx.all<{ no: number }>(NEXT_STATE, [row.session_no, row.ordinal]);
  if (next) await tx.run('UPDATE runs SET state_before = ? WHERE no = ?', [rolled.state_before, next.no]);
  else await sessions.saveState(tx, row.session_no, JSON.parse(rolled.state_before) as JsonObject, now);
}

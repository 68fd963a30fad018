import { AppError } from '../../common/index.js';
import type { Queryable } from '../../database/index.js';
import type { AcceptOptions, Acceptance, RunRecord } from '../ports/run-store.js';
import type { RunRequest } from '../run.types.js';
import { RUN_COLUMNS, type RunRow, runRecord } from './run-row.js';

const FIND = `SELECT ${RUN_COLUMNS} FROM runs WHERE tenant_id = ? AND id = ?`;

/** Finds a run by the client's id of it, inside the caller's session. */
export const FIND_BY_KEY = `
  SELECT ${RUN_COLUMNS} FROM runs WHERE run_key = ? AND session_no =
    (SELECT s.no FROM sessions s WHERE s.tenant_id = ? AND s.user_id = ? AND s.id = ?)`;

/** How many runs of its session are queued before a run. */
export const WAITING_BEFORE = `
  SELECT COUNT(*) AS n FROM runs WHERE session_no = ? AND ordinal < ? AND status = 'queued'`;

/**
 * The run of an equal request that was accepted before, under the client's run id: that of the
 * tenant, or that of the session.
 *
 * @throws AppError RUN_ID_CONFLICT when the id was used with other content
 */
export async function findRepeated(
  tx: Queryable,
  request: RunRequest,
  options: AcceptOptions,
): Promise<Acceptance | undefined> {
  const row = await findRow(tx, request, options);
  if (!row) return undefined;
  if (row.fingerprint !== options.fingerprint) throw new AppError('RUN_ID_CONFLICT');
  const run = runRecord(row);
  return { run, input: [], created: false, queuedBefore: await queuedBefore(tx, run), canceled: [] };
}

async function queuedBefore(tx: Queryable, run: RunRecord): Promise<number> {
  if (run.state !== 'queued') return 0;
  const [row] = await tx.all<{ n: number }>(WAITING_BEFORE, [run.sessionRowId, run.ordinal]);
  return row?.n ?? 0;
}

async function findRow(tx: Queryable, request: RunRequest, { runId }: AcceptOptions): Promise<RunRow | undefined> {
  const { principal, runKey, sessionId } = request;
  if (request.runId !== undefined) return (await tx.all<RunRow>(FIND, [principal.tenantId, runId]))[0];
  if (runKey === undefined) return undefined;
  return (await tx.all<RunRow>(FIND_BY_KEY, [runKey, principal.tenantId, principal.userId, sessionId]))[0];
}

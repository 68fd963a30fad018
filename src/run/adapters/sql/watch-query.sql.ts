import type { RequestDatabase } from '../../../database/index.js';
import type { AwaitedRun, WatchedRow, WatchFindings } from '../../ports/run-store.js';

/** Runs of a session that are listed, as in `SqlRunStore.next`. */
const FOLLOWS = `
  EXISTS (SELECT 1 FROM runs r WHERE r.session_no = s.no AND r.ordinal > w.after_ordinal
    AND (r.keep <> 'transient' OR r.status IN ('queued', 'running')))`;

/** `run_count` is at least the greatest ordinal: most sessions are decided without reading their runs. */
const AWAITED = `
  SELECT 1 AS is_session, w.place AS no, 0 AS next_seq, 0 AS fence
  FROM waits w JOIN sessions s ON s.tenant_id = w.tenant_id AND s.user_id = w.user_id AND s.id = w.session_id
  WHERE s.run_count > w.after_ordinal AND ${FOLLOWS}`;

const WATCH = {
  sqlite: `
    WITH waits AS (
      SELECT CAST(key AS INTEGER) AS place, value ->> 'tenant_id' AS tenant_id, value ->> 'user_id' AS user_id,
        value ->> 'session_id' AS session_id, value ->> 'after_ordinal' AS after_ordinal
      FROM json_each(?)
    )
    ${AWAITED}
    UNION ALL
    SELECT 0, no, next_seq, fence FROM runs WHERE no IN (SELECT value FROM json_each(?))`,
  postgres: `
    WITH waits AS (
      SELECT * FROM json_to_recordset(?::json)
        AS w(place int, tenant_id varchar, user_id varchar, session_id varchar, after_ordinal int)
    )
    ${AWAITED}
    UNION ALL
    SELECT 0, no, next_seq, fence FROM runs WHERE no = ANY(ARRAY(SELECT json_array_elements_text(?::json)::int))`,
};

interface WatchRow {
  readonly is_session: number;
  readonly no: number;
  readonly next_seq: number;
  readonly fence: number;
}

/** As `RunStore.watch`. */
export async function watch(
  database: RequestDatabase,
  runRowIds: readonly number[],
  waits: readonly AwaitedRun[],
  withinMs: number,
): Promise<WatchFindings> {
  const sessions = waits.map(({ tenantId, userId, sessionId, afterOrdinal }, place) => {
    return { place, tenant_id: tenantId, user_id: userId, session_id: sessionId, after_ordinal: afterOrdinal };
  });
  const values = [JSON.stringify(sessions), JSON.stringify(runRowIds)];
  const sql = WATCH[database.dialect];
  // One that may wait is read with the next sweep; the others are on the connections for requests.
  const rows = await (withinMs > 0
    ? database.looks.soon<WatchRow>(sql, values, withinMs)
    : database.read.all<WatchRow>(sql, values));
  const runs = new Map<number, WatchedRow>();
  const arrived: AwaitedRun[] = [];
  for (const { is_session, no, next_seq, fence } of rows) {
    const wait = waits[no];
    if (is_session === 0) runs.set(no, { nextSeq: next_seq, fence });
    else if (wait) arrived.push(wait);
  }
  return { runs, arrived };
}

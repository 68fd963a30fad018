import { Injectable } from '@nestjs/common';
import { RequestDatabase, tenantCondition } from '../../../database/index.js';
import { LogPruning, type PrunedCounts, type PruneQuery } from '../../ports/log-pruning.js';

/** `{dropped_later}`: runs whose rows stay until their partition is dropped; their last events are copied. */
const PRUNE = `
  WITH due AS (
    SELECT no, next_seq FROM runs
    WHERE events_pruned_at IS NULL AND finished_at < ? AND compacted_at > 0 AND digests IS NOT NULL
      AND keep <> 'transient' AND {tenants}
    ORDER BY finished_at LIMIT ? FOR UPDATE SKIP LOCKED
  ), steps AS (
    DELETE FROM run_steps s USING due WHERE s.run_no = due.no
  ), results AS (
    INSERT INTO run_results (run_no, seq, body, created_at)
    SELECT c.run_no, c.first_seq, c.body, c.created_at
    FROM due JOIN run_event_chunks c ON c.run_no = due.no AND c.first_seq = due.next_seq - 1
    WHERE {dropped_later} ON CONFLICT DO NOTHING
  ), chunks AS (
    DELETE FROM run_event_chunks c USING due
    WHERE c.run_no = due.no AND c.first_seq < due.next_seq - 1 AND NOT {dropped_later}
  ), marked AS (
    UPDATE runs r SET events_pruned_at = ? FROM due WHERE r.no = due.no RETURNING due.next_seq - 1 AS removed
  )
  SELECT COUNT(*) AS runs, COALESCE(SUM(removed), 0) AS events FROM marked`;

/** Prunes compacted runs. Only PostgreSQL has any. */
@Injectable()
export class SqlLogPruning extends LogPruning {
  constructor(private readonly database: RequestDatabase) {
    super();
  }

  async prune({ finishedBefore, tenants, limit, now, droppedLater }: PruneQuery): Promise<PrunedCounts> {
    if (this.database.dialect !== 'postgres') return { runs: 0, events: 0 };
    const ranges = droppedLater.map(({ from, to }) => `due.no >= ${from} AND due.no < ${to}`).join(' OR ') || 'FALSE';
    const { sql: ofTenants, values } = tenantCondition(this.database.dialect, tenants);
    const sql = PRUNE.replaceAll('{dropped_later}', `(${ranges})`).replace('{tenants}', ofTenants);
    const [counts] = await this.database.write((tx) =>
      tx.all<PrunedCounts>(sql, [finishedBefore, ...values, limit, now]),
    );
    return counts ?? { runs: 0, events: 0 };
  }
}

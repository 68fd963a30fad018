import type { TenantSelection } from '../../common/index.js';
import type { RunRange } from './log-partitions.js';

/** What was pruned: runs, and the events that were removed. */
export interface PrunedCounts {
  readonly runs: number;
  readonly events: number;
}

/** Which compacted runs to prune. Times are milliseconds since the epoch. */
export interface PruneQuery {
  readonly finishedBefore: number;
  readonly tenants: TenantSelection;
  /** Runs at most. */
  readonly limit: number;
  readonly now: number;
  /** Partitions that will be dropped: their runs are only marked as pruned, the rows of events stay until then. */
  readonly droppedLater: readonly RunRange[];
}

/** Prunes many compacted runs at once. */
export abstract class LogPruning {
  /**
   * Removes the events of compacted runs, all but the terminal ones, and the journals, in one statement. Transient runs,
   * and runs without stored summaries, are left out, and so are those that another process handles.
   */
  abstract prune(query: PruneQuery): Promise<PrunedCounts>;
}

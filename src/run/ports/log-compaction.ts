import type { JsonObject } from '../../common/index.js';
import type { RunRecord } from '../run-record.js';
import type { RunRange } from './log-partitions.js';

/** What was removed. */
export interface RetentionCounts {
  readonly runs: number;
  readonly events: number;
}

/** Which events of compacted runs to remove. Times are milliseconds since the epoch. */
export interface PruneQuery {
  readonly finishedBefore: number;
  /** Runs at most. */
  readonly limit: number;
  readonly now: number;
  /** Partitions that will be dropped: only the runs are marked, their rows stay until then. */
  readonly whole: readonly RunRange[];
}

/** Rewrites the logs of runs that have ended, so that they take less room and are removed faster. */
export abstract class LogCompaction {
  /** Whether the database gains by it. */
  abstract readonly isUseful: boolean;

  /** Up to `limit` runs that ended before a time and whose logs are neither compacted nor removed, oldest first. */
  abstract pending(finishedBefore: number, limit: number): Promise<readonly RunRecord[]>;

  /**
   * Rewrites the log of a run, in one transaction: the same events with the same numbers and times, in fewer rows.
   * Readers in the middle of the log continue. It also stores the summaries of the events.
   *
   * @returns false, and changes nothing, when another process compacts or removes the log
   */
  abstract compact(run: RunRecord, summaries: JsonObject | null, now: number): Promise<boolean>;

  /**
   * Removes the events of compacted runs, all but the terminal ones, and the journals, in one statement. Transient runs,
   * and runs without stored summaries, are left out, and so are those that another process handles.
   */
  abstract prune(query: PruneQuery): Promise<RetentionCounts>;
}

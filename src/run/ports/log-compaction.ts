import type { JsonObject } from '../../common/index.js';
import type { RunRecord } from '../run-record.js';

/** Rewrites the logs of runs that have ended, so that they take less room and are pruned faster. */
export abstract class LogCompaction {
  /** Whether the database gains by it. */
  abstract readonly isUseful: boolean;

  /** Up to `limit` runs that ended before a time and whose logs are neither compacted nor pruned, oldest first. */
  abstract pending(finishedBefore: number, limit: number): Promise<readonly RunRecord[]>;

  /**
   * Rewrites the log of a run, in one transaction: the same events with the same numbers and times, in fewer rows.
   * Readers in the middle of the log continue. It also stores the summaries of the events.
   *
   * @returns false, and changes nothing, when another process compacts or prunes the log
   */
  abstract compact(run: RunRecord, summaries: JsonObject | null, now: number): Promise<boolean>;
}

import type { JsonObject } from '../../common/index.js';
import type { AfterRemoval } from '../../session/index.js';
import type { RunRecord } from './run-store.js';

/** What was removed by one pass of the retention. */
export interface Pruning {
  readonly runs: number;
  readonly events: number;
}

/** A run whose events shall go, and what is kept of them. */
export interface PrunedRun {
  readonly run: RunRecord;
  readonly summaries: JsonObject | null;
}

/** Removes what is no longer wanted, whole or in part. */
export abstract class RunRemover {
  /**
   * Removes a run that is over: its log, its journal, its messages in the session.
   *
   * @returns what to do after the commit; undefined when the run is not over, and nothing was removed
   */
  abstract removeRun(run: RunRecord): Promise<readonly AfterRemoval[] | undefined>;

  /**
   * Removes a session with its messages and its runs.
   *
   * @returns what to do after the commit; undefined when a run is not over, and nothing was removed
   */
  abstract removeSession(sessionRowId: number): Promise<readonly AfterRemoval[] | undefined>;

  /**
   * Up to `limit` runs that ended before a time and have their events.
   *
   * @param finishedBefore milliseconds since the epoch
   */
  abstract prunable(finishedBefore: number, limit: number): Promise<readonly RunRecord[]>;

  /**
   * Removes the events of runs, all but the terminal one, and their journals. Transient runs are removed
   * whole. What another process has done or is doing is left to it.
   */
  abstract prune(runs: readonly PrunedRun[], now: number): Promise<Pruning>;
}

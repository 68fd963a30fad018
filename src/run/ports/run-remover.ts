import type { AfterRemoval } from '../../session/index.js';
import type { RunRecord } from './run-store.js';

/** What was removed by one pass of the retention. */
export interface Pruning {
  readonly runs: number;
  readonly events: number;
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
  abstract removeSession(sessionNo: number): Promise<readonly AfterRemoval[] | undefined>;

  /**
   * Removes the events, all but the terminal one, and the journals of up to `limit` runs that ended
   * before a time. Transient runs are removed whole.
   *
   * @param finishedBefore milliseconds since the epoch
   */
  abstract prune(finishedBefore: number, now: number, limit: number): Promise<Pruning>;
}

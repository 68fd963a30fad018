import type { RunRecord } from '../run-record.js';

/**
 * The end of a lease that lasts as long as its owner's row among the workers: the end of the year 9999. Servers of
 * earlier versions, which know no workers, never take such a run over.
 */
export const HELD = 253_402_300_799_999;

/** A process's hold on the runs it executes. */
export interface Lease {
  /** The id of a worker. */
  readonly owner: string;
  /** What is written into the runs: `HELD`. */
  readonly until: number;
}

/** A run that an owner holds. */
export interface OwnedRun {
  readonly rowId: number;
  readonly fence: number;
  /** Whether its cancel was requested. */
  readonly isCanceled: boolean;
}

/** Which process executes which run. Times are those of the database's clock. */
export abstract class RunLeases {
  /**
   * Claims up to `limit` runs: running ones whose lease has ended, then the first queued ones of their sessions. Each
   * gets a new fence and one attempt more.
   *
   * @param perTenant how many runs of one tenant the owner may have; tenants with fewer runs come first then. Absent:
   *   no limit, in the order they were accepted
   */
  abstract claim(lease: Lease, limit: number, perTenant?: number): Promise<readonly RunRecord[]>;

  /** Puts a run back into the queue without counting the attempt. */
  abstract release(runRowId: number, fence: number): Promise<void>;

  /** Ends the lease of a run that its owner no longer executes: the attempt counts, and anyone may claim the run. */
  abstract giveUp(runRowId: number, fence: number): Promise<void>;

  /** The running runs of an owner. */
  abstract owned(owner: string): Promise<readonly OwnedRun[]>;

  /** Whether a session has runs that have not ended. */
  abstract hasActive(sessionRowId: number): Promise<boolean>;
}

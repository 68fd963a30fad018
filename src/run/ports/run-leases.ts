import type { RunRecord } from '../run-record.js';
import type { Ticket } from './run-tickets.js';
import type { HostProcess } from './worker-registry.js';

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

/** An owner of running runs that may be lost. */
export interface Suspect extends HostProcess {
  readonly id: string;
  /** Whether it was not heard of for too long, or has no row. */
  readonly isLost: boolean;
  /** Whether it executes runs, and takes new ones. */
  readonly isOpen?: boolean;
  /** Milliseconds until its lease ends, unless it is renewed. */
  readonly leftMs?: number;
}

/** What a sweep finds. */
export interface SweepFindings {
  /** The running runs of the owner. */
  readonly owned: readonly OwnedRun[];
  /**
   * All workers, and owners of running runs without a row. Owners of previous versions, which have no rows, are left
   * out: their runs are lost when the leases in the runs end.
   */
  readonly suspects: readonly Suspect[];
  /** Whether `claim` would find a queued run. */
  readonly isQueued: boolean;
  /** Whether `claim` would find a running run whose lease has ended. */
  readonly isLost: boolean;
}

/** Which process executes which run. Times are those of the database's clock. */
export abstract class RunLeases {
  /**
   * Claims up to `limit` runs: running ones whose lease has ended, then the first queued ones of their sessions. Those
   * that have waited for 30 s come first, then those with the smallest place, so that tenants take turns. Each gets a
   * new fence and one attempt more.
   *
   * @param perTenant how many runs of one tenant the owner may have. Absent: no limit
   */
  abstract claim(lease: Lease, limit: number, perTenant?: number): Promise<readonly RunRecord[]>;

  /** Claims those of some runs that are queued and the first of their sessions. Each gets as with `claim`. */
  abstract claimQueued(lease: Lease, rowIds: readonly number[]): Promise<readonly RunRecord[]>;

  /** Puts a run back into the queue without counting the attempt. */
  abstract release(runRowId: number, fence: number): Promise<void>;

  /** Ends the lease of a run that its owner no longer executes: the attempt counts, and anyone may claim the run. */
  abstract giveUp(runRowId: number, fence: number): Promise<void>;

  /** What there is to do for an owner, in one query. */
  abstract sweep(owner: string): Promise<SweepFindings>;

  /** The ticket of the run of a session that can be claimed next; undefined if there is none. */
  abstract nextOf(sessionRowId: number): Promise<Ticket | undefined>;

  /** Urgent tickets of up to `limit` runs that can be claimed and have waited for 30 s. */
  abstract longWaiting(limit: number): Promise<readonly Ticket[]>;
}

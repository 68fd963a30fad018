import type { RunRecord } from '../run-record.js';

/** A process's hold on the runs it executes. */
export interface Lease {
  readonly owner: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** Which process executes which run. */
export abstract class RunLeases {
  /**
   * Claims up to `limit` runs: the first queued ones of their sessions, and running ones whose lease has
   * ended. Each gets a new fence and one attempt more.
   */
  abstract claim(lease: Lease, now: number, limit: number): Promise<readonly RunRecord[]>;

  /**
   * Extends an owner's leases of the given runs and returns the row ids of those it still has. Of several runs,
   * those that are being written at this moment are left out: two processes that each hold some runs and wait
   * for others would wait forever. A single run is waited for.
   */
  abstract renew(lease: Lease, runRowIds: readonly number[]): Promise<readonly number[]>;

  /** Puts a run back into the queue without counting the attempt. */
  abstract release(runRowId: number, fence: number, now: number): Promise<void>;

  /** Ends all leases of an owner that no longer runs. */
  abstract expire(owner: string, now: number): Promise<void>;

  /** All owners of running runs. */
  abstract owners(): Promise<readonly string[]>;

  /** The row ids of an owner's runs whose cancel was requested. */
  abstract cancelRequested(owner: string): Promise<readonly number[]>;

  /** Whether a session has runs that have not ended. */
  abstract hasActive(sessionRowId: number): Promise<boolean>;
}

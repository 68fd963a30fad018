import type { FingerprintsByName } from '../../config/index.js';

/** A process as its host knows it. */
export interface HostProcess {
  /** The host since its last start, and the process namespace on it; null if the system does not say. */
  readonly hostId: string | null;
  readonly pid: number;
  /** When the process started, as its host counts; null if the system does not say. */
  readonly processStart: string | null;
}

/** A process that executes runs. */
export interface Worker extends HostProcess {
  /** A UUID of this registration: the owner in the leases of its runs. */
  readonly id: string;
  /** For people; several workers may have the same. */
  readonly name: string;
  /** What the process does: `all`, `web` or `worker`. */
  readonly role: string;
  /** The version of the server. */
  readonly version: string;
  /** The newest migration that the server knows. */
  readonly schemaVersion: string;
  readonly fingerprints: FingerprintsByName;
}

/** What a worker reports with each heartbeat. */
export interface WorkerLoad {
  /** How many runs it executes at most. */
  readonly slots: number;
  /** How many runs it executes. */
  readonly busy: number;
  /** Whether it shuts down. */
  readonly draining: boolean;
}

/**
 * The processes that execute runs. Each renews its own row; its runs are held as long as the row is. All times are
 * those of the database's clock.
 */
export abstract class WorkerRegistry {
  /**
   * Adds a worker. Of several that start at once, each sees those before it.
   *
   * @param admit called with the other workers that are alive; what it throws refuses the worker
   * @throws what `admit` throws
   */
  abstract register(
    worker: Worker,
    load: WorkerLoad,
    leaseMs: number,
    admit: (others: readonly Worker[]) => void,
  ): Promise<void>;

  /** Extends the lease of a worker. Returns false if it has no row: it counts as lost, and its runs with it. */
  abstract heartbeat(id: string, load: WorkerLoad, leaseMs: number): Promise<boolean>;

  /**
   * Removes a worker and ends the leases of its runs, in one transaction. The time of their attempts ends with the
   * worker's lease at the latest.
   *
   * @param when `lost`: only if its lease has ended or it has no row; `always`: it is known to have ended
   */
  abstract remove(id: string, when: 'lost' | 'always'): Promise<void>;
}

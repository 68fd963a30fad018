import type { Message } from '../../events/index.js';
import type { Lease, RunRecord } from './run-store.js';

/**
 * Brings accepted runs to execution: claims them, keeps their leases, finds those of lost workers.
 * The ledger is the truth; wake-ups and cancel signals are hints that may be lost.
 */
export abstract class Dispatcher {
  /** False while the process shuts down: nothing new is accepted. */
  abstract readonly accepting: boolean;

  /** A lease for a run that is about to be accepted, or undefined when this process has enough to do. */
  abstract reserve(): Lease | undefined;

  /** Gives a reservation back that was not used. */
  abstract unreserve(): void;

  /** Executes a run that was accepted under a reserved lease. */
  abstract start(run: RunRecord, input: readonly Message[]): void;

  /** Says that there may be something to claim. */
  abstract wake(): void;

  /** Says that a run's cancel was requested. */
  abstract cancel(runRowId: number): void;
}

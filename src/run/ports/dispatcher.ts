import type { Message } from '../../events/index.js';
import type { RunRecord } from '../run-record.js';
import type { Lease } from './run-leases.js';

/**
 * Executes accepted runs: claims them, renews their leases, finds those of lost processes. The ledger
 * is authoritative; wake-ups and cancel signals are hints that may be lost.
 */
export abstract class Dispatcher {
  /** False while the process shuts down: no run is accepted. */
  abstract readonly accepting: boolean;

  /** A lease for a run that is about to be accepted; undefined when this process executes as many as it may. */
  abstract reserve(): Lease | undefined;

  /** Returns a reservation that was not used. */
  abstract unreserve(): void;

  /** Executes a run that was accepted under a reserved lease. */
  abstract start(run: RunRecord, input: readonly Message[]): void;

  /** Signals that there may be a run to claim. */
  abstract wake(): void;

  /** Signals that the cancel of a run was requested. */
  abstract cancel(runRowId: number): void;
}

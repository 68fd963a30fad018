import type { LoggedEvent, Message } from '../../events/index.js';
import type { RunRecord } from '../run-record.js';
import type { Lease } from './run-leases.js';

/** A run that starts in the process that has accepted it, with what another process would have to read. */
export interface StartedRun {
  readonly run: RunRecord;
  /** The messages that it was accepted with. */
  readonly input: readonly Message[];
  /** The events that were committed with it. */
  readonly events: readonly LoggedEvent[];
}

/**
 * Executes accepted runs: claims them, renews their leases, finds those of lost processes. The ledger
 * is authoritative; wake-ups and cancel signals are hints that may be lost.
 */
export abstract class Dispatcher {
  /** False while the process shuts down: no run is accepted. */
  abstract readonly accepting: boolean;

  /** A lease for a run that is about to be accepted; undefined when this process executes as many as it may. */
  abstract reserve(tenantId: string): Lease | undefined;

  /** Returns a reservation that was not used. */
  abstract unreserve(tenantId: string): void;

  /** Executes a run that was accepted under a reserved lease. */
  abstract start(started: StartedRun): void;

  /** Signals that a run of a session may be claimable. */
  abstract wake(sessionRowId: number): void;

  /** Signals that the cancel of a run was requested. Returns whether this process executes the run. */
  abstract cancel(runRowId: number): boolean;

  /** Signals that the ledger may ask for something, such as a cancel of a run that this process executes. */
  abstract check(): void;
}

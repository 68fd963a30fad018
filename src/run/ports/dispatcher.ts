import type { LoggedEvent } from '../../events/index.js';
import type { StoredMessages } from '../../agent/session/index.js';
import type { UserPreferences } from '../../user-settings/index.js';
import type { RunRecord } from '../run-record.js';
import type { Lease } from './run-leases.js';

/** A run that starts in the process that has accepted it, with what another process would have to read. */
export interface StartedRun {
  readonly run: RunRecord;
  /** The messages that it was accepted with. */
  readonly input: StoredMessages;
  /** The events that were committed with it. */
  readonly events: readonly LoggedEvent[];
  /** The preferences of its user. */
  readonly preferences: UserPreferences;
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

  /**
   * Signals that a run was inserted under a reserved lease, and that its commit failed, so that nobody knows whether it is
   * stored. If it is, it is put back into the queue as soon as that is seen.
   */
  abstract doubt(runRowId: number): void;

  /** Executes a run that was committed under a reserved lease. */
  abstract start(started: StartedRun): void;

  /**
   * Announces to the other processes that this one stops. Returns whether others execute runs, so that those of this one
   * can be handed over.
   *
   * @throws the driver's error
   */
  abstract leave(): Promise<boolean>;

  /** Whether other processes execute runs, so that those of this one can be handed over. @throws the driver's error */
  abstract hasPeers(): Promise<boolean>;

  /**
   * Starts no more runs here: accepted ones are queued. Hands each running run over when it has finished the step it is
   * in, or after DRAIN_RUN_MS. Resolves when none is left.
   */
  abstract drain(): Promise<void>;

  /** Signals that a run of a session may be claimable. */
  abstract wake(sessionRowId: number): void;

  /** Signals that the cancel of a run was requested. Returns whether this process executes the run. */
  abstract cancel(runRowId: number): boolean;

  /** Signals that the ledger may ask for something, such as a cancel of a run that this process executes. */
  abstract check(): void;
}

import type { Reach } from '../../common/index.js';
import type { Transaction } from '../../database/index.js';
import type { AfterRemoval, RemovedRun, RemovedSession, SessionCleaner } from '../../agent/session/index.js';
import type { RunRecord } from '../run-record.js';
import type { RunListing } from '../run.types.js';

/** A run in the list of its wire. */
export interface ListedRun extends RunListing {
  readonly runId: string;
  /** The owner of the run. */
  readonly userId: string;
}

/** Which runs of a list to read. Everything that is given must hold. */
export interface RunListingQuery {
  readonly wire: string;
  readonly limit: number;
  /** In the order in which the runs were accepted, or in the reverse one. */
  readonly order: 'asc' | 'desc';
  /** The id of the last run of the page before. */
  readonly after?: string | undefined;
  readonly model?: string | undefined;
  /** Each of these members with its value. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/**
 * The runs that wires keep a list of because their clients asked for it (`RunRequest.listing`). A run joins the list when
 * it is accepted, is shown once it has ended with an answer, and leaves the list when it is removed.
 */
export abstract class RunListings implements SessionCleaner {
  /** Adds a run, in the transaction that accepts it. */
  abstract insert(tx: Transaction, run: RunRecord, listing: RunListing): Promise<void>;

  /** A page of a list. @throws AppError INVALID_PARAMETER if the list has no run with the id `after` */
  abstract list(reach: Reach, query: RunListingQuery): Promise<readonly ListedRun[]>;

  /** One run of a list; undefined if the list does not show it. */
  abstract find(reach: Reach, wire: string, runId: string): Promise<ListedRun | undefined>;

  /** Replaces the metadata of a run. Returns false if the list does not show it. */
  abstract saveMetadata(reach: Reach, wire: string, runId: string, metadata: RunListing['metadata']): Promise<boolean>;

  abstract cleanSession(tx: Transaction, session: RemovedSession): Promise<AfterRemoval | undefined>;

  abstract cleanRun(tx: Transaction, run: RemovedRun): Promise<AfterRemoval | undefined>;
}

import type { Principal } from '../../common/index.js';
import type { Transaction } from '../../database/index.js';
import type { EraseReceipt, EraseTurn } from '../erase-job.js';
import type { ErasedCounts } from '../user-cleaners.js';

/** An erasure that is asked for. */
export interface NewEraseJob {
  readonly id: string;
  readonly user: Principal;
  /** The keyed hash of the user. */
  readonly subject: string;
  readonly requestedAt: number;
}

/** Erasures of users and their receipts. */
export abstract class EraseJobs {
  /** Adds an erasure, which is due at once, unless one of the user is not over. Returns the id of the one that is there then. */
  abstract add(tx: Transaction, job: NewEraseJob): Promise<{ readonly jobId: string; readonly isNew: boolean }>;

  /** Refuses what is done with a user while an erasure of it is not over (`refuseErased`). @throws AppError SESSION_BUSY */
  abstract refuse(tx: Transaction, user: Principal): Promise<void>;

  /** The newest erasure of a user. @param subjects the hashes of the user under all keys */
  abstract find(tenantId: string, subjects: readonly string[]): Promise<EraseReceipt | undefined>;

  /** Whether an erasure is due. @param withinMs how long the answer may take, so that it needs no transaction of its own */
  abstract isAnyDue(withinMs: number): Promise<boolean>;

  /** Takes an erasure that is due, for a time; undefined if none is. */
  abstract take(holdMs: number): Promise<EraseTurn | undefined>;

  /** Keeps a turn for longer, or gives it up with 0. Returns false if it is lost. */
  abstract keep(turn: EraseTurn, holdMs: number): Promise<boolean>;

  /** Adds to the receipt. @throws an error if the turn is lost: then the transaction must fail */
  abstract note(tx: Transaction, turn: EraseTurn, counts: ErasedCounts): Promise<void>;

  /** All rows are removed: forgets who it was, and unblocks the user. @throws as `note` */
  abstract forget(tx: Transaction, turn: EraseTurn): Promise<void>;

  /** What was removed is in no file of the database when it resolves, as far as the database is ours (`Database.clearRemoved`). @throws the driver's error */
  abstract clearRemoved(): Promise<void>;

  /** The erasure is over. Returns false if the turn is lost. */
  abstract finish(turn: EraseTurn, now: number): Promise<boolean>;

  /** A moment of the database: see `isPast`. */
  abstract moment(): Promise<string>;

  /** Whether all transactions that had begun to write before a moment are over. */
  abstract isPast(moment: string): Promise<boolean>;
}

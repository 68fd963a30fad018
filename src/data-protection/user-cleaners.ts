import { Injectable } from '@nestjs/common';
import type { Principal } from '../common/index.js';
import type { Transaction } from '../database/index.js';

/** How many rows were removed, by kind: the names of the kinds are for people, such as `messages`. */
export type ErasedCounts = Readonly<Record<string, number>>;

/** A user whose data is being erased, and how that is done. */
export interface Erasure {
  readonly user: Principal;
  /** What stands for the user in what is kept. It tells nobody who it was. */
  readonly pseudonym: string;
  /** Aborts when the process ends or has lost the turn: then another one goes on. */
  readonly signal: AbortSignal;
  /**
   * A step: one transaction, with what it has removed. The counts are added to the receipt in the same transaction, so that
   * a step that is done twice counts once.
   *
   * @returns how many rows the step has removed
   * @throws what `work` throws; an error if the turn is lost
   */
  readonly write: (work: (tx: Transaction) => Promise<ErasedCounts>) => Promise<number>;
}

/** Removes what a feature stores of a user. */
export interface UserCleaner {
  /**
   * Removes everything, in steps (`Erasure.write`). It may be cut short and is repeated until nothing is left, so it must
   * do nothing and count nothing the second time. Files go before the row that names them.
   *
   * @throws anything: the erasure is tried again later
   */
  cleanUser(erasure: Erasure): Promise<void>;
}

/** The cleaners of all features. A feature registers its own in the constructor of its module. */
@Injectable()
export class UserCleaners {
  private readonly cleaners: UserCleaner[] = [];

  register(cleaner: UserCleaner): void {
    this.cleaners.push(cleaner);
  }

  /** Calls all of them, in the order of their registration. */
  async cleanUser(erasure: Erasure): Promise<void> {
    for (const cleaner of this.cleaners) {
      erasure.signal.throwIfAborted();
      await cleaner.cleanUser(erasure);
    }
  }
}

import { Injectable } from '@nestjs/common';
import type { Transaction } from '../../database/index.js';

/** A session that is being removed. */
export interface RemovedSession {
  readonly rowId: number;
  readonly tenantId: string;
  readonly userId: string;
  readonly sessionId: string;
}

/** A run that is being removed without its session. */
export interface RemovedRun {
  readonly rowId: number;
  readonly tenantId: string;
  readonly userId: string;
  readonly runId: string;
  readonly sessionRowId: number;
  readonly sessionId: string;
}

/** Work that follows the commit of a removal, such as deleting files. A failure is logged. */
export type AfterRemoval = () => Promise<void>;

/** Removes what another feature stores with sessions or runs, in the transaction that removes them. */
export interface SessionCleaner {
  /** Removes everything of the session, including that of its runs. */
  cleanSession(tx: Transaction, session: RemovedSession): Promise<AfterRemoval | undefined>;
  /** Removes what belongs to this one run. */
  cleanRun?(tx: Transaction, run: RemovedRun): Promise<AfterRemoval | undefined>;
}

/** The cleaners of all features. A feature registers its own in the constructor of its module. */
@Injectable()
export class SessionCleaners {
  private readonly cleaners: SessionCleaner[] = [];

  register(cleaner: SessionCleaner): void {
    this.cleaners.push(cleaner);
  }

  /** @returns what to do after the commit */
  async cleanSession(tx: Transaction, session: RemovedSession): Promise<readonly AfterRemoval[]> {
    const steps: (AfterRemoval | undefined)[] = [];
    for (const cleaner of this.cleaners) steps.push(await cleaner.cleanSession(tx, session));
    return steps.filter((step) => step !== undefined);
  }

  /** @returns what to do after the commit */
  async cleanRun(tx: Transaction, run: RemovedRun): Promise<readonly AfterRemoval[]> {
    const steps: (AfterRemoval | undefined)[] = [];
    for (const cleaner of this.cleaners) steps.push(await cleaner.cleanRun?.(tx, run));
    return steps.filter((step) => step !== undefined);
  }
}

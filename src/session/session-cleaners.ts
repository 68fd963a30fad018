import { Injectable } from '@nestjs/common';
import type { Queryable } from '../database/index.js';

/** A session that is being removed. */
export interface RemovedSession {
  readonly rowId: number;
  readonly tenantId: string;
  readonly userId: string;
  readonly sessionId: string;
}

/** A run that is being removed by itself. */
export interface RemovedRun {
  readonly rowId: number;
  readonly tenantId: string;
  readonly userId: string;
  readonly runId: string;
  readonly sessionRowId: number;
  readonly sessionId: string;
}

/** What is left to do once the removal is committed, such as deleting files. Its failure is logged. */
export type AfterRemoval = () => Promise<void>;

/** Removes what another feature keeps with sessions or runs, inside the transaction that removes them. */
export interface SessionCleaner {
  /** Everything of the session, that of its runs included. */
  cleanSession(tx: Queryable, session: RemovedSession): Promise<AfterRemoval | undefined>;
  /** What belongs to this one run. */
  cleanRun?(tx: Queryable, run: RemovedRun): Promise<AfterRemoval | undefined>;
}

/** The cleaners of all features. A feature registers its own in the constructor of its module. */
@Injectable()
export class SessionCleaners {
  private readonly cleaners: SessionCleaner[] = [];

  register(cleaner: SessionCleaner): void {
    this.cleaners.push(cleaner);
  }

  /** @returns what to do after the commit */
  async cleanSession(tx: Queryable, session: RemovedSession): Promise<readonly AfterRemoval[]> {
    const after: AfterRemoval[] = [];
    for (const cleaner of this.cleaners) after.push(...present(await cleaner.cleanSession(tx, session)));
    return after;
  }

  /** @returns what to do after the commit */
  async cleanRun(tx: Queryable, run: RemovedRun): Promise<readonly AfterRemoval[]> {
    const after: AfterRemoval[] = [];
    for (const cleaner of this.cleaners) after.push(...present(await cleaner.cleanRun?.(tx, run)));
    return after;
  }
}

function present(step: AfterRemoval | undefined): AfterRemoval[] {
  return step ? [step] : [];
}

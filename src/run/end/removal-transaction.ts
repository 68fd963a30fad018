import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/index.js';
import type { Transaction } from '../../database/index.js';
import { type AfterRemoval, SessionCleaners } from '../../session/index.js';
import { RunLedger } from '../run-ledger.js';
import type { RunRecord } from '../run-record.js';

/** Removes runs and sessions that have ended, with everything that other features store with them. */
@Injectable()
export class RemovalTransaction {
  constructor(
    private readonly ledger: RunLedger,
    private readonly cleaners: SessionCleaners,
    private readonly clock: Clock,
  ) {}

  /**
   * Removes a run, which the caller has locked, with its log, its interrupts and its messages in the session.
   *
   * @returns what to do after the commit; undefined when the run has not ended, and nothing was removed
   */
  async removeRun(tx: Transaction, run: RunRecord): Promise<readonly AfterRemoval[] | undefined> {
    if (run.finishedAt === null) return undefined;
    const { runs, log, sessions, interrupts } = this.ledger;
    const after = await this.cleaners.cleanRun(tx, { runId: run.id, ...run });
    await log.remove(tx, run.rowId);
    await interrupts.remove(tx, { runRowId: run.rowId }, this.clock.now());
    await sessions.removeRun(tx, run.sessionRowId, run.rowId);
    await runs.remove(tx, run.rowId);
    return after;
  }

  /**
   * Removes a session with its messages and its runs.
   *
   * @returns what to do after the commit; undefined when a run has not ended, and nothing was removed
   */
  async removeSession(tx: Transaction, sessionRowId: number): Promise<readonly AfterRemoval[] | undefined> {
    const { runs, log, sessions, interrupts } = this.ledger;
    // Locks runs before their session, as the end of a run does; then those that were accepted meanwhile.
    await runs.ofSessionForUpdate(tx, sessionRowId);
    await sessions.lock(tx, sessionRowId);
    const ofSession = await runs.ofSessionForUpdate(tx, sessionRowId);
    if (ofSession.some(({ finishedAt }) => finishedAt === null)) return undefined;
    const owner = await sessions.owner(tx, sessionRowId);
    const after = owner ? await this.cleaners.cleanSession(tx, owner) : [];
    await interrupts.remove(tx, { sessionRowId }, this.clock.now());
    for (const { rowId } of ofSession) await log.remove(tx, rowId);
    await runs.removeOfSession(tx, sessionRowId);
    await sessions.remove(tx, sessionRowId);
    return after;
  }
}

import { Injectable } from '@nestjs/common';
import { AppError, Clock, type Principal, type Reach, userReach } from '../../common/index.js';
import { Dispatcher } from '../ports/dispatcher.js';
import type { CancelOptions } from '../ports/runs.js';
import { RunLedger } from '../run-ledger.js';
import { isActive, type RunRecord } from '../run-record.js';
import { cancelRun } from './cancellation.js';
import { RunSignals } from './run-signals.js';

/** Cancels runs and what they wait for: records it, then signals the dispatcher. */
@Injectable()
export class CancelRuns {
  constructor(
    private readonly ledger: RunLedger,
    private readonly dispatcher: Dispatcher,
    private readonly clock: Clock,
    private readonly signals: RunSignals,
  ) {}

  /** Returns the run as the cancel left it. @throws AppError RUN_NOT_FOUND */
  async cancel(reach: Reach, runId: string, options: CancelOptions = {}): Promise<RunRecord> {
    const { runs, interrupts } = this.ledger;
    const now = this.clock.now();
    const [canceled, wasActive] = await this.ledger.write(async (tx) => {
      const run = await runs.findForUpdate(tx, reach, runId);
      if (!run) throw new AppError('RUN_NOT_FOUND');
      const after = await cancelRun(tx, this.ledger, run, { now, rollback: options.rollback === true });
      if (after.state === 'interrupted') await interrupts.cancelForRun(tx, after.rowId, now);
      // A run that resumes with some answers would otherwise end waiting for the others.
      else if (after.finishedAt === null && after.request.resumes) {
        await interrupts.cancelForSession(tx, after.sessionRowId, now);
      }
      return [after, isActive(run)] as const;
    });
    if (wasActive) this.signals.canceled(canceled);
    // The end of a queued run may let the next one start.
    if (canceled.state !== 'running') this.dispatcher.wake(canceled.sessionRowId);
    return canceled;
  }

  /** Cancels every run of a session that has not ended, and all its interrupts. Returns the ids of these runs. */
  async cancelSession(principal: Principal, sessionId: string): Promise<readonly string[]> {
    const { runs, sessions, interrupts } = this.ledger;
    const sessionRowId = await sessions.findRowId(principal, sessionId);
    if (sessionRowId === undefined) return [];
    const waiting = await this.ledger.write((tx) => interrupts.cancelForSession(tx, sessionRowId, this.clock.now()));
    const active = await runs.active(sessionRowId);
    for (const { id } of active) await this.cancel(userReach(principal), id);
    return [...waiting, ...active.map(({ id }) => id)];
  }
}

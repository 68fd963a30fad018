import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../audit/index.js';
import { AppError, Clock, type Origin, type Principal, type Reach, userReach } from '../../common/index.js';
import type { Transaction } from '../../database/index.js';
import { Dispatcher } from '../ports/dispatcher.js';
import type { CancelOptions } from '../ports/runs.js';
import { RunLedger } from '../run-ledger.js';
import { isActive, type RunRecord } from '../run-record.js';
import { unstartedEnd } from '../execute/run-ending.js';
import { RunSignals } from './run-signals.js';

/** Cancels runs and what they wait for: records it, then signals the dispatcher. */
@Injectable()
export class CancelRuns {
  constructor(
    private readonly ledger: RunLedger,
    private readonly dispatcher: Dispatcher,
    private readonly clock: Clock,
    private readonly signals: RunSignals,
    private readonly trail: AuditTrail,
  ) {}

  /** Returns the run as the cancel left it. @throws AppError RUN_NOT_FOUND */
  async cancel(reach: Reach, runId: string, options: CancelOptions = {}): Promise<RunRecord> {
    const { runs, interrupts, causes } = this.ledger;
    const now = this.clock.now();
    const [canceled, wasActive] = await this.ledger.write(async (tx) => {
      const run = await runs.findForUpdate(tx, reach, runId);
      if (!run) throw new AppError('RUN_NOT_FOUND');
      const after = await cancelRun(tx, this.ledger, run, { now, rollback: options.rollback === true });
      if (after.state === 'interrupted') {
        await interrupts.cancelForRun(tx, after.rowId, now);
        await runs.close(tx, after.rowId, now);
        await causes.closed(tx, after, now);
      }
      // A run that resumes with some answers would otherwise end waiting for the others.
      else if (after.finishedAt === null && after.request.resumes) {
        await interrupts.cancelForSession(tx, after.sessionRowId, now);
      }
      await this.record(tx, run, options.by, now);
      return [after, isActive(run)] as const;
    });
    if (wasActive) this.signals.canceled(canceled);
    // The end of a queued run may let the next one start.
    if (canceled.state !== 'running') this.dispatcher.wake(canceled.sessionRowId);
    return canceled;
  }

  /** Cancels every run of a session that has not ended, and all its interrupts. Returns the ids of these runs. */
  async cancelSession(principal: Principal, sessionId: string, by?: Origin): Promise<readonly string[]> {
    const { runs, sessions, interrupts } = this.ledger;
    const sessionRowId = await sessions.findRowId(principal, sessionId);
    if (sessionRowId === undefined) return [];
    const waiting = await this.ledger.write((tx) => interrupts.cancelForSession(tx, sessionRowId, this.clock.now()));
    const active = await runs.active(sessionRowId);
    for (const { id } of active) await this.cancel(userReach(principal), id, by ? { by } : {});
    return [...waiting, ...active.map(({ id }) => id)];
  }

  /** A cancel by another than the owner. Without authentication nobody knows who that is. */
  private async record(tx: Transaction, run: RunRecord, by: Origin | undefined, at: number): Promise<void> {
    const { tenantId, userId, id: runId } = run;
    if (!by || by.actor.kind === 'none' || by.userId === userId) return;
    const subject = { kind: 'run', id: runId } as const;
    await this.trail.write(tx, { tenantId, action: 'run.cancelled', by, subject, runId, at });
  }
}

/** How a run is canceled. */
export interface CancelRequest {
  readonly now: number;
  /** Also takes its messages and state out of the session. */
  readonly rollback?: boolean;
}

/**
 * Cancels all runs of a session that have not ended; those that were never started end at once.
 *
 * @returns all of them as the cancel left them
 */
export async function cancelActive(
  tx: Transaction,
  ledger: RunLedger,
  sessionRowId: number,
  request: CancelRequest,
): Promise<readonly RunRecord[]> {
  const canceled: RunRecord[] = [];
  // The newest first, so that each rollback restores what was there before the next older run.
  for (const run of await ledger.runs.activeForUpdate(tx, sessionRowId)) {
    canceled.push(await cancelRun(tx, ledger, run, request));
  }
  return canceled;
}

/** Cancels one run, which the caller has locked; one that was never started ends at once. */
export async function cancelRun(
  tx: Transaction,
  ledger: RunLedger,
  run: RunRecord,
  { now, rollback }: CancelRequest,
): Promise<RunRecord> {
  if (!isActive(run)) return run;
  await ledger.runs.requestCancel(tx, run.rowId, now);
  const ended = await endQueued(tx, ledger, run, now);
  if (rollback) await rollBack(tx, ledger, run, now);
  return ended ?? { ...run, cancelRequestedAt: run.cancelRequestedAt ?? now };
}

async function endQueued(
  tx: Transaction,
  { runs, causes }: RunLedger,
  run: RunRecord,
  now: number,
): Promise<RunRecord | undefined> {
  if (run.state !== 'queued' || run.nextSeq > 0) return undefined;
  const end = unstartedEnd(run, { kind: 'canceled' }, now);
  const ended = await runs.endUnstarted(tx, run, end, now);
  if (ended) await causes.written(tx, ended, 0, { lines: end.lines, at: now });
  return ended;
}

async function rollBack(tx: Transaction, { runs, sessions }: RunLedger, run: RunRecord, now: number): Promise<void> {
  const marked = await runs.markRolledBack(tx, run.rowId);
  if (!marked) return;
  await sessions.hideRun(tx, run.sessionRowId, run.rowId);
  const before = marked.stateBefore;
  if (before === null) return;
  // What this run replaced was, for the session, replaced by the next later run that brought a state.
  const isPassed = await runs.passStateBefore(tx, run, before);
  if (!isPassed) await sessions.saveState(tx, run, before, now);
}

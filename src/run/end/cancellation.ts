import type { Transaction } from '../../database/index.js';
import { unstartedEnd } from '../execute/run-ending.js';
import type { RunLedger } from '../run-ledger.js';
import { isActive, type RunRecord } from '../run-record.js';

/** How a run is cancelled. */
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
  { runs }: RunLedger,
  run: RunRecord,
  now: number,
): Promise<RunRecord | undefined> {
  if (run.state !== 'queued' || run.nextSeq > 0) return undefined;
  return runs.endUnstarted(tx, run, unstartedEnd(run, { kind: 'canceled' }, now), now);
}

async function rollBack(tx: Transaction, { runs, sessions }: RunLedger, run: RunRecord, now: number): Promise<void> {
  const marked = await runs.markRolledBack(tx, run.rowId);
  if (!marked) return;
  await sessions.hideRun(tx, run.sessionRowId, run.rowId);
  const before = marked.stateBefore;
  if (before === null) return;
  // What this run replaced was, for the session, replaced by the next later run that brought a state.
  const isPassed = await runs.passStateBefore(tx, run, before);
  if (!isPassed) await sessions.saveState(tx, run.sessionRowId, before, now);
}

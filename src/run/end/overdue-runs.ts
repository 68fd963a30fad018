import { Injectable } from '@nestjs/common';
import { AppError, Clock } from '../../common/index.js';
import { Dispatcher } from '../ports/dispatcher.js';
import { endingOfError, unstartedEnd, WAITED_TOO_LONG } from '../execute/run-ending.js';
import { RunLedger } from '../run-ledger.js';
import { RunSettings } from '../run.settings.js';
import { RunSignals } from './run-signals.js';

/** Runs that are ended in one transaction. */
const BATCH = 50;

/** Ends runs that have waited in the queue for too long. */
@Injectable()
export class OverdueRuns {
  constructor(
    private readonly ledger: RunLedger,
    private readonly settings: RunSettings,
    private readonly clock: Clock,
    private readonly signals: RunSignals,
    private readonly dispatcher: Dispatcher,
  ) {}

  /** Ends the overdue runs as failed, until the signal aborts. @throws the driver's error */
  async endAll(signal: AbortSignal): Promise<void> {
    for (let mayBeMore = true; mayBeMore && !signal.aborted;) mayBeMore = await this.end();
  }

  /** Ends a batch of overdue runs as failed. Returns whether there may be more. */
  async end(): Promise<boolean> {
    const { runs } = this.ledger;
    const now = this.clock.now();
    const createdBefore = now - this.settings.queueTimeoutMs;
    // Reads before it takes the write lock: usually there is none.
    if ((await runs.overdue(createdBefore, 1)).length === 0) return false;
    const ending = endingOfError(new AppError('TIMEOUT', WAITED_TOO_LONG));
    const ended = await this.ledger.write(async (tx) => {
      const overdue = await runs.overdueForUpdate(tx, createdBefore, BATCH);
      return Promise.all(
        overdue.map(async (run) => {
          const end = unstartedEnd(run, ending, now);
          const ended = await runs.endUnstarted(tx, run, end, now);
          if (ended) await this.ledger.causes.written(tx, ended, 0, { lines: end.lines, at: now });
          return ended;
        }),
      );
    });
    for (const run of ended) if (run) this.signals.endedUnstarted(run);
    // The run behind the one that has ended may be the next of its session.
    for (const sessionRowId of new Set(ended.flatMap((run) => run?.sessionRowId ?? [])))
      this.dispatcher.wake(sessionRowId);
    return ended.length === BATCH;
  }
}

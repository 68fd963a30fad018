import { Injectable, Logger } from '@nestjs/common';
import { AppError, type Principal, type Reach, userReach } from '../../common/index.js';
import type { AfterRemoval } from '../../session/index.js';
import { RunReader } from '../log/run-reader.js';
import { RunLedger } from '../run-ledger.js';
import { isForgotten, type RunRecord } from '../run-record.js';
import { RunSettings } from '../run.settings.js';
import { CancelRuns } from './cancel-runs.js';
import { RemovalTransaction } from './removal-transaction.js';

/** What a worker may need beyond the grace of a cancel to write the end of a run, in milliseconds. */
const END_MS = 10_000;
/** How often the runs of a session are cancelled again because more were accepted meanwhile. */
const ROUNDS = 5;

/** Removes runs and sessions. Runs that have not ended are cancelled first. */
@Injectable()
export class RemoveRuns {
  private readonly logger = new Logger(RemoveRuns.name);

  constructor(
    private readonly ledger: RunLedger,
    private readonly removal: RemovalTransaction,
    private readonly cancels: CancelRuns,
    private readonly reader: RunReader,
    private readonly settings: RunSettings,
  ) {}

  /** @throws AppError RUN_NOT_FOUND; SESSION_BUSY when the run does not end in time */
  async removeRun(reach: Reach, runId: string): Promise<void> {
    const { runs } = this.ledger;
    const run = await runs.find(reach, runId);
    if (!run || isForgotten(run)) throw new AppError('RUN_NOT_FOUND');
    if (run.finishedAt === null) await this.endAll([run]);
    const after = await this.ledger.write(async (tx) => {
      const locked = await runs.findForUpdate(tx, reach, runId);
      return locked ? this.removal.removeRun(tx, locked) : [];
    });
    if (!after) throw new AppError('SESSION_BUSY', 'The run did not end in time');
    await this.complete(after);
  }

  /** @throws AppError SESSION_NOT_FOUND; SESSION_BUSY when its runs do not end in time */
  async removeSession(principal: Principal, sessionId: string): Promise<void> {
    const { runs, sessions } = this.ledger;
    const sessionRowId = await sessions.findRowId(principal, sessionId);
    if (sessionRowId === undefined) throw new AppError('SESSION_NOT_FOUND');
    for (let round = 0; round < ROUNDS; round += 1) {
      await this.endAll(await runs.active(sessionRowId));
      const after = await this.ledger.write((tx) => this.removal.removeSession(tx, sessionRowId));
      if (after) return this.complete(after);
    }
    throw new AppError('SESSION_BUSY', 'The runs of this session did not end in time');
  }

  /** Cancels the runs and waits until they have ended, or for the longest time that a cancel may take. */
  private async endAll(runs: readonly RunRecord[]): Promise<void> {
    for (const run of runs) await this.cancels.cancel(userReach(run), run.id);
    const signal = AbortSignal.timeout(this.settings.cancelGraceMs + END_MS);
    for (const run of runs) {
      const rest = this.reader.tail(() => Promise.resolve(run), { after: run.nextSeq - 1, signal });
      for await (const events of rest) void events;
    }
  }

  private async complete(after: readonly AfterRemoval[]): Promise<void> {
    for (const step of after) {
      await step().catch((error: unknown) => this.logger.error(`A removal was not completed: ${String(error)}`));
    }
  }
}

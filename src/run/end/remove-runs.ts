import { Injectable, Logger } from '@nestjs/common';
import { AppError, type Principal, type Reach } from '../../common/index.js';
import type { AfterRemoval } from '../../session/index.js';
import { RunLedger } from '../run-ledger.js';
import { isForgotten } from '../run-record.js';
import { EndRuns } from './end-runs.js';
import { RemovalTransaction } from './removal-transaction.js';
import { RunSignals } from './run-signals.js';

/** How often the runs of a session are cancelled again because more were accepted meanwhile. */
const ROUNDS = 5;

/** Removes runs and sessions. Runs that have not ended are cancelled first. */
@Injectable()
export class RemoveRuns {
  private readonly logger = new Logger(RemoveRuns.name);

  constructor(
    private readonly ledger: RunLedger,
    private readonly removal: RemovalTransaction,
    private readonly ends: EndRuns,
    private readonly signals: RunSignals,
  ) {}

  /** @throws AppError RUN_NOT_FOUND; SESSION_BUSY when the run does not end in time */
  async removeRun(reach: Reach, runId: string): Promise<void> {
    const { runs } = this.ledger;
    const run = await runs.find(reach, runId);
    if (!run || isForgotten(run)) throw new AppError('RUN_NOT_FOUND');
    if (run.finishedAt === null) await this.ends.endAll([run]);
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
      await this.ends.endAll(await runs.active(sessionRowId));
      const after = await this.ledger.write((tx) => this.removal.removeSession(tx, sessionRowId));
      if (after) return this.complete(after);
    }
    throw new AppError('SESSION_BUSY', 'The runs of this session did not end in time');
  }

  /** What follows a removal that is committed. */
  private async complete(after: readonly AfterRemoval[]): Promise<void> {
    this.signals.removed();
    for (const step of after) {
      await step().catch((error: unknown) => this.logger.error(`A removal was not completed: ${String(error)}`));
    }
  }
}

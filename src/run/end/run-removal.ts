import { Injectable, Logger } from '@nestjs/common';
import { AppError, type Principal } from '../../common/index.js';
import { type AfterRemoval, SessionStore } from '../../session/index.js';
import { RunRemover } from '../ports/run-remover.js';
import { RunStore } from '../ports/run-store.js';
import { RunEndings } from './run-endings.js';
import { RunSettings } from '../run.settings.js';

/** What a worker may need beyond the grace of a cancel to write the end of a run, in milliseconds. */
const END_MS = 10_000;
/** How often the runs of a session are cancelled anew when further ones come meanwhile. */
const ROUNDS = 5;

/** Removes runs and sessions; what is not over is cancelled first. */
@Injectable()
export class RunRemoval {
  private readonly logger = new Logger(RunRemoval.name);
  private readonly patienceMs: number;

  constructor(
    private readonly store: RunStore,
    private readonly remover: RunRemover,
    private readonly sessions: SessionStore,
    private readonly ending: RunEndings,
    settings: RunSettings,
  ) {
    this.patienceMs = settings.cancelGraceMs + END_MS;
  }

  /** @throws AppError RUN_NOT_FOUND; SESSION_BUSY when the run does not end */
  async removeRun(principal: Principal, runId: string): Promise<void> {
    const run = await this.store.find(principal.tenantId, runId);
    if (!run || (run.visibility === 'transient' && run.finishedAt !== null)) throw new AppError('RUN_NOT_FOUND');
    if (run.finishedAt === null) await this.ending.end(principal, [run], this.patienceMs);
    const after = await this.remover.removeRun(run);
    if (!after) throw new AppError('SESSION_BUSY', 'The run does not end');
    await this.complete(after);
  }

  /** @throws AppError SESSION_NOT_FOUND; SESSION_BUSY when its runs do not end */
  async removeSession(principal: Principal, sessionId: string): Promise<void> {
    const sessionRowId = await this.sessions.find(principal, sessionId);
    if (sessionRowId === undefined) throw new AppError('SESSION_NOT_FOUND');
    for (let round = 0; round < ROUNDS; round += 1) {
      await this.ending.end(principal, await this.store.active(sessionRowId), this.patienceMs);
      const after = await this.remover.removeSession(sessionRowId);
      if (after) return this.complete(after);
    }
    throw new AppError('SESSION_BUSY', 'The runs of this session do not end');
  }

  private async complete(after: readonly AfterRemoval[]): Promise<void> {
    for (const step of after) {
      await step().catch((error: unknown) => this.logger.error(`A removal was not completed: ${String(error)}`));
    }
  }
}

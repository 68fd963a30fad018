import { Injectable } from '@nestjs/common';
import { AppError, Clock, type Principal } from '../../common/index.js';
import { InterruptStore } from '../../interrupt/index.js';
import { SessionStore } from '../../session/index.js';
import { Dispatcher } from '../ports/dispatcher.js';
import { type RunRecord, RunStore } from '../ports/run-store.js';
import type { CancelOptions } from '../ports/runs.js';

/** Has runs cancelled: the durable half of it, then the hint to the dispatcher. What they wait for is closed. */
@Injectable()
export class RunCancel {
  constructor(
    private readonly store: RunStore,
    private readonly dispatcher: Dispatcher,
    private readonly sessions: SessionStore,
    private readonly interrupts: InterruptStore,
    private readonly clock: Clock,
  ) {}

  /** @throws AppError RUN_NOT_FOUND */
  async cancel(principal: Principal, runId: string, options: CancelOptions = {}): Promise<void> {
    const request = { now: this.clock.now(), rollback: options.rollback === true };
    const run = await this.store.requestCancel(principal.tenantId, runId, request);
    if (!run) throw new AppError('RUN_NOT_FOUND');
    if (run.state === 'interrupted') await this.interrupts.cancelOfRun(run.rowId, this.clock.now());
    // A run that goes on with some answers would end waiting for the others.
    else if (run.finishedAt === null && run.request.resumes) {
      await this.interrupts.cancelOfSession(run.sessionRowId, this.clock.now());
    }
    this.tell(run);
  }

  /** Cancels what a session runs and waits for; returns the ids of the runs. */
  async cancelSession(principal: Principal, sessionId: string): Promise<readonly string[]> {
    const sessionRowId = await this.sessions.find(principal, sessionId);
    if (sessionRowId === undefined) return [];
    const waited = await this.interrupts.cancelOfSession(sessionRowId, this.clock.now());
    const runs = await this.store.active(sessionRowId);
    for (const { id } of runs) await this.cancel(principal, id);
    return [...waited, ...runs.map(({ id }) => id)];
  }

  private tell(run: RunRecord): void {
    if (run.state === 'running') this.dispatcher.cancel(run.rowId);
    // The end of one that waited may be the turn of the next.
    else this.dispatcher.wake();
  }
}

import { Injectable } from '@nestjs/common';
import { AppError, type Principal, RETRY_AFTER_SECONDS } from '../../common/index.js';
import { Dispatcher } from '../ports/dispatcher.js';
import { RunAnnouncements } from '../ports/run-announcements.js';
import { runView } from '../run-view.js';
import { RunSettings } from '../run.settings.js';
import type { AcceptedRun, InterruptAnswer, RunRequest } from '../run.types.js';
import { type Acceptance, AcceptTransaction } from './accept-transaction.js';
import { RunPreparation } from './run-preparation.js';

/** Accepts runs: commits them, then notifies the dispatcher and the readers that wait for the session's next run. */
@Injectable()
export class RunAcceptance {
  constructor(
    private readonly preparation: RunPreparation,
    private readonly transaction: AcceptTransaction,
    private readonly dispatcher: Dispatcher,
    private readonly announcements: RunAnnouncements,
    private readonly settings: RunSettings,
  ) {}

  /** @throws AppError SHUTTING_DOWN; those of `RunPreparation.prepare` and `AcceptTransaction.commit` */
  async accept(request: RunRequest): Promise<AcceptedRun> {
    if (!this.dispatcher.accepting)
      throw new AppError('SHUTTING_DOWN', undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    const prepared = await this.preparation.prepare(request);
    const lease = this.dispatcher.reserve();
    let started = false;
    try {
      const { queueLimit } = this.settings;
      const accepted = await this.transaction.commit(prepared, { queueLimit, ...(lease ? { lease } : {}) });
      started = this.dispatch(accepted);
      const { run, created, queuedBefore } = accepted;
      if (created) this.announcements.announce(run);
      return { run: runView(run, queuedBefore), created, createdSession: run.createdSession };
    } finally {
      if (lease && !started) this.dispatcher.unreserve();
    }
  }

  /** Accepts the run that answers make. @throws AppError as `accept` */
  async answer(
    principal: Principal,
    answers: readonly InterruptAnswer[],
    options: { readonly runKey?: string },
  ): Promise<AcceptedRun> {
    return this.accept({ ...(await this.preparation.requestFor(principal, answers)), ...options });
  }

  /** Starts the run, or signals that it waits. Returns whether it started under its reserved lease. */
  private dispatch({ run, input, created, canceled }: Acceptance): boolean {
    const starts = created && run.state === 'running';
    if (starts) this.dispatcher.start(run, input);
    for (const runRowId of canceled) this.dispatcher.cancel(runRowId);
    if (run.state === 'queued') this.dispatcher.wake();
    return starts;
  }
}

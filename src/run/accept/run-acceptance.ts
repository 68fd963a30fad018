import { Injectable } from '@nestjs/common';
import { AppError, nextTurn, type Reach, type Requester, RETRY_AFTER_SECONDS } from '../../common/index.js';
import { RunSignals } from '../end/run-signals.js';
import { type FirstEventsOf, firstEvents } from '../execute/first-events.js';
import { Dispatcher } from '../ports/dispatcher.js';
import type { AnswerOptions } from '../ports/runs.js';
import { acceptedView } from '../run-view.js';
import { type AcceptedRun, type InterruptAnswer, MANY_MESSAGES, type RunRequest } from '../run.types.js';
import { type Acceptance, type AcceptOptions, AcceptTransaction } from './accept-transaction.js';
import { type PreparedRun, RunPreparation } from './run-preparation.js';
import { StartLimits } from './start-limits.js';

/** Accepts runs: commits them, then notifies the dispatcher and the readers that wait for the session's next run. */
@Injectable()
export class RunAcceptance {
  constructor(
    private readonly preparation: RunPreparation,
    private readonly transaction: AcceptTransaction,
    private readonly dispatcher: Dispatcher,
    private readonly signals: RunSignals,
    private readonly limits: StartLimits,
  ) {}

  /** @throws AppError SHUTTING_DOWN; RATE_LIMIT_EXCEEDED; those of `RunPreparation.prepare` and `AcceptTransaction.commit` */
  async accept(request: RunRequest): Promise<AcceptedRun> {
    if (!this.dispatcher.accepting)
      throw new AppError('SHUTTING_DOWN', undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    const isLarge = request.input.length >= MANY_MESSAGES;
    if (isLarge) await nextTurn();
    const prepared = await this.preparation.prepare(request);
    if (isLarge) await nextTurn();
    const accepted = await this.limits.counted(
      request,
      () => this.transaction.isRepeated(prepared),
      (limits) => this.start(prepared, limits),
    );
    const { run, created, queuedBefore } = accepted;
    if (created) this.signals.accepted(run);
    return { run: acceptedView(run, queuedBefore), created, createdSession: run.createdSession };
  }

  /**
   * Commits a run and starts it if this process has room for it: as soon as it is committed, which may be before it is
   * on the disk and its client is told. Its events are shown after later commits, and so after it.
   */
  private async start(prepared: PreparedRun, limits: Omit<AcceptOptions, 'start'>): Promise<Acceptance> {
    const { tenantId } = prepared.request.principal;
    const lease = this.dispatcher.reserve(tenantId);
    let started = false;
    let inserted: number | undefined;
    try {
      const start = lease && {
        lease,
        events: (run: FirstEventsOf) => firstEvents(run, prepared.now),
        inserted: (rowId: number) => (inserted = rowId),
      };
      const accepted = await this.transaction.commit(prepared, { start, ...limits }, (committed) => {
        if (!committed.created || committed.run.state !== 'running') return;
        // The model is asked while the disk is written to.
        started = true;
        this.dispatcher.start(committed);
      });
      this.signal(accepted);
      return accepted;
    } catch (error) {
      if (inserted !== undefined && !started && !(error instanceof AppError)) this.dispatcher.doubt(inserted);
      throw error;
    } finally {
      if (lease && !started) this.dispatcher.unreserve(tenantId);
    }
  }

  /** Accepts the run that answers make. @throws AppError as `accept` */
  async answer(
    reach: Reach,
    requester: Requester | null,
    answers: readonly InterruptAnswer[],
    options: AnswerOptions,
  ): Promise<AcceptedRun> {
    return this.accept(Object.assign(await this.preparation.requestFor(reach, requester, answers), options));
  }

  /** Signals that a run waits, and that others were canceled for it. */
  private signal({ run, canceled }: Acceptance): void {
    for (const other of canceled) this.signals.canceled(other);
    if (run.state === 'queued') this.dispatcher.wake(run.sessionRowId);
  }
}

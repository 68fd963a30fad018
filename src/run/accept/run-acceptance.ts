import { Injectable } from '@nestjs/common';
import { AppError, nextTurn, type Reach, type Requester, RETRY_AFTER_SECONDS, FixedClock } from '../../common/index.js';
import { type AgentResponse, ResponseBuilder } from '../../events/index.js';
import { RunSignals } from '../end/run-signals.js';
import { Dispatcher } from '../ports/dispatcher.js';
import type { CountedStart } from '../ports/run-limits.js';
import type { AnswerOptions } from '../ports/runs.js';
import { runView } from '../run-view.js';
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

  /** @throws AppError SHUTTING_DOWN; RATE_LIMIT_EXCEEDED, BUDGET_EXCEEDED; those of `RunPreparation.prepare` and `AcceptTransaction.commit` */
  async accept(request: RunRequest): Promise<AcceptedRun> {
    if (!this.dispatcher.accepting)
      throw new AppError('SHUTTING_DOWN', undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    const isLarge = request.input.length >= MANY_MESSAGES;
    if (isLarge) await nextTurn();
    const prepared = await this.preparation.prepare(request);
    if (isLarge) await nextTurn();
    await this.admit(prepared);
    const { run, created, queuedBefore } = await this.startCounted(
      request,
      prepared,
      await this.countStart(request, prepared),
    );
    if (created) this.signals.accepted(run);
    return { run: runView(run, queuedBefore, true), created, createdSession: run.createdSession };
  }

  /** A repeated request is answered with its run, even if a budget has no room. @throws AppError BUDGET_EXCEEDED */
  private async admit(prepared: PreparedRun): Promise<void> {
    try {
      await this.limits.admit(prepared.request, prepared.authority);
    } catch (error) {
      const isRefused = error instanceof AppError && error.code === 'BUDGET_EXCEEDED';
      if (!isRefused || !(await this.transaction.isRepeated(prepared))) throw error;
    }
  }

  /** A repeated request starts nothing, even if there were too many starts. @throws AppError RATE_LIMIT_EXCEEDED */
  private async countStart(request: RunRequest, prepared: PreparedRun): Promise<CountedStart | undefined> {
    try {
      return await this.limits.count(request);
    } catch (error) {
      const isRefused = error instanceof AppError && error.code === 'RATE_LIMIT_EXCEEDED';
      if (isRefused && (await this.transaction.isRepeated(prepared))) return undefined;
      throw error;
    }
  }

  /** Takes the count back unless a run was started. */
  private async startCounted(
    request: RunRequest,
    prepared: PreparedRun,
    counted: CountedStart | undefined,
  ): Promise<Acceptance> {
    let hasStarted = false;
    try {
      const accepted = await this.start(prepared, this.limits.of(counted));
      hasStarted = accepted.created;
      if (hasStarted) this.limits.started(request);
      return accepted;
    } finally {
      if (!hasStarted) counted?.undo();
    }
  }

  /**
   * Commits a run and starts it if this process has room for it: as soon as it is committed, which may be before it is
   * on the disk and its client has the answer. Its events are shown after later commits, and so after it.
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
        // The model call begins while the disk is written to.
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

/** What the first events of a run say about it. */
export interface FirstEventsOf {
  /** The client's id of the run. */
  readonly id: string;
  /** The client's id of its session. */
  readonly sessionId: string;
}

/**
 * The first events of every run: its response is created and in progress. A run that starts in the process that
 * accepts it has them in its log from the beginning.
 *
 * @param at when the run begins, in milliseconds since the epoch
 */
export function firstEvents({ id, sessionId }: FirstEventsOf, at: number): readonly AgentResponse[] {
  const response = new ResponseBuilder({ responseId: id, sessionId, clock: new FixedClock(at) });
  return [response.created(), response.inProgress()];
}

import { Injectable } from '@nestjs/common';
import { type AbortLike, AppError, type Origin, type Principal, type Reach, type Requester } from '../common/index.js';
import type { AgentResponse, LoggedEvent, Message } from '../events/index.js';
import { RunAcceptance } from './accept/run-acceptance.js';
import { CancelRuns } from './end/cancel-runs.js';
import { RemoveRuns } from './end/remove-runs.js';
import { RunReader } from './log/run-reader.js';
import { RunStore } from './ports/run-store.js';
import {
  type AnswerOptions,
  type CancelOptions,
  type ListOptions,
  type ReadOptions,
  Runs,
  type TailOptions,
} from './ports/runs.js';
import { isForgotten, type RunRecord } from './run-record.js';
import { runOf, runView } from './run-view.js';
import type { AcceptedRun, InterruptAnswer, RunRequest, RunView } from './run.types.js';

/** The default of `ListOptions.limit`. */
const LISTED = 20;

/** `Runs` for the wires: the use cases, and reads that are limited to what the caller may see. */
@Injectable()
export class RunService extends Runs {
  constructor(
    private readonly acceptance: RunAcceptance,
    private readonly cancels: CancelRuns,
    private readonly removals: RemoveRuns,
    private readonly runs: RunStore,
    private readonly reader: RunReader,
  ) {
    super();
  }

  accept(request: RunRequest): Promise<AcceptedRun> {
    return this.acceptance.accept(request);
  }

  answer(
    reach: Reach,
    requester: Requester | null,
    answers: readonly InterruptAnswer[],
    options: AnswerOptions = {},
  ): Promise<AcceptedRun> {
    return this.acceptance.answer(reach, requester, answers, options);
  }

  tail(reach: Reach, runId: string, options: TailOptions = {}): AsyncIterable<readonly LoggedEvent[]> {
    const accepted = options.run && runOf(options.run);
    return this.reader.tail(async () => accepted ?? this.find(reach, runId, options), options);
  }

  async view(reach: Reach, runId: string, options: ReadOptions = {}): Promise<RunView> {
    return this.viewOf(await this.find(reach, runId, options));
  }

  async findByKey(principal: Principal, sessionId: string, runKey: string): Promise<RunView | undefined> {
    const run = await this.runs.findByKey(principal, sessionId, runKey);
    return run && !isForgotten(run) ? this.viewOf(run) : undefined;
  }

  async list(principal: Principal, sessionId: string, options: ListOptions = {}): Promise<readonly RunView[]> {
    const runs = await this.runs.list(principal, sessionId, { limit: LISTED, ...options });
    return Promise.all(runs.map((run) => this.viewOf(run)));
  }

  async next(
    principal: Principal,
    sessionId: string,
    afterOrdinal: number,
    signal: AbortLike,
  ): Promise<RunView | undefined> {
    const run = await this.reader.next(principal, sessionId, afterOrdinal, signal);
    return run && this.viewOf(run);
  }

  async response(reach: Reach, runId: string, options: ReadOptions = {}): Promise<AgentResponse> {
    return this.reader.response(await this.find(reach, runId, options));
  }

  async input(reach: Reach, runId: string): Promise<readonly Message[]> {
    return this.reader.input(await this.find(reach, runId, {}));
  }

  async cancel(reach: Reach, runId: string, options: CancelOptions = {}): Promise<RunView> {
    return this.viewOf(await this.cancels.cancel(reach, runId, options));
  }

  cancelSession(principal: Principal, sessionId: string, by?: Origin): Promise<readonly string[]> {
    return this.cancels.cancelSession(principal, sessionId, by);
  }

  remove(reach: Reach, runId: string, by?: Origin): Promise<void> {
    return this.removals.removeRun(reach, runId, by);
  }

  removeSession(principal: Principal, sessionId: string, by?: Origin): Promise<void> {
    return this.removals.removeSession(principal, sessionId, by);
  }

  private async viewOf(run: RunRecord): Promise<RunView> {
    return runView(run, run.state === 'queued' ? await this.runs.queuedBefore(run) : 0);
  }

  /** @throws AppError RUN_NOT_FOUND */
  private async find(reach: Reach, runId: string, { accepted, byKey }: ReadOptions): Promise<RunRecord> {
    const own = await this.runs.find(reach, runId);
    const run = own ?? (byKey === true ? await this.runs.findNewestByKey(reach, runId) : undefined);
    if (!run || (isForgotten(run) && accepted !== true)) throw new AppError('RUN_NOT_FOUND');
    return run;
  }
}

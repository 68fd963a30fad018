import { Injectable } from '@nestjs/common';
import { AppError, type Principal } from '../common/index.js';
import type { AgentResponse, LoggedEvent } from '../events/index.js';
import { RunAdmission } from './run-admission.js';
import { RunAnswers } from './run-answers.js';
import { RunCancel } from './run-cancel.js';
import { RunReader } from './live/run-reader.js';
import { Dispatcher } from './ports/dispatcher.js';
import type { AcceptedRun, InterruptAnswer, RunRequest, RunView } from './run.types.js';
import { Runs, type TailOptions } from './runs.js';

/** The runs of this server: `Runs` on the ledger and the dispatcher. */
@Injectable()
export class RunService extends Runs {
  constructor(
    private readonly admission: RunAdmission,
    private readonly reader: RunReader,
    private readonly answers: RunAnswers,
    private readonly cancels: RunCancel,
    private readonly dispatcher: Dispatcher,
  ) {
    super();
  }

  async accept(request: RunRequest): Promise<AcceptedRun> {
    if (!this.dispatcher.accepting) throw new AppError('SHUTTING_DOWN', undefined, { retryAfterSeconds: 5 });
    return this.admission.admit(await this.answers.complete(request));
  }

  async answer(
    principal: Principal,
    answers: readonly InterruptAnswer[],
    options: { readonly runKey?: string } = {},
  ): Promise<AcceptedRun> {
    const request = await this.answers.request(principal, answers);
    return this.accept({ ...request, ...options });
  }

  tail(principal: Principal, runId: string, options: TailOptions = {}): AsyncIterable<readonly LoggedEvent[]> {
    return this.reader.tail(principal, runId, options);
  }

  view(principal: Principal, runId: string): Promise<RunView> {
    return this.reader.view(principal, runId);
  }

  response(principal: Principal, runId: string): Promise<AgentResponse> {
    return this.reader.response(principal, runId);
  }

  async cancel(principal: Principal, runId: string): Promise<RunView> {
    await this.cancels.cancel(principal, runId);
    return this.reader.view(principal, runId);
  }

  async cancelSession(principal: Principal, sessionId: string): Promise<readonly string[]> {
    return this.cancels.cancelSession(principal, sessionId);
  }
}

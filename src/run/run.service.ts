import { Injectable } from '@nestjs/common';
import type { Principal } from '../common/index.js';
import type { AgentResponse, LoggedEvent, Message } from '../events/index.js';
import { RunAdmission } from './accept/run-admission.js';
import { RunAnswers } from './accept/run-answers.js';
import { RunEnds } from './end/run-ends.js';
import { RunReader } from './log/run-reader.js';
import { RunAnnouncements } from './ports/run-announcements.js';
import type { AcceptedRun, InterruptAnswer, RunRequest, RunView } from './run.types.js';
import { type CancelOptions, type ListOptions, type ReadOptions, Runs, type TailOptions } from './ports/runs.js';

/** The runs of this server: `Runs` on the ledger and the dispatcher. */
@Injectable()
export class RunService extends Runs {
  constructor(
    private readonly admission: RunAdmission,
    private readonly reader: RunReader,
    private readonly answers: RunAnswers,
    private readonly ends: RunEnds,
    private readonly announcements: RunAnnouncements,
  ) {
    super();
  }

  async accept(request: RunRequest): Promise<AcceptedRun> {
    this.admission.requireOpen();
    const accepted = await this.admission.admit(await this.answers.complete(request));
    const { tenantId } = request.principal;
    const { sessionId, userId } = accepted.run;
    if (accepted.created) this.announcements.announce({ tenantId, userId, sessionId });
    return accepted;
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

  view(principal: Principal, runId: string, options: ReadOptions = {}): Promise<RunView> {
    return this.reader.view(principal, runId, options);
  }

  findByKey(principal: Principal, sessionId: string, runKey: string): Promise<RunView | undefined> {
    return this.reader.findByKey(principal, sessionId, runKey);
  }

  list(principal: Principal, sessionId: string, options: ListOptions = {}): Promise<readonly RunView[]> {
    return this.reader.list(principal, sessionId, options);
  }

  next(
    principal: Principal,
    sessionId: string,
    afterOrdinal: number,
    signal: AbortSignal,
  ): Promise<RunView | undefined> {
    return this.reader.next(principal, sessionId, afterOrdinal, signal);
  }

  response(principal: Principal, runId: string, options: ReadOptions = {}): Promise<AgentResponse> {
    return this.reader.response(principal, runId, options);
  }

  input(principal: Principal, runId: string): Promise<readonly Message[]> {
    return this.reader.input(principal, runId);
  }

  async cancel(principal: Principal, runId: string, options: CancelOptions = {}): Promise<RunView> {
    await this.ends.cancel(principal, runId, options);
    return this.reader.view(principal, runId, { accepted: true });
  }

  async cancelSession(principal: Principal, sessionId: string): Promise<readonly string[]> {
    return this.ends.cancelSession(principal, sessionId);
  }

  remove(principal: Principal, runId: string): Promise<void> {
    return this.ends.removeRun(principal, runId);
  }

  removeSession(principal: Principal, sessionId: string): Promise<void> {
    return this.ends.removeSession(principal, sessionId);
  }
}

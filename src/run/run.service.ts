import { Injectable } from '@nestjs/common';
import { AgentRegistry } from '../agent/index.js';
import { AppError, type Principal } from '../common/index.js';
import type { AgentResponse, LoggedEvent } from '../events/index.js';
import { SessionStore } from '../session/index.js';
import { RunAdmission } from './run-admission.js';
import { RunReader } from './live/run-reader.js';
import { Dispatcher } from './ports/dispatcher.js';
import type { AcceptedRun, RunRequest, RunView } from './run.types.js';
import { Runs, type TailOptions } from './runs.js';

/** The runs of this server: `Runs` on the ledger and the dispatcher. */
@Injectable()
export class RunService extends Runs {
  constructor(
    private readonly agents: AgentRegistry,
    private readonly admission: RunAdmission,
    private readonly reader: RunReader,
    private readonly sessions: SessionStore,
    private readonly dispatcher: Dispatcher,
  ) {
    super();
  }

  async accept(request: RunRequest): Promise<AcceptedRun> {
    this.agents.get(request.agentType);
    if (!this.dispatcher.accepting) throw new AppError('SHUTTING_DOWN', undefined, { retryAfterSeconds: 5 });
    return this.admission.admit(request);
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
    await this.admission.cancel(principal, runId);
    return this.reader.view(principal, runId);
  }

  async cancelSession(principal: Principal, sessionId: string): Promise<readonly string[]> {
    const sessionNo = await this.sessions.find(principal, sessionId);
    if (sessionNo === undefined) return [];
    const runs = await this.reader.active(sessionNo);
    for (const run of runs) await this.admission.cancel(principal, run.id);
    return runs.map((run) => run.id);
  }
}

import { Injectable } from '@nestjs/common';
import { AppError, type Principal } from '../../common/index.js';
import { type AgentResponse, isTerminalEvent, type LoggedEvent, ResponseFold } from '../../events/index.js';
import { RunLog } from '../ports/run-log.js';
import { type RunRecord, RunStore } from '../ports/run-store.js';
import type { RunView } from '../run.types.js';
import type { TailOptions } from '../runs.js';
import { RunTail } from './run-tail.js';

const PAGE = 1024;

/** Reads runs for whoever may see them. A foreign tenant's run is an unknown one. */
@Injectable()
export class RunReader {
  constructor(
    private readonly store: RunStore,
    private readonly log: RunLog,
    private readonly tails: RunTail,
  ) {}

  tail(principal: Principal, runId: string, options: TailOptions): AsyncIterable<readonly LoggedEvent[]> {
    return this.tails.read(() => this.find(principal, runId), options);
  }

  async view(principal: Principal, runId: string): Promise<RunView> {
    const run = await this.find(principal, runId);
    return {
      runId: run.id,
      sessionId: run.sessionId,
      agentType: run.agentType,
      state: run.state,
      attempt: run.attempt,
      createdAt: run.createdAt,
      startedAt: run.startedAt,
      finishedAt: run.finishedAt,
      cancelRequestedAt: run.cancelRequestedAt,
      lastSeq: run.nextSeq - 1,
      error: run.error,
      usage: run.usage,
    };
  }

  /** The terminal event is the whole response; of a run that is not over the log is folded. */
  async response(principal: Principal, runId: string): Promise<AgentResponse> {
    const run = await this.find(principal, runId);
    if (run.nextSeq === 0) return waiting(run);
    const [last] = await this.log.read(run.no, run.nextSeq - 1, 1);
    if (last && isTerminalEvent(last.event)) return last.event;
    const fold = new ResponseFold();
    for (let next = 0; next < run.nextSeq;) {
      const events = await this.log.read(run.no, next, PAGE);
      for (const { event } of events) fold.apply(event);
      next += events.length;
    }
    return fold.response() ?? waiting(run);
  }

  /** The session's runs that are not over, oldest first. */
  active(sessionNo: number): Promise<readonly RunRecord[]> {
    return this.store.active(sessionNo);
  }

  private async find(principal: Principal, runId: string): Promise<RunRecord> {
    const run = await this.store.find(principal.tenantId, runId);
    if (!run) throw new AppError('RUN_NOT_FOUND');
    return run;
  }
}

function waiting(run: RunRecord): AgentResponse {
  return {
    object: 'response',
    status: 'queued',
    error: null,
    id: run.id,
    created_at: Math.floor(run.createdAt / 1000),
    completed_at: null,
    output: [],
    usage: null,
    session_id: run.sessionId,
  };
}

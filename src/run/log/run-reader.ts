import { Injectable } from '@nestjs/common';
import { AppError, type Principal } from '../../common/index.js';
import { type AgentResponse, type LoggedEvent, type Message, ResponseFold } from '../../events/index.js';
import { SessionStore } from '../../session/index.js';
import { RunLog } from '../ports/run-log.js';
import { type RunRecord, RunStore } from '../ports/run-store.js';
import { runView } from '../run-view.js';
import type { RunView } from '../run.types.js';
import type { ListOptions, ReadOptions, TailOptions } from '../ports/runs.js';
import { RunTail } from './run-tail.js';
import { SessionFollower } from './session-follower.js';

const PAGE = 1024;
const LISTED = 20;

/** Reads runs for whoever may see them. A foreign tenant's run is an unknown one. */
@Injectable()
export class RunReader {
  constructor(
    private readonly store: RunStore,
    private readonly log: RunLog,
    private readonly tails: RunTail,
    private readonly sessions: SessionStore,
    private readonly follower: SessionFollower,
  ) {}

  tail(principal: Principal, runId: string, options: TailOptions): AsyncIterable<readonly LoggedEvent[]> {
    return this.tails.read(() => this.find(principal, runId, options), options);
  }

  async view(principal: Principal, runId: string, options: ReadOptions): Promise<RunView> {
    return this.viewOf(await this.find(principal, runId, options));
  }

  async findByKey(principal: Principal, sessionId: string, runKey: string): Promise<RunView | undefined> {
    const run = await this.store.findByKey(principal, sessionId, runKey);
    return run && !isForgotten(run) ? this.viewOf(run) : undefined;
  }

  async list(principal: Principal, sessionId: string, options: ListOptions): Promise<readonly RunView[]> {
    const runs = await this.store.list(principal, sessionId, { limit: LISTED, ...options });
    return Promise.all(runs.map((run) => this.viewOf(run)));
  }

  async next(
    principal: Principal,
    sessionId: string,
    afterOrdinal: number,
    signal: AbortSignal,
  ): Promise<RunView | undefined> {
    const run = await this.follower.next(principal, sessionId, afterOrdinal, signal);
    return run && this.viewOf(run);
  }

  /** The terminal event is the whole response; of a run that is not over the log is folded. */
  async response(principal: Principal, runId: string, options: ReadOptions): Promise<AgentResponse> {
    const run = await this.find(principal, runId, options);
    if (run.nextSeq === 0) return waiting(run);
    const [last] = await this.log.read(run.rowId, run.nextSeq - 1, 1);
    if (last?.isTerminal) return last.event as AgentResponse;
    const fold = new ResponseFold();
    for (let next = 0; next < run.nextSeq;) {
      const events = await this.log.read(run.rowId, next, PAGE);
      if (events.length === 0) throw new Error(`the log of run ${run.id} ends at ${next}, not at ${run.nextSeq}`);
      for (const { event } of events) fold.apply(event);
      next += events.length;
    }
    return fold.response() ?? waiting(run);
  }

  async input(principal: Principal, runId: string): Promise<readonly Message[]> {
    const run = await this.find(principal, runId, {});
    return this.sessions.inputOf(run.sessionRowId, run.rowId);
  }

  /** The runs of the caller's session that are not over, oldest first. */
  async active(principal: Principal, sessionId: string): Promise<readonly RunRecord[]> {
    const sessionRowId = await this.sessions.find(principal, sessionId);
    return sessionRowId === undefined ? [] : this.store.active(sessionRowId);
  }

  private async viewOf(run: RunRecord): Promise<RunView> {
    return runView(run, run.state === 'queued' ? await this.store.waitingBefore(run) : 0);
  }

  private async find(principal: Principal, runId: string, { accepted }: ReadOptions): Promise<RunRecord> {
    const run = await this.store.find(principal.tenantId, runId);
    if (!run || (isForgotten(run) && accepted !== true)) throw new AppError('RUN_NOT_FOUND');
    return run;
  }
}

/** A transient run that is over is unknown to everybody but the request that it was accepted by. */
function isForgotten(run: RunRecord): boolean {
  return run.visibility === 'transient' && run.finishedAt !== null;
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

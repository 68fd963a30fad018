import { Injectable } from '@nestjs/common';
import { Clock, ERROR_CATALOGUE } from '../../common/index.js';
import { type AgentResponse, serializeEvent } from '../../events/index.js';
import { RunLog } from '../ports/run-log.js';
import type { RunRecord } from '../ports/run-store.js';

/** Ends runs whose log cannot be read: without what they wrote, but visibly. */
@Injectable()
export class UnreadableRuns {
  constructor(
    private readonly log: RunLog,
    private readonly clock: Clock,
  ) {}

  /** Writes a failed end, WORKER_LOST, after the last committed event. False when another process has the run. */
  async end(run: RunRecord): Promise<boolean> {
    const at = this.clock.now();
    const error = { code: 'WORKER_LOST', message: ERROR_CATALOGUE.WORKER_LOST.message };
    const last: AgentResponse = {
      object: 'response',
      status: 'failed',
      error,
      id: run.id,
      created_at: Math.floor(run.createdAt / 1000),
      completed_at: Math.floor(at / 1000),
      output: [],
      usage: null,
      session_id: run.sessionId,
    };
    const [written] = await this.log.append([
      {
        runRowId: run.rowId,
        sessionRowId: run.sessionRowId,
        runOrdinal: run.ordinal,
        fence: run.fence,
        firstSeq: run.nextSeq,
        lines: [serializeEvent(last)],
        steps: [],
        end: { state: 'failed', error, usage: null, output: [], sessionState: undefined },
        at,
      },
    ]);
    return written === true;
  }
}

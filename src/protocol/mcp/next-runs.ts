import { Injectable } from '@nestjs/common';
import { type AbortLike, type JsonObject } from '../../common/index.js';
import { withinTime } from '../../runtime/index.js';
import { Runs, type RunView } from '../../run/index.js';
import { LOOK_MS } from './call-waits.js';
import { Calls } from './calls.js';
import { callResult } from './fold/call-result.js';
import { resultMessage } from './fold/result-message.js';
import { McpSessions } from './mcp-sessions.js';
import type { CallData } from './mcp.types.js';

/** What follows a run of a call: another one, a result that no log tells, or nothing. */
export type Following = RunView | { readonly result: JsonObject } | 'ended' | 'stopped';

/** Finds the runs with which calls go on. */
@Injectable()
export class NextRuns {
  constructor(
    private readonly runs: Runs,
    private readonly calls: Calls,
    private readonly sessions: McpSessions,
  ) {}

  /** What follows a run. Waits while a form is open. */
  async after(run: RunView, data: CallData, signal: AbortLike): Promise<Following> {
    const form = await this.calls.formOf(run);
    for (;;) {
      if (signal.aborted) return 'ended';
      const call = await this.calls.of(run);
      const next = call.runs.find(({ ordinal }) => ordinal > run.ordinal);
      if (next) return next;
      const isDismissed = form !== undefined && (await this.sessions.isDismissed(form));
      if (this.calls.isOver(call) || isDismissed) {
        return { result: resultMessage(data, callResult(await this.calls.outcome(call))) };
      }
      if (!(await this.awaited(run, signal))) return signal.aborted ? 'ended' : 'stopped';
    }
  }

  /** Waits for the session's next run, or for a while. False when the server stops or the reader has left. */
  private awaited(run: RunView, gone: AbortLike): Promise<boolean> {
    return withinTime(gone, LOOK_MS, async (signal, look) => {
      const found = await this.runs.next(run, run.sessionId, run.ordinal, signal);
      return found !== undefined || look.aborted;
    });
  }
}

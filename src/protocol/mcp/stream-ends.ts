import { Injectable } from '@nestjs/common';
import { userReach } from '../../common/index.js';
import { Runs, type RunView } from '../../run/index.js';
import { CallFolds } from './call-folds.js';
import { Calls, type McpCall } from './calls.js';

/** Finds out whether a client has all messages of a call. */
@Injectable()
export class StreamEnds {
  constructor(
    private readonly runs: Runs,
    private readonly folds: CallFolds,
    private readonly calls: Calls,
  ) {}

  /** Whether a call is over, and a client that has some messages of a run has its result. @throws AppError EVENTS_EXPIRED */
  async isRead(run: RunView, call: McpCall, seen: number): Promise<boolean> {
    if (!this.calls.isOver(call) || run.runId !== call.last.runId) return false;
    const fold = this.folds.of(run, call.data);
    fold.context = await this.calls.contextOf(run);
    let count = 0;
    let hasResult = false;
    for await (const events of this.runs.tail(userReach(run), run.runId, { run, accepted: true })) {
      for (const event of events) {
        for (const { isResult } of fold.next(event)) {
          count += 1;
          hasResult ||= isResult;
        }
      }
    }
    // A call that was given up, or that nobody answered in time, has its result behind the log.
    return seen >= count + (hasResult ? 0 : 1);
  }
}

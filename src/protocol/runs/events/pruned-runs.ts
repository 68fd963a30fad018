import { Injectable } from '@nestjs/common';
import { AppError, type Principal } from '../../../common/index.js';
import type { LoggedEvent } from '../../../events/index.js';
import { Interrupts } from '../../../interrupt/index.js';
import { Runs, type RunView } from '../../../run/index.js';
import { Sessions } from '../../../session/index.js';
import { type AgUiMessage, questionsOf } from '../../ag-ui-events/index.js';
import { encodePrunedRun } from './pruned-run.encoder.js';
import { keptOf } from './run-digest.js';
import { RunPositions } from './run-positions.js';
import { RunsEncoder } from './runs.encoder.js';

/** Shows runs whose events were removed: from the response, the state and the questions that are kept. */
@Injectable()
export class PrunedRuns {
  constructor(
    private readonly runs: Runs,
    private readonly sessions: Sessions,
    private readonly interrupts: Interrupts,
    private readonly positions: RunPositions,
  ) {}

  /**
   * The frames of such a run. Their id is that of its last event when that is still known, else the place
   * before the first one: neither is followed by anything. The state is the one that the run left; where an
   * earlier version removed the events without keeping it, the thread's.
   *
   * @param history the thread before this run's output
   */
  async frames(principal: Principal, run: RunView, history: readonly AgUiMessage[]): Promise<readonly string[]> {
    const last = await this.lastEvent(principal, run);
    const state = keptOf(run)?.state ?? (await this.sessions.view(principal, run.sessionId))?.state ?? {};
    const questions = run.state === 'interrupted' ? await questionsOf(this.interrupts, principal, run) : [];
    const encoder = new RunsEncoder(run);
    const seq = this.positions.known(run) ?? 0;
    return encodePrunedRun({ run, last, history, state, questions }).map((event) => encoder.frame(event, last.at, seq));
  }

  /** Removal leaves the last event, which is the whole response. */
  private async lastEvent(principal: Principal, run: RunView): Promise<LoggedEvent> {
    for await (const [event] of this.runs.tail(principal, run.runId, { after: run.lastSeq - 1, accepted: true })) {
      if (event) return event;
    }
    throw new AppError('EVENTS_EXPIRED');
  }
}

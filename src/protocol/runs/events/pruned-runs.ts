import { Injectable } from '@nestjs/common';
import { AppError, type JsonObject, userReach } from '../../../common/index.js';
import { isTerminalEvent, LoggedEvent } from '../../../events/index.js';
import { Interrupts, type InterruptView } from '../../../agent/interrupt/index.js';
import { Runs, type RunView } from '../../../run/index.js';
import { Sessions } from '../../../agent/session/index.js';
import {
  type AgUiEvent,
  AgUiFold,
  type AgUiMessage,
  keptInterrupt,
  questionsOf,
  toAgUiMessages,
} from '../../ag-ui-events/index.js';
import { withPlainAddresses } from '../history/image-address.js';
import { clientRunId } from '../run-names.js';
import { RunsEncoder } from '../runs.encoder.js';
import { FrameCounts } from './frame-counts.js';
import { retainedOf } from './retained-summary.js';
import { RunEncodingService } from './run-encoding.service.js';

/** Shows runs whose events were removed, from what is left: the response, the state and the interrupts. */
@Injectable()
export class PrunedRuns {
  constructor(
    private readonly runs: Runs,
    private readonly sessions: Sessions,
    private readonly interrupts: Interrupts,
    private readonly counts: FrameCounts,
    private readonly encoders: RunEncodingService,
  ) {}

  /**
   * The frames of such a run. Their id is that of its last event if that is still known, otherwise the place
   * before the first one: neither is followed by anything. The state is the one that the run left; where an
   * earlier version removed the events without retaining it, the thread's.
   */
  async frames(run: RunView): Promise<readonly string[]> {
    const last = await this.lastEvent(run);
    const history = await this.encoders.historyBefore(run);
    const state = retainedOf(run)?.state ?? (await this.sessions.view(run, run.sessionId))?.state ?? {};
    const questions = run.state === 'interrupted' ? await questionsOf(this.interrupts, run) : [];
    const encoder = new RunsEncoder(run);
    const seq = this.counts.known(run) ?? 0;
    const events = encodePrunedRun({ run, last, history, state, questions });
    return events
      .map((event) => encoder.frame(event, last.at, seq))
      .map((frame, index) => (index === 0 ? encoder.firstFrame(frame) : frame));
  }

  /** Removal leaves the last event, which is the whole response. */
  private async lastEvent(run: RunView): Promise<LoggedEvent> {
    for await (const [event] of this.runs.tail(userReach(run), run.runId, { after: run.lastSeq - 1, accepted: true })) {
      if (event) return event;
    }
    throw new AppError('EVENTS_EXPIRED');
  }
}

/** What is left of a run whose events were removed. */
interface PrunedRun {
  readonly run: RunView;
  /** The terminal event: the whole response. */
  readonly last: LoggedEvent;
  /** The thread before this run's output, its input included. */
  readonly history: readonly AgUiMessage[];
  /** The state as the run left it. */
  readonly state: JsonObject;
  /** The interrupts that the run ended with. */
  readonly questions: readonly InterruptView[];
}

/**
 * A run of which only the outcome is kept, as events that a client without a past takes (contract
 * runs-api, section 5, rules 4 and 5): RUN_STARTED, the messages, the state, then how it ended.
 */
function encodePrunedRun({ run, last, history, state, questions }: PrunedRun): readonly AgUiEvent[] {
  const { sessionId: threadId, parentRunId } = run;
  const response = isTerminalEvent(last.event) ? last.event : undefined;
  const fold = new AgUiFold({
    threadId,
    runId: clientRunId(run),
    generation: 'v1',
    ...(parentRunId !== null && { parentRunId }),
  });
  if (run.state === 'interrupted') {
    // Its own events are replaced by the snapshots below; the end has to know of it.
    fold.next(new LoggedEvent(last.seq, '', keptInterrupt(run, response, questions), last.at));
  }
  const [started, ...ending] = fold.next(last);
  const own = toAgUiMessages((response?.output ?? []).map(withPlainAddresses), 'v1');
  return [
    ...(started ? [started] : []),
    { type: 'MESSAGES_SNAPSHOT', messages: [...history, ...own] },
    { type: 'STATE_SNAPSHOT', snapshot: state },
    ...ending,
  ];
}

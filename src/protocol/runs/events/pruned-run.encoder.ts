import type { JsonObject } from '../../../common/index.js';
import { isTerminalEvent, LoggedEvent } from '../../../events/index.js';
import type { InterruptView } from '../../../interrupt/index.js';
import type { RunView } from '../../../run/index.js';
import { type AgUiEvent, AgUiFold, type AgUiMessage, keptInterrupt, toAgUiMessages } from '../../ag-ui-events/index.js';
import { withPlainAddresses } from '../history/image-address.js';
import { clientRunId } from '../run-names.js';

/** What is kept of a run whose events were removed. */
export interface PrunedRun {
  readonly run: RunView;
  /** The terminal event: the whole response. */
  readonly last: LoggedEvent;
  /** The thread before this run's output, its input included. */
  readonly history: readonly AgUiMessage[];
  /** The state as the run left it. */
  readonly state: JsonObject;
  /** What the run ended with asking. */
  readonly questions: readonly InterruptView[];
}

/**
 * A run of which only the outcome is kept, as events that a client without a past takes (contract
 * runs-api, section 5, rules 4 and 5): RUN_STARTED, the messages, the state, then how it ended.
 */
export function encodePrunedRun({ run, last, history, state, questions }: PrunedRun): readonly AgUiEvent[] {
  const { sessionId: threadId, parentRunId } = run;
  const response = isTerminalEvent(last.event) ? last.event : undefined;
  const fold = new AgUiFold({
    threadId,
    runId: clientRunId(run),
    generation: 'v1',
    ...(parentRunId !== null && { parentRunId }),
  });
  if (run.state === 'interrupted') {
    // What it says itself is said by the snapshots below; the end has to know of it.
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

import type { Json, JsonObject } from '../../../common/index.js';
import {
  type AgentResponse,
  type InterruptEvent,
  isTerminalEvent,
  LoggedEvent,
  type OpenInterrupt,
} from '../../../events/index.js';
import type { InterruptView } from '../../../interrupt/index.js';
import type { RunView } from '../../../run/index.js';
import { type AgUiEvent, AgUiFold, type AgUiMessage, toAgUiMessages } from '../../ag-ui-events/index.js';
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
    fold.next(new LoggedEvent(last.seq, '', interruptOf(run, response, questions), last.at));
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

/** What a run ended with, from the questions it asked and the calls that it left to its client. */
function interruptOf(
  run: RunView,
  response: AgentResponse | undefined,
  questions: readonly InterruptView[],
): InterruptEvent {
  const [first] = questions;
  return {
    object: 'interrupt',
    id: first?.id ?? run.runId,
    reason: first?.kind ?? 'client_tool',
    message: null,
    call_ids: openClientCalls(response),
    response_schema: null,
    items: questions.map(openInterrupt),
  };
}

function openInterrupt(view: InterruptView): OpenInterrupt {
  return {
    id: view.id,
    kind: view.kind,
    call_id: view.callId,
    tool_name: view.toolName,
    arguments: view.arguments && JSON.stringify(view.arguments),
    server_label: view.serverLabel,
    reason: view.reason,
    message: view.message,
    response_schema: view.responseSchema,
    may_edit: view.mayEdit,
    expires_at: view.expiresAt,
  };
}

/** Results of client tools come with the next run: all calls of this one were open at its end. */
function openClientCalls(response: AgentResponse | undefined): readonly string[] {
  return (response?.output ?? []).flatMap((message) => {
    const [content] = message.content ?? [];
    const id: Json | undefined =
      message.type === 'function_call' && content?.type === 'data' ? content.data?.['call_id'] : undefined;
    return typeof id === 'string' ? [id] : [];
  });
}

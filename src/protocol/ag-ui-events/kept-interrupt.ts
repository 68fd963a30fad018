import type { Json, Principal } from '../../common/index.js';
import type { AgentResponse, InterruptEvent, OpenInterrupt } from '../../events/index.js';
import type { Interrupts, InterruptView } from '../../interrupt/index.js';
import type { RunView } from '../../run/index.js';

/** Questions read at once. */
const PAGE = 100;

/** What a run asked, in the order in which it asked: kept longer than its events. */
export async function questionsOf(
  interrupts: Pick<Interrupts, 'list'>,
  principal: Principal,
  run: Pick<RunView, 'runId' | 'sessionId'>,
): Promise<readonly InterruptView[]> {
  const found: InterruptView[] = [];
  for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
    const options = { sessionId: run.sessionId, limit: PAGE, ...(cursor !== undefined && { cursor }) };
    const page = await interrupts.list(principal, options);
    found.unshift(...page.items.filter(({ runId }) => runId === run.runId).reverse());
    cursor = page.nextCursor;
  }
  return found;
}

/**
 * The interrupt that a run ended with, made again for one whose events were removed: from the questions it
 * asked and the calls that it left to its client.
 */
export function keptInterrupt(
  run: Pick<RunView, 'runId'>,
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

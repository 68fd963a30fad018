import { isoTime, type Json, userReach } from '../../common/index.js';
import type { AgentResponse, InterruptEvent, OpenInterrupt, RunStatus, Usage } from '../../events/index.js';
import { type Interrupts, type InterruptView, openInterrupt } from '../../agent/interrupt/index.js';
import type { RunView } from '../../run/index.js';
import type { AgUiGeneration, AgUiInterrupt, AgUiOutcome, AgUiTokenUsage } from './ag-ui.types.js';

/** How many interrupts are read at once. */
const PAGE = 100;

/** How a run ended, for RUN_FINISHED; what a 0.0.x client would reject is left out for it. */
export function outcomeOf(
  status: RunStatus,
  interrupt: InterruptEvent | undefined,
  generation: AgUiGeneration,
): { outcome?: AgUiOutcome } {
  const isV1 = generation === 'v1';
  if (status === 'canceled') return isV1 ? { outcome: { type: 'cancelled' } } : {};
  const interrupts = interrupt ? interruptsOf(interrupt) : [];
  if (interrupts.length > 0) return { outcome: { type: 'interrupt', interrupts } };
  const pending = interrupt?.call_ids ?? [];
  return {
    outcome: { type: 'success', ...(isV1 && pending.length > 0 && { pendingToolCallIds: pending }) },
  };
}

/** The open interrupts of an interrupt event; none when the run only waits for client tools. */
export function interruptsOf(event: InterruptEvent): readonly AgUiInterrupt[] {
  const { items } = event;
  if (event.reason === 'client_tool' && items.length === 0) return [];
  if (items.length === 0) {
    const { id, message, response_schema: responseSchema } = event;
    const reason = event.reason === 'approval' ? 'tool_call' : 'input_required';
    return [{ id, reason, ...(message !== null && { message }), ...(responseSchema && { responseSchema }) }];
  }
  return items.map(interruptOf);
}

/** One question, with the JSON Schema of its answer if it has one. */
function interruptOf(item: OpenInterrupt): AgUiInterrupt {
  const schema = item.response_schema ?? (item.kind === 'approval' ? approvalSchema(item.may_edit) : null);
  const about = {
    toolName: item.tool_name,
    arguments: item.arguments,
    serverLabel: item.server_label,
    reason: item.reason,
    mayEdit: item.may_edit || null,
  };
  const metadata = Object.fromEntries(Object.entries(about).filter(([, value]) => value !== null));
  return {
    id: item.id,
    reason: item.kind === 'approval' ? 'tool_call' : 'input_required',
    ...(item.message !== null && { message: item.message }),
    ...(item.call_id !== null && { toolCallId: item.call_id }),
    ...(schema && { responseSchema: schema }),
    ...(item.expires_at !== null && { expiresAt: isoTime(item.expires_at) }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

/** What answers an approval: `{approved, reason?, editedArgs?}`. */
function approvalSchema(mayEdit: boolean) {
  return {
    type: 'object',
    properties: {
      approved: { type: 'boolean' },
      reason: { type: 'string' },
      ...(mayEdit && { editedArgs: { type: 'object' } }),
    },
    required: ['approved'],
  };
}

/** The `usage` of a terminal event; nothing when it is not known. */
export function usageOf(
  usage: Usage | null,
  model: { readonly provider?: string; readonly model?: string } = {},
): { usage?: readonly AgUiTokenUsage[] } {
  if (!usage) return {};
  const { input_tokens: inputTokens, output_tokens: outputTokens, reasoning_tokens, cached_tokens } = usage;
  return {
    usage: [
      Object.assign({}, model, {
        inputTokens,
        outputTokens,
        totalTokens: usage.total_tokens ?? inputTokens + outputTokens,
        ...(reasoning_tokens !== undefined && { reasoningTokens: reasoning_tokens }),
        ...(cached_tokens !== undefined && { cachedInputTokens: cached_tokens }),
      }),
    ],
  };
}

/** The interrupts of a run in their order, which are stored longer than its events. */
export async function questionsOf(
  interrupts: Pick<Interrupts, 'list'>,
  run: Pick<RunView, 'tenantId' | 'userId' | 'runId' | 'sessionId'>,
): Promise<readonly InterruptView[]> {
  const found: InterruptView[] = [];
  for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
    const options = { sessionId: run.sessionId, limit: PAGE, ...(cursor !== undefined && { cursor }) };
    const page = await interrupts.list(userReach(run), options);
    found.unshift(...page.items.filter(({ runId }) => runId === run.runId).reverse());
    cursor = page.nextCursor;
  }
  return found;
}

/**
 * The interrupt event that a run ended with, reconstructed after its events were removed: from the stored
 * interrupts and the calls that it left to its client.
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

/** Results of client tools come with the next run, so all calls of this one were open at its end. */
function openClientCalls(response: AgentResponse | undefined): readonly string[] {
  return (response?.output ?? []).flatMap((message) => {
    const [content] = message.content ?? [];
    const id: Json | undefined =
      message.type === 'function_call' && content?.type === 'data' ? content.data?.['call_id'] : undefined;
    return typeof id === 'string' ? [id] : [];
  });
}

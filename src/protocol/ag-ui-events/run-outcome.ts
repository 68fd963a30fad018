import type { InterruptEvent, OpenInterrupt, RunStatus, Usage } from '../../events/index.js';
import type { AgUiGeneration, AgUiInterrupt, AgUiOutcome, AgUiTokenUsage } from './ag-ui.types.js';

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

/** The questions of an interrupt; none when it only waits for client tools. */
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

function interruptOf(item: OpenInterrupt): AgUiInterrupt {
  const schema = item.response_schema ?? (item.kind === 'approval' ? approvalSchema(item.may_edit) : null);
  const metadata = {
    ...(item.tool_name !== null && { toolName: item.tool_name }),
    ...(item.arguments !== null && { arguments: item.arguments }),
    ...(item.server_label !== null && { serverLabel: item.server_label }),
    ...(item.reason !== null && { reason: item.reason }),
    ...(item.may_edit && { mayEdit: true }),
  };
  return {
    id: item.id,
    reason: item.kind === 'approval' ? 'tool_call' : 'input_required',
    ...(item.message !== null && { message: item.message }),
    ...(item.call_id !== null && { toolCallId: item.call_id }),
    ...(schema && { responseSchema: schema }),
    ...(item.expires_at !== null && { expiresAt: new Date(item.expires_at).toISOString() }),
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
      {
        ...model,
        inputTokens,
        outputTokens,
        totalTokens: usage.total_tokens ?? inputTokens + outputTokens,
        ...(reasoning_tokens !== undefined && { reasoningTokens: reasoning_tokens }),
        ...(cached_tokens !== undefined && { cachedInputTokens: cached_tokens }),
      },
    ],
  };
}

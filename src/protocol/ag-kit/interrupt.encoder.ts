import { exactObjectIn, type Json, type JsonObject, withIntegerTexts } from '../../common/index.js';
import type { InterruptEvent, OpenInterrupt } from '../../events/index.js';
import type { AgKitEvent } from './ag-kit.types.js';

/** The reason that the vendor's servers send for an interrupt. */
const REASON = 'agent requested interrupt';

/**
 * The events of a run that waits for a person (contract ag-kit, section 1.7, rules 3, 4 and 7). The
 * client keeps one interrupt at a time: of several the first is sent, the next one when it is answered.
 * A run that only waits for client tools sends none.
 *
 * @param visible whether the turn has shown anything; otherwise the client would not show the interrupt
 */
export function interruptEvents({ items }: InterruptEvent, visible: boolean): readonly AgKitEvent[] {
  const [item] = items;
  if (!item) return [];
  const reason = item.message ?? item.reason ?? REASON;
  const lead: AgKitEvent[] = visible ? [] : [{ type: 'text', content: leadOf(item) }];
  return [...lead, { type: 'interrupt', id: item.id, reason, payload: payloadOf(item, items.length - 1) }];
}

/** One sentence for a turn without visible text. */
export function leadOf({ message, tool_name: tool }: OpenInterrupt): string {
  const asked = tool === null ? 'Your answer is needed.' : `Your permission is needed for ${tool}.`;
  return message?.trim() ? message : asked;
}

function payloadOf(item: OpenInterrupt, others: number): JsonObject {
  return {
    type: item.kind,
    message: item.message,
    ...(item.reason !== null && { reason: item.reason }),
    ...(item.call_id !== null && { toolCallId: item.call_id }),
    ...(item.tool_name !== null && { toolName: item.tool_name }),
    ...(item.arguments !== null && { arguments: parsed(item.arguments) }),
    ...(item.server_label !== null && { serverLabel: item.server_label }),
    ...(item.kind === 'approval' && { mayEdit: item.may_edit }),
    ...(item.response_schema && { responseSchema: item.response_schema }),
    ...(item.expires_at !== null && { expiresAt: item.expires_at }),
    ...(others > 0 && { others }),
  };
}

/** The arguments as an object, in which integers beyond 2^53 are text; the text of the model if it is not an object. */
function parsed(text: string): Json {
  const value = exactObjectIn(text);
  return value ? withIntegerTexts(value) : text;
}

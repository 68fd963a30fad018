import type { OpenInterrupt } from '../../events/index.js';
import type { InterruptView } from './interrupt.types.js';

/** The stored view of a question in the shape that the log uses. */
export function openInterrupt(view: InterruptView): OpenInterrupt {
  return {
    id: view.id,
    kind: view.kind,
    call_id: view.callId,
    tool_name: view.toolName,
    arguments: view.modelArguments,
    server_label: view.serverLabel,
    reason: view.reason,
    message: view.message,
    response_schema: view.responseSchema,
    may_edit: view.mayEdit,
    expires_at: view.expiresAt,
  };
}

import type { OpenInterrupt } from '../../events/index.js';
import type { AskedInterrupt } from '../../interrupt/index.js';
import { type RequiredApproval, serverLabelOf } from '../../tools/index.js';
import type { AgentContext } from '../agent.js';

/**
 * Asks a person for permissions: one `mcp_approval_request` message for each call (contract agent-api,
 * section d), which the interrupt that ends the run names again.
 */
export function askPermissions(
  context: AgentContext,
  needed: readonly RequiredApproval[],
  now: number,
): readonly AskedInterrupt[] {
  return needed.map((one) => {
    const message = context.response.createMessageBuilder('assistant', 'mcp_approval_request');
    const item = itemOf(one, message.id.replace(/^msg_/, 'apr_'), now);
    writeRequest(message, item);
    return { item, key: null };
  });
}

/** Shows again what is still open; the questions keep their ids. */
export function askAgain(context: AgentContext, open: readonly OpenInterrupt[]): readonly AskedInterrupt[] {
  return open.map((item) => {
    writeRequest(context.response.createMessageBuilder('assistant', 'mcp_approval_request'), item);
    return { item, key: null };
  });
}

function itemOf(
  { call, tool, reason, expiresInMs, mayEdit }: RequiredApproval,
  id: string,
  now: number,
): OpenInterrupt {
  return {
    id,
    kind: 'approval',
    call_id: call.callId,
    tool_name: call.name,
    arguments: call.arguments.trim() === '' ? '{}' : call.arguments,
    server_label: serverLabelOf(tool),
    reason,
    message: `The agent wants to call ${call.name}. Is that allowed?`,
    response_schema: null,
    may_edit: mayEdit,
    expires_at: now + expiresInMs,
  };
}

function writeRequest(
  message: ReturnType<AgentContext['response']['createMessageBuilder']>,
  { id, tool_name: name, arguments: text, server_label: label, call_id: callId }: OpenInterrupt,
): void {
  message.created();
  message.inProgress();
  const data = { id, name: name ?? '', arguments: text ?? '{}', server_label: label ?? 'local' };
  message.createContentBuilder('data').addDataDelta(data);
  message.complete({ metadata: { call_id: callId } });
}

import type { OpenInterrupt } from '../../events/index.js';
import type { Approvers, AskedInterrupt } from '../interrupt/index.js';
import { argumentsText, type RequiredApproval, serverLabelOf, type ToolInvoker, type ToolSet } from '../tools/index.js';
import type { AgentContext } from '../agent.js';
import { callerOf } from './answer-call.js';
import type { CallApprovals } from './call-segment.js';
import { requiredApproval } from './tool-round.js';

/**
 * Requests approvals: writes one `mcp_approval_request` message for each call (contract agent-api, section d).
 * The interrupt that ends the run contains the same requests.
 */
export function requestApprovals(
  context: AgentContext,
  needed: readonly RequiredApproval[],
  now: number,
): readonly AskedInterrupt[] {
  return needed.map((one) => {
    const message = context.response.createMessageBuilder('assistant', 'mcp_approval_request');
    const item = itemOf(one, message.id.replace(/^msg_/, 'apr_'), now);
    writeRequest(message, item);
    const { binding } = one;
    const approvers = approversOf(context, one);
    return { item, key: null, binding, ...(approvers && { approvers }) };
  });
}

/** Who may decide a call of this run; undefined: whoever may decide approvals. */
export function approversOf(
  { authority }: Pick<AgentContext, 'authority'>,
  { approvers }: Pick<RequiredApproval, 'approvers'>,
): Approvers | undefined {
  return approvers && Object.assign({}, approvers, { startedBy: authority?.actor ?? null });
}

/** Writes the requests that are still open again, with the same ids. */
export function repeatRequests(context: AgentContext, open: readonly OpenInterrupt[]): readonly AskedInterrupt[] {
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
    arguments: argumentsText(call.arguments),
    server_label: serverLabelOf(tool),
    reason,
    message: `The agent wants to call ${call.name}. Is that allowed?`,
    response_schema: null,
    may_edit: mayEdit,
    expires_at: now + expiresInMs,
  };
}

/** Writes the request of an open interrupt as a message. */
export function writeRequest(
  message: ReturnType<AgentContext['response']['createMessageBuilder']>,
  { id, tool_name: name, arguments: text, server_label: label, call_id: callId }: OpenInterrupt,
): void {
  message.created();
  message.inProgress();
  const data = { id, name: name ?? '', arguments: text ?? '{}', server_label: label ?? 'local' };
  message.createContentBuilder('data').addDataDelta(data);
  message.complete({ metadata: { call_id: callId } });
}

/** Tells which calls of a run require an approval. */
export function callApprovals(context: AgentContext, invoker: ToolInvoker, toolSet: ToolSet): CallApprovals {
  const caller = callerOf(context);
  const mayRequire = (name: string): boolean => invoker.mayRequireApproval(name, toolSet, caller);
  return {
    mayRequire,
    requires: (call) => mayRequire(call.name) && requiredApproval(context, invoker, toolSet, call) !== undefined,
  };
}

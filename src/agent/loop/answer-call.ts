import type { JsonObject } from '../../common/index.js';
import {
  type ToolCall,
  type ToolCaller,
  type ToolInvoker,
  type ToolSet,
  type ToolResult,
  toolInputHash,
  toolStepKey,
} from '../../tools/index.js';
import type { AgentContext } from '../agent.js';
import { callsOf } from '../prompt/tool-traffic.js';
import { type CallAppearance, appearanceOf } from './call-segment.js';
import { ProgressReporter } from './progress-reporter.js';

/** A person's permission for one call, and how its result is shown. */
export interface Permission {
  readonly approvalId: string;
  readonly outputType: CallAppearance['outputType'];
}

/**
 * Answers one server call and writes its result, unless the journal has it already.
 *
 * @throws as `ToolInvoker.invoke`
 */
export async function answerCall(
  context: AgentContext,
  invoker: ToolInvoker,
  toolSet: ToolSet,
  call: ToolCall,
  permission?: Permission,
): Promise<ToolResult> {
  const answered = await once(context, call, permission, outputType(context, toolSet, call), async () => {
    const progress = new ProgressReporter(context);
    const caller = { ...callerOf(context), onProgress: progress.report.bind(progress) };
    const answering = invoker.invoke(call, toolSet, caller, context.journal, permission !== undefined);
    const result = await answering.finally(() => progress.end());
    if (result.failure === 'denied') auditDenial(context, call, result);
    return result;
  });
  // Nothing is built on a result that a crash could still take back: the call would be in doubt then.
  const resolved = toolSet.resolve(call.name);
  if (resolved.kind === 'server' && resolved.tool.effects !== 'none') await context.flush();
  return answered;
}

/** Answers a call that is not made, with a sentence for the model. */
export function refuseCall(
  context: AgentContext,
  call: ToolCall,
  permission: Permission,
  sentence: string,
): Promise<ToolResult> {
  const { callId, name } = call;
  const result: ToolResult = { callId, name, output: sentence, isError: true, failure: 'denied' };
  return once(context, call, permission, permission.outputType, () => Promise.resolve(result));
}

/** Says in the place of a result that nobody knows whether the call took effect. */
export function writeDoubt(context: AgentContext, toolSet: ToolSet, { callId, name }: ToolCall, error: unknown): void {
  const output = error instanceof Error ? error.message : String(error);
  const result: ToolResult = { callId, name, output, isError: true, failure: 'in_doubt' };
  writeOutput(context, result, appearanceOf(name, toolSet).outputType, {});
}

/** On whose behalf the calls of a run are made. */
export function callerOf(context: AgentContext): ToolCaller {
  const { principal, sessionId, runId, agentType, signal, clientTime, timeZone, locale, forwardedProps } = context;
  return { principal, sessionId, runId, agentType, signal, clientTime, timeZone, locale, forwardedProps };
}

/**
 * How the result of a call is shown. Of a tool that is gone since the call was shown (its MCP server
 * may be, when a run is resumed), the call itself says what it was.
 */
function outputType(context: AgentContext, toolSet: ToolSet, { name, callId }: ToolCall): CallAppearance['outputType'] {
  if (toolSet.resolve(name).kind !== 'unknown') return appearanceOf(name, toolSet).outputType;
  const shown = context.response.getResponseData().output ?? [];
  const call = shown.find((message) => callsOf(message).some(({ id }) => id === callId));
  return call?.type === 'mcp_call' ? 'mcp_call_output' : 'plugin_call_output';
}

async function once(
  context: AgentContext,
  call: ToolCall,
  permission: Permission | undefined,
  shownAs: CallAppearance['outputType'],
  answer: () => Promise<ToolResult>,
): Promise<ToolResult> {
  const key = toolStepKey(call.callId);
  const inputHash = toolInputHash(call);
  const stored = context.journal.finished(key, inputHash);
  if (stored) return stored.output as unknown as ToolResult;
  const result = await answer();
  context.signal.throwIfAborted();
  const metadata: JsonObject = permission ? { approval_request_id: permission.approvalId } : {};
  const messageId = writeOutput(context, result, permission?.outputType ?? shownAs, metadata);
  context.journal.finish(key, inputHash, { ...result }, [messageId]);
  return result;
}

/** Writes the message of a result and returns its id. */
function writeOutput(
  context: AgentContext,
  { callId, name, output, isError, failure }: ToolResult,
  type: CallAppearance['outputType'],
  metadata: JsonObject,
): string {
  const message = context.response.createMessageBuilder('tool', type);
  message.created();
  message.inProgress();
  message.createContentBuilder('data').addDataDelta({ call_id: callId, name, output });
  const flags = {
    ...metadata,
    ...(isError ? { is_error: true } : {}),
    ...(failure === 'denied' ? { denied: true } : {}),
    ...(failure === 'in_doubt' ? { in_doubt: true } : {}),
  };
  message.complete(Object.keys(flags).length > 0 ? { metadata: flags } : {});
  return message.id;
}

function auditDenial(context: AgentContext, call: ToolCall, { output }: ToolResult): void {
  context.audit({
    action: 'policy_denied',
    callId: call.callId,
    toolName: call.name,
    argumentsHash: toolInputHash(call),
    details: { arguments: call.arguments, reason: output },
  });
}

import type { JsonObject } from '../../common/index.js';
import { TOOL_CONTENTS } from '../../events/index.js';
import {
  type ToolCall,
  type ToolCaller,
  toolInputHash,
  type ToolInvoker,
  type ToolProgress,
  type ToolResult,
  type ToolSet,
  toolStepKey,
} from '../tools/index.js';
import type { AgentContext } from '../agent.js';
import { TOOL_AGENT } from '../agents/tool-agent-names.js';
import { callsOf } from '../prompt/tool-traffic.js';
import { appearanceOf, type CallAppearance } from './call-segment.js';

/** A decided approval of a call, and the type of message that shows the call's result. */
export interface DecidedApproval {
  /** The id of the interrupt. */
  readonly approvalId: string;
  /** The type of message that shows the output. */
  readonly outputType: CallAppearance['outputType'];
}

/**
 * Makes one server call and writes its result, unless the journal contains it.
 *
 * @throws the errors of `ToolInvoker.invoke`
 */
export async function answerCall(
  context: AgentContext,
  invoker: ToolInvoker,
  toolSet: ToolSet,
  call: ToolCall,
  approval?: DecidedApproval,
): Promise<ToolResult> {
  const answered = await journaled(context, call, approval, outputType(context, toolSet, call), async () => {
    const progress = new ProgressReporter(context);
    const observed = context.telemetry?.tool(call.name, call.callId, call.arguments);
    const traceparent = observed?.traceparent;
    const onProgress = progress.report.bind(progress);
    const caller = { onProgress, ...callerOf(context), ...(traceparent !== undefined && { traceparent }) };
    const answering = invoker.invoke(call, toolSet, caller, context.journal, approval !== undefined);
    const result = await answering
      .catch((error: unknown) => {
        observed?.failed(error);
        throw error;
      })
      .finally(() => progress.end());
    observed?.answered(result, toolSet.resolve(call.name).kind !== 'unknown');
    const isWithheld = result.failure === 'unknown_tool' && toolSet.withheld.has(call.name);
    if (result.failure === 'denied' || isWithheld) auditDenial(context, call, result);
    return result;
  });
  // A result with effects must be committed before it is used: after a crash the call would be in doubt.
  const resolved = toolSet.resolve(call.name);
  if (resolved.kind === 'server' && resolved.tool.effects !== 'none') await context.flush();
  return answered;
}

/** Answers a call that is not made with a sentence for the model. */
export function refuseCall(
  context: AgentContext,
  call: ToolCall,
  approval: DecidedApproval,
  { sentence, why }: { readonly sentence: string; readonly why: NonNullable<ToolResult['unapproved']> },
): Promise<ToolResult> {
  const { callId, name } = call;
  const result: ToolResult = { callId, name, output: sentence, isError: true, failure: 'denied', unapproved: why };
  return answerWith(context, result, call, approval);
}

/** Answers a decided call with a result that needs no tool. */
export function answerWith(
  context: AgentContext,
  result: ToolResult,
  call: ToolCall,
  approval: DecidedApproval,
): Promise<ToolResult> {
  return journaled(context, call, approval, approval.outputType, () => Promise.resolve(result));
}

/** Writes, instead of a result, that it is not known whether the call took effect. */
export function writeInDoubt(
  context: AgentContext,
  toolSet: ToolSet,
  { callId, name }: ToolCall,
  error: unknown,
): void {
  const output = error instanceof Error ? error.message : String(error);
  const result: ToolResult = { callId, name, output, isError: true, failure: 'in_doubt' };
  writeOutput(context, result, appearanceOf(name, toolSet).outputType, {});
}

/** The caller of a run's tool calls. */
export function callerOf(context: AgentContext): ToolCaller {
  const { principal, authority, sessionId, runId, agentType, signal } = context;
  const { clientTime, timeZone, locale, forwardedProps } = context;
  return { principal, authority, sessionId, runId, agentType, signal, clientTime, timeZone, locale, forwardedProps };
}

/**
 * The type of the message that shows a result. If the tool no longer exists (its MCP server may be down when a
 * run is resumed), the type of the call's message decides.
 */
function outputType(context: AgentContext, toolSet: ToolSet, { name, callId }: ToolCall): CallAppearance['outputType'] {
  if (toolSet.resolve(name).kind !== 'unknown') return appearanceOf(name, toolSet).outputType;
  const shown = context.response.getResponseData().output ?? [];
  const call = shown.find((message) => callsOf(message).some(({ id }) => id === callId));
  return call?.type === 'mcp_call' ? 'mcp_call_output' : 'plugin_call_output';
}

/** Answers a call once: a later attempt gets the recorded result. */
async function journaled(
  context: AgentContext,
  call: ToolCall,
  approval: DecidedApproval | undefined,
  shownAs: CallAppearance['outputType'],
  answer: () => Promise<ToolResult>,
): Promise<ToolResult> {
  const key = toolStepKey(call.callId);
  const inputHash = toolInputHash(call);
  const stored = context.journal.finished(key, inputHash);
  if (stored) return stored.output as unknown as ToolResult;
  const result = await answer();
  context.signal.throwIfAborted();
  const metadata: JsonObject = approval ? { approval_request_id: approval.approvalId } : {};
  const messageId = writeOutput(context, result, approval?.outputType ?? shownAs, metadata);
  // The blocks are in the message.
  const { contents: _shown, ...kept } = result;
  context.journal.finish(key, inputHash, kept as unknown as JsonObject, [messageId]);
  return result;
}

/** Writes the message of a result. @returns its id */
function writeOutput(
  context: AgentContext,
  { callId, name, output, images = [], contents, isError, failure }: ToolResult,
  type: CallAppearance['outputType'],
  metadata: JsonObject,
): string {
  const message = context.response.createMessageBuilder('tool', type);
  message.created();
  message.inProgress();
  message.createContentBuilder('data').addDataDelta({ call_id: callId, name, output });
  for (const url of images) message.createContentBuilder('image').setImageUrl(url);
  const flags = {
    ...metadata,
    ...(isError ? { is_error: true } : {}),
    // Only clients that call a tool themselves get its blocks.
    ...(contents && context.agentType === TOOL_AGENT ? { [TOOL_CONTENTS]: contents } : {}),
    ...(failure === 'denied' ? { denied: true } : {}),
    ...(failure === 'in_doubt' ? { in_doubt: true } : {}),
  };
  message.complete(Object.keys(flags).length > 0 ? { metadata: flags } : {});
  return message.id;
}

/** Records a denied call with the reason that the model is given. */
function auditDenial(context: AgentContext, call: ToolCall, { output }: ToolResult): void {
  context.audit({
    action: 'policy.denied',
    callId: call.callId,
    toolName: call.name,
    argumentsHash: toolInputHash(call),
    details: { arguments: call.arguments, reason: output },
  });
}

/** The `activity_type` of a tool's progress. */
const TOOL_PROGRESS = 'tool_progress';

/** The shortest time between two reports of one call, in milliseconds. */
const INTERVAL_MS = 100;

/** The longest message of a report, in characters. */
const MESSAGE_LIMIT = 1000;

/**
 * Writes the progress of one call as `activity` snapshots. Reports that follow each other too fast, and reports
 * after the end of the call, are dropped.
 */
class ProgressReporter {
  private nextAt = 0;
  private ended = false;

  constructor(private readonly context: Pick<AgentContext, 'emit' | 'signal'>) {}

  /** Shows progress at intervals; reports after the end of the call, and invalid ones, are dropped. */
  report(call: ToolCall, { progress, total, message }: ToolProgress): void {
    const now = performance.now();
    if (this.ended || this.context.signal.aborted || now < this.nextAt || !Number.isFinite(progress)) return;
    this.nextAt = now + INTERVAL_MS;
    const content: JsonObject = { call_id: call.callId, name: call.name, progress };
    if (total !== undefined && Number.isFinite(total)) content['total'] = total;
    if (message !== undefined) content['message'] = readable(message);
    const id = `progress_${call.callId}`;
    this.context.emit({ object: 'activity', kind: 'snapshot', id, activity_type: TOOL_PROGRESS, content });
  }

  /** Drops all further reports. */
  end(): void {
    this.ended = true;
  }
}

/** Limited in length. Half of a surrogate pair, which the cut can leave, is replaced. */
function readable(message: string): string {
  return message.slice(0, MESSAGE_LIMIT).replace(/\p{Surrogate}/gu, '\uFFFD');
}

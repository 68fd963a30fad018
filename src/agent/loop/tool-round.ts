import {
  type ToolCall,
  type ToolCaller,
  type ToolInvoker,
  type ToolOffer,
  type ToolResult,
  toolInputHash,
  toolStepKey,
} from '../../tools/index.js';
import type { AgentContext } from '../agent.js';
import type { ModelToolCall } from '../ports/model-client.js';
import { appearanceOf } from './call-segment.js';
import { ProgressReporter } from './progress-reporter.js';

/** What came of the calls of one model answer. */
export interface RoundOutput {
  /** Of all calls that the server answers, in call order. */
  readonly results: readonly ToolResult[];
  /** The calls that the client has to answer, in call order. */
  readonly clientCallIds: readonly string[];
}

/**
 * Makes all server calls of one model answer in parallel and writes each result as it comes. Calls
 * that the journal has finished are not made again and nothing is written for them. Waits for all
 * calls, even when one of them ends the run.
 *
 * @throws AppError TOOL_IN_DOUBT before any call is made; the reason of `context.signal`
 */
export async function toolRound(
  context: AgentContext,
  invoker: ToolInvoker,
  offer: ToolOffer,
  modelCalls: readonly ModelToolCall[],
): Promise<RoundOutput> {
  const calls = modelCalls.map(({ id, name, arguments: text }): ToolCall => ({ callId: id, name, arguments: text }));
  const isClients = (call: ToolCall): boolean => offer.resolve(call.name).kind === 'client';
  const serverCalls = calls.filter((call) => !isClients(call));
  for (const call of serverCalls) invoker.checkInDoubt(call, offer, context.journal);
  const settled = await Promise.allSettled(serverCalls.map((call) => answer(context, invoker, offer, call)));
  const results = settled.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
  return { results, clientCallIds: calls.filter(isClients).map((call) => call.callId) };
}

async function answer(
  context: AgentContext,
  invoker: ToolInvoker,
  offer: ToolOffer,
  call: ToolCall,
): Promise<ToolResult> {
  const key = toolStepKey(call.callId);
  const inputHash = toolInputHash(call);
  const stored = context.journal.finished(key, inputHash);
  if (stored) return stored.output as unknown as ToolResult;
  const progress = new ProgressReporter(context);
  const caller = { ...callerOf(context), onProgress: progress.report.bind(progress) };
  const result = await invoker.invoke(call, offer, caller, context.journal).finally(() => progress.end());
  context.signal.throwIfAborted();
  const messageId = writeOutput(context, offer, result);
  context.journal.finish(key, inputHash, { ...result }, [messageId]);
  return result;
}

function callerOf({
  principal,
  sessionId,
  runId,
  signal,
  clientTime,
  timeZone,
  locale,
  forwardedProps,
}: AgentContext): ToolCaller {
  return { principal, sessionId, runId, signal, clientTime, timeZone, locale, forwardedProps };
}

/** Writes the message of a result and returns its id. */
function writeOutput(context: AgentContext, offer: ToolOffer, result: ToolResult): string {
  const { callId, name, output, isError } = result;
  const message = context.response.createMessageBuilder('tool', appearanceOf(name, offer).outputType);
  message.created();
  message.inProgress();
  message.createContentBuilder('data').addDataDelta({ call_id: callId, name, output });
  message.complete(isError ? { metadata: { is_error: true } } : {});
  return message.id;
}

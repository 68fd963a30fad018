import {
  type RequiredApproval,
  type ToolCall,
  type ToolInvoker,
  type ToolSet,
  type ToolResult,
  toolStepKey,
} from '../tools/index.js';
import type { AgentContext } from '../agent.js';
import type { ModelToolCall } from '../ports/model-client.js';
import { answerCall, callerOf, writeInDoubt } from './answer-call.js';

/** The outcome of the calls of one model answer. */
export interface RoundOutput {
  /** The results of the calls that were made, in call order. */
  readonly results: readonly ToolResult[];
  /** The calls that the client must answer, in call order. */
  readonly clientCallIds: readonly string[];
  /** The calls that wait for an approval, in call order. */
  readonly asked: readonly RequiredApproval[];
}

/**
 * Makes all server calls of one model answer in parallel, except those that require an approval, and writes each
 * result as soon as it arrives. Finished calls in the journal are neither repeated nor written again. Waits for
 * all calls, even if one of them ends the run.
 *
 * @throws AppError TOOL_IN_DOUBT before any call is made; the reason of `context.signal`
 */
export async function toolRound(
  context: AgentContext,
  invoker: ToolInvoker,
  toolSet: ToolSet,
  modelCalls: readonly ModelToolCall[],
): Promise<RoundOutput> {
  const calls = modelCalls.map(({ id, name, arguments: text }): ToolCall => ({ callId: id, name, arguments: text }));
  const isClientCall = (call: ToolCall): boolean => toolSet.resolve(call.name).kind === 'client';
  const serverCalls = calls.filter((call) => !isClientCall(call));
  refuseInDoubt(context, invoker, toolSet, serverCalls);
  const asked = serverCalls.flatMap((call) => requiredApproval(context, invoker, toolSet, call) ?? []);
  const waiting = new Set(asked.map(({ call }) => call.callId));
  const made = serverCalls.filter(({ callId }) => !waiting.has(callId));
  const results = await allSettled(made.map((call) => answerCall(context, invoker, toolSet, call)));
  return { results, clientCallIds: calls.filter(isClientCall).map((call) => call.callId), asked };
}

/**
 * Ends the run if an earlier attempt started an unsafe call, and writes that instead of its result.
 *
 * @throws AppError TOOL_IN_DOUBT
 */
export function refuseInDoubt(
  context: AgentContext,
  invoker: ToolInvoker,
  toolSet: ToolSet,
  calls: readonly ToolCall[],
): void {
  let doubt: Error | undefined;
  for (const call of calls) {
    try {
      invoker.checkInDoubt(call, toolSet, context.journal);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      writeInDoubt(context, toolSet, call, error);
      doubt ??= error;
    }
  }
  if (doubt) throw doubt;
}

/** All values in order. @throws the first error, after everything has settled */
export async function allSettled<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(work);
  return settled.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}

/** The approval that a call requires before it is made. A call that an earlier attempt finished was approved. */
export function requiredApproval(
  context: AgentContext,
  invoker: ToolInvoker,
  toolSet: ToolSet,
  call: ToolCall,
): RequiredApproval | undefined {
  const isFinished = context.journal.isFinished(toolStepKey(call.callId));
  return isFinished ? undefined : invoker.requiredApproval(call, toolSet, callerOf(context), context.journal);
}

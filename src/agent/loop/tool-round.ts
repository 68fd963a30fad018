import {
  type RequiredApproval,
  type ToolCall,
  type ToolInvoker,
  type ToolSet,
  type ToolResult,
  toolStepKey,
} from '../../tools/index.js';
import type { AgentContext } from '../agent.js';
import type { ModelToolCall } from '../ports/model-client.js';
import { answerCall, callerOf, writeDoubt } from './answer-call.js';

/** What came of the calls of one model answer. */
export interface RoundOutput {
  /** Of all calls that the server answers now, in call order. */
  readonly results: readonly ToolResult[];
  /** The calls that the client has to answer, in call order. */
  readonly clientCallIds: readonly string[];
  /** The calls that wait for a person's permission, in call order. */
  readonly asked: readonly RequiredApproval[];
}

/**
 * Makes all server calls of one model answer in parallel and writes each result as it comes; those
 * that need a permission are not made. Calls that the journal has finished are not made again and
 * nothing is written for them. Waits for all calls, even when one of them ends the run.
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
  const isClients = (call: ToolCall): boolean => toolSet.resolve(call.name).kind === 'client';
  const serverCalls = calls.filter((call) => !isClients(call));
  refuseDoubt(context, invoker, toolSet, serverCalls);
  const asked = serverCalls.flatMap((call) => requiredApproval(context, invoker, toolSet, call) ?? []);
  const waiting = new Set(asked.map(({ call }) => call.callId));
  const made = serverCalls.filter(({ callId }) => !waiting.has(callId));
  const results = await allSettled(made.map((call) => answerCall(context, invoker, toolSet, call)));
  return { results, clientCallIds: calls.filter(isClients).map((call) => call.callId), asked };
}

/**
 * Ends the run when an earlier attempt began an unsafe call, and says so in the place of its result.
 *
 * @throws AppError TOOL_IN_DOUBT
 */
export function refuseDoubt(
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
      writeDoubt(context, toolSet, call, error);
      doubt ??= error;
    }
  }
  if (doubt) throw doubt;
}

/** All values in order. @throws the first error, once everything has settled */
export async function allSettled<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(work);
  return settled.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}

/** The permission that a call needs before it is made. A call that an earlier attempt finished had it. */
export function requiredApproval(
  context: AgentContext,
  invoker: ToolInvoker,
  toolSet: ToolSet,
  call: ToolCall,
): RequiredApproval | undefined {
  const isFinished = context.journal.isFinished(toolStepKey(call.callId));
  return isFinished ? undefined : invoker.requiredApproval(call, toolSet, callerOf(context), context.journal);
}

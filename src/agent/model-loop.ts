import { Injectable } from '@nestjs/common';
import { AppError, Clock, type JsonObject } from '../common/index.js';
import type { AskedInterrupt } from './interrupt/index.js';
import { ToolInvoker, type ToolSet, ToolRegistry, type ToolResult } from './tools/index.js';
import type { AgentContext, AgentOutcome } from './agent.js';
import type { AgentShape } from './agent-shape.js';
import { AgentShapes, type ShapedCalls } from './agent-shapes.js';
import { AgentSettings } from './agent.settings.js';
import { repeatRequests, requestApprovals, callApprovals } from './loop/approvals.js';
import { CallIds } from './loop/call-ids.js';
import { writeToolLists } from './loop/mcp-tool-lists.js';
import { limitOf, modelStep, type StepOutput } from './loop/model-step.js';
import { keepPredicted, type PredictedState } from './loop/predicted-state.js';
import { approvedCalls, owedClientCalls, type ResumedCalls, resumeCalls } from './loop/decided-calls.js';
import { shortened } from './loop/summary.js';
import { toolRound } from './loop/tool-round.js';
import { uiCard } from './loop/ui-card.js';
import type { ModelMessage, ModelOptions } from './ports/model-client.js';
import type { KeptStates } from './prompt/kept-states.js';
import { bareCall, toPrompt, withOwnAttachments } from './prompt/prompt.js';
import { callsOf } from './prompt/tool-traffic.js';

/** The message of an interrupt that waits for approvals. */
const APPROVAL_NEEDED = 'The agent needs permission to continue.';

/** Options of the model loop. `tools` selects among the tools of the agent; `model` and the others precede its own. */
export interface ModelLoopOptions extends AgentShape {
  /** Empty for none. */
  readonly systemPrompt: string;
  /**
   * Facts that change between requests, such as the date, sent after the system prompt. The journal does not
   * compare them, so they may differ when a run is resumed.
   */
  readonly situation?: string;
  /** Tool arguments that become members of the shared state, shown while the model is still writing them. */
  readonly predictedState?: readonly PredictedState[];
}

/** The state of a run in the loop. */
interface Conversation {
  /** The conversation so far, which grows with each model call. */
  messages: ModelMessage[];
  /** How many of its messages are instructions of the agent and the request. */
  readonly instructions: number;
  /** What providers want back with messages of earlier runs. */
  readonly states: KeptStates;
  /** The model, its options and the number of its calls. */
  readonly calls: ShapedCalls;
  /** Empty for none. */
  readonly situation: string;
  readonly predictedState: readonly PredictedState[];
  /** UI hints of results that no text of the assistant has followed yet. */
  hints: readonly JsonObject[];
  /** The tools of this run: the server's and the client's. */
  readonly toolSet: ToolSet;
  readonly callIds: CallIds;
  /** Tool calls with invalid arguments in this run. */
  invalidCalls: number;
}

/**
 * Calls the model, runs the tools that it calls and sends it the results, until it answers without a tool
 * call. Every model call and every tool call is a step of the journal, so a resumed run continues where it
 * stopped. Agents that do nothing else declare `recovery: 'journal'`.
 */
@Injectable()
export class ModelLoop {
  constructor(
    private readonly shapes: AgentShapes,
    private readonly tools: ToolRegistry,
    private readonly invoker: ToolInvoker,
    private readonly settings: AgentSettings,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs the loop. Ends as completed, as incomplete (`max_steps`, `max_output_tokens`, `content_filter`), or as
   * interrupted if client tools were called or calls require an approval; the other server calls of the same
   * answer are made first. A run that answers interrupts processes the answers first, and ends as interrupted
   * again if some are still open.
   *
   * @throws AppError MODEL_*, BUDGET_EXCEEDED, TOOL_IN_DOUBT, TOOL_EXECUTION_FAILED (too many calls with invalid arguments); the
   *   reason of `context.signal`, after which nothing is written; those of `AgentShapes.of`
   */
  async *run(context: AgentContext, options: ModelLoopOptions): AsyncGenerator<undefined, AgentOutcome, void> {
    const { clientTools, toolRestrictions: restrictions = [], authority } = context;
    const calls = this.shapes.of(context, options);
    const { toolChoice } = calls.options;
    const wanted = typeof toolChoice === 'object' ? toolChoice.name : undefined;
    const limits = { restrictions, authority, lists: calls.toolLists };
    const toolSet = await this.tools.toolSet(clientTools, limits, wanted);
    const resumed = await resumeCalls(context, this.invoker, toolSet);
    const { predictedState = [] } = options;
    keepPredicted(context, predictedState, approvedCalls(context), resumed.results);
    yield;
    const owed = stillWaiting(context, resumed, this.clock.now());
    if (owed) return owed;
    const conversation = this.begin(context, options, { calls, toolSet, resumed });
    writeToolLists(context, toolSet);
    for (let step = 0; step < calls.maxSteps; step += 1) {
      this.shorten(context, conversation, step);
      const output = yield* this.modelStep(context, conversation, step);
      const end = endOf(output);
      if (end) return end;
      const round = await toolRound(context, this.invoker, toolSet, output.toolCalls);
      keepPredicted(context, predictedState, output.toolCalls, round.results);
      yield;
      this.countInvalid(conversation, round.results);
      if (round.clientCallIds.length > 0 || round.asked.length > 0) {
        return waitFor(round.clientCallIds, requestApprovals(context, round.asked, this.clock.now()));
      }
      const open = output.text === '' ? conversation.hints : [];
      conversation.hints = [...open, ...hintsOf(round.results)];
      conversation.messages.push(...exchange(output, round.results));
    }
    return { kind: 'incomplete', reason: 'max_steps' };
  }

  /** The conversation before the first model call, with the results of calls that were answered meanwhile. */
  private begin(
    context: AgentContext,
    { systemPrompt, situation = '', predictedState = [] }: ModelLoopOptions,
    { calls, toolSet, resumed }: { readonly resumed: ResumedCalls } & Pick<Conversation, 'calls' | 'toolSet'>,
  ): Conversation {
    const { outputs, results } = resumed;
    const messages = [...context.history, ...outputs, ...context.input];
    const instructions = joinPrompts(systemPrompt, context.instructions);
    const prompt = toPrompt(instructions, messages, context.providerStates, context.callEnds);
    const usedIds = messages.flatMap(callsOf).map(({ id }) => id);
    return {
      messages: withOwnAttachments(prompt.messages, context.principal, context.authority !== null),
      instructions: instructions === '' ? 0 : 1,
      states: prompt.states,
      calls,
      situation,
      predictedState,
      hints: hintsOf(results),
      toolSet,
      callIds: new CallIds(context.runId, [...usedIds, ...context.shownCallIds], context.signal),
      invalidCalls: 0,
    };
  }

  /** Puts a summary in place of the beginning if the request wants that above a limit, at most that of the server. */
  private shorten(context: AgentContext, conversation: Conversation, step: number): void {
    const { compactAbove } = context.modelOptions;
    if (compactAbove === undefined) return;
    const limit = Math.min(compactAbove, this.settings.contextTokenBudget);
    const { messages, instructions } = conversation;
    conversation.messages = shortened(context, { messages, instructions, limit, step }) ?? messages;
  }

  /** One model call. A tool choice of the request holds for the first one only: it would force a call in each step. */
  private modelStep(
    context: AgentContext,
    { messages, states, calls, situation, hints, toolSet, callIds, predictedState }: Conversation,
    step: number,
  ): AsyncGenerator<undefined, StepOutput, void> {
    const isFirst = step === 0 && context.resumption.approvals.length === 0;
    const options = isFirst ? calls.options : unforced(calls.options);
    const request = { messages: [...messages], tools: toolSet.declarations, options };
    const card = uiCard(context, hints, context.locale ?? this.settings.uiLocale);
    const approvals = callApprovals(context, this.invoker, toolSet);
    const setting = { toolSet, callIds, step, approvals };
    return modelStep({ context, client: calls.client, request, situation, states, predictedState, card, ...setting });
  }

  /** @throws AppError TOOL_EXECUTION_FAILED above the limit, since the model might never stop */
  private countInvalid(conversation: Conversation, results: readonly ToolResult[]): void {
    const limit = this.invoker.maxInvalidCalls;
    conversation.invalidCalls += results.filter(({ failure }) => failure === 'invalid_arguments').length;
    if (conversation.invalidCalls <= limit) return;
    throw new AppError('TOOL_EXECUTION_FAILED', `The model made more than ${limit} tool calls with invalid arguments`);
  }
}

function hintsOf(results: readonly ToolResult[]): JsonObject[] {
  return results.flatMap(({ uiHints }) => (uiHints ? [uiHints] : []));
}

function joinPrompts(...prompts: readonly string[]): string {
  return prompts.filter((prompt) => prompt !== '').join('\n\n');
}

/**
 * How the run ends with this answer; undefined if it continues with tool calls.
 *
 * @throws AppError BUDGET_EXCEEDED if a budget has cut it
 */
function endOf(output: StepOutput): AgentOutcome | undefined {
  if (output.isCutByBudget) throw new AppError('BUDGET_EXCEEDED', 'The answer has used up the budget');
  const limit = limitOf(output);
  if (limit) return { kind: 'incomplete', reason: limit };
  return output.toolCalls.length === 0 ? { kind: 'completed' } : undefined;
}

/** Ends the run until the approvals are given, or until the client has returned the outputs. */
function waitFor(callIds: readonly string[], asked: readonly AskedInterrupt[]): AgentOutcome {
  const reason = asked.length > 0 ? 'approval' : 'client_tool';
  const message = asked.length > 0 ? APPROVAL_NEEDED : null;
  return { kind: 'interrupted', reason, message, callIds, responseSchema: null, asked };
}

/** The outcome if answers to other interrupts are still missing, or approvals were asked for anew; undefined if none are. */
function stillWaiting(context: AgentContext, { asked }: ResumedCalls, now: number): AgentOutcome | undefined {
  const { waiting } = context.resumption;
  const callIds = owedClientCalls(context);
  if (waiting.length === 0 && callIds.length === 0 && asked.length === 0) return undefined;
  return waitFor(callIds, [...repeatRequests(context, waiting), ...requestApprovals(context, asked, now)]);
}

/** A required tool call applies to the first step only; otherwise the model would never answer with text. */
function unforced(options: ModelOptions): ModelOptions {
  const { toolChoice } = options;
  return toolChoice === 'required' || typeof toolChoice === 'object' ? { ...options, toolChoice: 'auto' } : options;
}

/** The model's answer and the results of its calls, for the next model call. */
function exchange(
  { text, refusal = '', toolCalls, replay }: StepOutput,
  results: readonly ToolResult[],
): ModelMessage[] {
  return [
    { role: 'assistant', content: text || refusal, toolCalls: toolCalls.map(bareCall), ...(replay && { replay }) },
    ...results.map(({ callId, name, output, images = [] }): ModelMessage => ({
      role: 'tool',
      callId,
      name,
      content: output,
      ...(images.length > 0 && { images: images.map((url) => ({ type: 'image' as const, url })) }),
    })),
  ];
}

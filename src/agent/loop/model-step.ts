import { AppError, fingerprint, isObjectText, isPlainObject, type JsonObject } from '../../common/index.js';
import type { OutputLimit, Usage } from '../../events/index.js';
import type { ChatTelemetry } from '../../telemetry/index.js';
import { type CallMeter, FREE_CALL, type MeteredCall } from '../../usage/index.js';
import type { AgentContext } from '../agent.js';
import type {
  ModelClient,
  ModelEvent,
  ModelFinishReason,
  ModelMessage,
  ModelRequest,
  ModelStream,
  ModelToolCall,
} from '../ports/model-client.js';
import type { KeptStates } from '../prompt/kept-states.js';
import { estimatePromptTokens, estimateTextTokens, usageOf } from '../prompt/token-estimate.js';
import { isNoResult, NO_RESULT } from '../prompt/prompt.js';
import { validHistory } from '../prompt/valid-history.js';
import { ModelBatches } from './model-batches.js';
import { announcePrediction, type PredictedState } from './predicted-state.js';
import { type StepSetting, StepWriter } from './step-writer.js';
import type { UiCard } from './ui-card.js';

/** Events of an answer between two checkpoints at least: each costs as much as several of the steps from piece to log. */
const CHECKPOINT_EVENTS = 16;

/** The most characters of the name of a model that are recorded. */
const LONGEST_MODEL = 200;

const NO_TEXTS = { answer: '', reasoning: '' };

/** The text for the user if the provider's filter stopped an answer before its first text. */
export const REFUSAL = 'The model did not answer because of its content filter.';

/** The limit that has cut an answer; undefined if the model ended it. */
export function limitOf({ finishReason }: Pick<StepOutput, 'finishReason'>): OutputLimit | undefined {
  if (finishReason === 'length') return 'max_output_tokens';
  return finishReason === 'content-filter' ? 'content_filter' : undefined;
}

/** The outcome of one model call, as stored in the journal. */
export interface StepOutput {
  /** The texts of the answer joined. */
  readonly text: string;
  /** Empty if the model has called no tool. */
  readonly toolCalls: readonly ModelToolCall[];
  readonly finishReason: ModelFinishReason;
  /** Null if the provider has reported none. */
  readonly usage: Usage | null;
  /** The text in which the model declined to answer; absent if it did not. */
  readonly refusal?: string;
  /** True if a budget left room for no more of the answer: the run ends as failed. */
  readonly isCutByBudget?: boolean;
  /** What the provider wants back with the next request, in its own form. */
  readonly replay?: JsonObject;
}

/** What the provider wants back with the answer of a step, by the step's output; undefined for any other step. */
export function stateOfStep({ replay, finishReason, toolCalls }: JsonObject): JsonObject | undefined {
  const isModelStep = typeof finishReason === 'string' && Array.isArray(toolCalls);
  return isModelStep && isPlainObject(replay) && finishReason !== 'content-filter' ? replay : undefined;
}

/** The model that answered in a step, by the step's output; undefined for any other step, and for a call that failed. */
export function modelOfStep({ model, finishReason, toolCalls }: JsonObject): string | undefined {
  const isModelStep = typeof finishReason === 'string' && Array.isArray(toolCalls);
  return isModelStep && typeof model === 'string' ? model : undefined;
}

type ModelFinish = Extract<ModelEvent, { readonly type: 'finish' }>;

/** One model call of a run. */
interface ModelStep extends StepSetting {
  readonly context: AgentContext;
  /** The model that is called. */
  readonly client: ModelClient;
  /** Compared by the journal, so it must be the same in every attempt. */
  readonly request: ModelRequest;
  /** Appended to the system prompt; not compared by the journal. */
  readonly situation?: string;
  /** What providers want back with messages of the request; not compared by the journal. */
  readonly states?: KeptStates;
  /** Announced before the calls of its tools. */
  readonly predictedState?: readonly PredictedState[];
  /** The card of the first text of the answer. */
  readonly card?: UiCard | undefined;
}

/**
 * Makes one model call and streams its answer into messages, unless the journal contains it. Yields after
 * every 16 events or more, as a checkpoint. If the answer is interrupted, its usage is estimated and added to that of
 * the response.
 *
 * @throws AppError MODEL_* of the client; BUDGET_EXCEEDED; JOURNAL_MISMATCH; the reason of `context.signal`, after which nothing
 *   is written
 */
export async function* modelStep(call: ModelStep): AsyncGenerator<undefined, StepOutput, void> {
  const { context, client, step } = call;
  const key = `model:${step}`;
  const inputHash = inputHashOf(call);
  const stored = context.journal.finished(key, inputHash);
  if (stored) return replayed(stored.output, call.callIds);
  const writer = writerOf(call);
  let sent = sentRequest(call);
  let observed: ChatTelemetry | undefined;
  let meter = FREE_CALL;
  let source: ModelStream | undefined;
  let batches: ModelBatches | undefined;
  let isFinished = false;
  let unchecked = 0;
  try {
    const begun = context.usage.begin(meteredCall(call, sent));
    meter = begun instanceof Promise ? await begun : begun;
    sent = limitedTo(sent, meter.maxOutputTokens);
    observed = observe(call, sent);
    source = client.stream(tracedBy(sent, observed), context.signal);
    batches = new ModelBatches(source, context.signal);
    for (let batch = await batches.next(); batch; batch = await batches.next()) {
      observed?.arrived();
      const end = writeBatch(writer, batch);
      if (end) {
        isFinished = true;
        const { output, messageIds } = finish(context, writer, end, meter);
        meter.settle(end.usage, () => partialUsage(sent, writer.texts));
        const { retries = [] } = source;
        const model = answeringModel(source) ?? askedModel(call);
        const recorded = Object.assign({}, output, { model }, retries.length > 0 && { retries });
        context.journal.finish(key, inputHash, recorded as unknown as JsonObject, messageIds);
        observed?.answered({ finishReason: output.finishReason, usage: output.usage, output: shown(output) });
        return output;
      }
      unchecked += batch.length;
      if (unchecked < CHECKPOINT_EVENTS) continue;
      unchecked = 0;
      yield;
    }
    throw new AppError('MODEL_EXECUTION_FAILED', 'The answer of the model has no finish event');
  } catch (error) {
    observed?.failed(error);
    if (error instanceof AppError && !context.signal.aborted) {
      const { code, message } = error;
      const failure = { error: { code, message }, retries: source?.retries ?? [], model: askedModel(call) };
      context.journal.fail(key, inputHash, failure as unknown as JsonObject);
    }
    throw error;
  } finally {
    batches?.close();
    // The agent was left between two batches, or there is no finish event.
    observed?.failed(context.signal.reason);
    if (!isFinished) cutOff(call, sent, writer, meter);
  }
}

/** A call that was not answered to its end. A response counts one without any answer as free, because its cost is unknown. */
function cutOff({ context }: ModelStep, sent: ModelRequest, writer: StepWriter, meter: CallMeter): void {
  if (writer.isEmpty && !context.signal.aborted) {
    meter.release();
    return;
  }
  const usage = partialUsage(sent, writer.texts);
  meter.cut(usage);
  if (!writer.isEmpty) context.response.addUsage(usage);
}

/** The call as it is booked. */
function meteredCall(call: ModelStep, sent: ModelRequest): MeteredCall {
  return {
    step: `model:${call.step}`,
    model: askedModel(call),
    provider: call.client.provider,
    inputTokens: () => partialUsage(sent, NO_TEXTS).input_tokens,
    maxOutputTokens: sent.options.maxTokens,
  };
}

/** The request with at most so many tokens of output. */
function limitedTo(sent: ModelRequest, maxTokens: number | undefined): ModelRequest {
  if (maxTokens === undefined || maxTokens === sent.options.maxTokens) return sent;
  return Object.assign({}, sent, { options: Object.assign({}, sent.options, { maxTokens }) });
}

function tracedBy(sent: ModelRequest, observed: ChatTelemetry | undefined): ModelRequest {
  return observed?.traceparent === undefined ? sent : Object.assign({}, sent, { traceparent: observed.traceparent });
}

/** The model that the call asks for. */
function askedModel({ client, request }: ModelStep): string {
  return request.options.model ?? client.info.name;
}

/** The model that answers, as its server names it. */
function answeringModel({ model }: ModelStream): string | undefined {
  // Names are shown to people and stored in a column of a limited size.
  return model?.replace(/\p{Cc}/gu, '').slice(0, LONGEST_MODEL) || undefined;
}

/** Begins to observe the call. */
function observe(call: ModelStep, { messages }: ModelRequest): ChatTelemetry | undefined {
  const { context, client } = call;
  const { provider, info } = client;
  const model = askedModel(call);
  // Made only where traces capture content; what is for the provider alone is no part of it.
  const input = { toJSON: () => messages.map(withoutReplay) };
  return context.telemetry?.chat({ provider, model, configuredModel: info.name, input });
}

function withoutReplay(message: ModelMessage): ModelMessage {
  return message.role === 'assistant' && message.replay ? Object.assign({}, message, { replay: undefined }) : message;
}

/** Writes events up to the end of the answer. @returns the `finish` event if the batch contains it */
function writeBatch(writer: StepWriter, batch: readonly ModelEvent[]): ModelFinish | undefined {
  for (const event of batch) {
    if (event.type === 'finish') return event;
    writer.write(event);
  }
  return undefined;
}

function writerOf(call: ModelStep): StepWriter {
  const { context, toolSet, callIds, step, approvals, predictedState = [], card } = call;
  const onCall = (name: string): void => announcePrediction(context, predictedState, name);
  return new StepWriter(context.response, { toolSet, callIds, step, approvals, onCall }, card);
}

/** What the model gets: a conversation that every server accepts, with the states of its messages. */
function sentRequest({ request, situation, states = new Map() }: ModelStep): ModelRequest {
  const { messages } = withSituation(request, situation);
  const whole = messages.map((message) => withState(message, states.get(message)));
  return Object.assign({}, request, { messages: validHistory(whole) });
}

function withState(message: ModelMessage, replay: JsonObject | undefined): ModelMessage {
  return replay && message.role === 'assistant' ? Object.assign({}, message, { replay }) : message;
}

/** The output without what is for the provider alone. */
function shown({ replay: _, ...output }: StepOutput): Omit<StepOutput, 'replay'> {
  return output;
}

/** Extends an existing system message instead of adding a second one. */
function withSituation(request: ModelRequest, situation = ''): ModelRequest {
  if (situation === '') return request;
  const [first, ...rest] = request.messages;
  if (first?.role !== 'system')
    return { ...request, messages: [{ role: 'system', content: situation }, ...request.messages] };
  return { ...request, messages: [{ role: 'system', content: `${first.content}\n\n${situation}` }, ...rest] };
}

/** As earlier versions compared it: a run can be continued by a server of either version. */
function comparedMessage(message: ModelMessage): ModelMessage {
  if (message.role === 'tool' && isNoResult(message.content)) return Object.assign({}, message, { content: NO_RESULT });
  if (message.role !== 'assistant' || message.toolCalls.every((call) => isObjectText(call.arguments))) return message;
  const calls = message.toolCalls.map((call) => (isObjectText(call.arguments) ? call : { ...call, arguments: '{}' }));
  return Object.assign({}, message, { toolCalls: calls });
}

/** Without MCP tools, so that a run can be resumed while an MCP server is down. */
function inputHashOf({ request, toolSet }: ModelStep): string {
  const isMcp = (name: string): boolean => {
    const resolved = toolSet.resolve(name);
    return resolved.kind === 'server' && resolved.tool.origin.kind === 'mcp';
  };
  const tools = request.tools.map(({ name }) => name).filter((name) => !isMcp(name));
  return fingerprint({ messages: request.messages.map(comparedMessage), tools });
}

/** The output of a step that an earlier attempt has finished. Its call ids must not be given again. */
function replayed(output: JsonObject, callIds: StepSetting['callIds']): StepOutput {
  const step = output as unknown as StepOutput;
  callIds.reserve(step.toolCalls.map(({ id }) => id));
  return step;
}

/** Closes the messages. The caller must record the step in the same synchronous turn. */
function finish(
  context: AgentContext,
  writer: StepWriter,
  { reason: finishReason, usage, replay }: ModelFinish,
  { isShortened }: CallMeter,
): { output: StepOutput; messageIds: readonly string[] } {
  const limit = limitOf({ finishReason });
  const isFiltered = limit === 'content_filter' && !writer.hasAnswer;
  if (writer.isEmpty && !isFiltered) writer.writeEmptyText();
  const { text, refusal, toolCalls, messageIds } = writer.finish({ usage, limit, isFollowed: isFiltered });
  const output: StepOutput = {
    text,
    toolCalls,
    finishReason,
    usage,
    ...(refusal === '' ? {} : { refusal }),
    ...(replay && { replay }),
    ...(isShortened && finishReason === 'length' && { isCutByBudget: true }),
  };
  if (!isFiltered) return { output, messageIds };
  const refusalId = writeRefusal(context, messageIds.length === 0 ? usage : null);
  return { output: { ...output, refusal: REFUSAL }, messageIds: [...messageIds, refusalId] };
}

/** Writes a refusal for an answer that the provider has filtered out. It is incomplete, because the filter cut it. */
function writeRefusal(context: AgentContext, usage: Usage | null): string {
  const message = context.response.createMessageBuilder('assistant', 'message');
  message.created();
  message.inProgress();
  message.createContentBuilder('refusal').addRefusalDelta(REFUSAL);
  message.incomplete({ usage, code: 'content_filter' });
  return message.id;
}

/**
 * Estimates the usage of an interrupted model call, because providers report it only at the end of an answer.
 */
function partialUsage(
  { messages, tools }: ModelRequest,
  { answer, reasoning }: { readonly answer: string; readonly reasoning: string },
): Usage {
  const declared = tools.length === 0 ? 0 : estimateTextTokens(JSON.stringify(tools));
  return usageOf(declared + estimatePromptTokens(messages), estimateTextTokens(answer), estimateTextTokens(reasoning));
}

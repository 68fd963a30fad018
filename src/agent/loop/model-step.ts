import { AppError, fingerprint, type JsonObject } from '../../common/index.js';
import type { Usage } from '../../events/index.js';
import type { AgentContext } from '../agent.js';
import type { ModelClient, ModelEvent, ModelFinishReason, ModelRequest, ModelToolCall } from '../ports/model-client.js';
import { cutUsage } from './cut-usage.js';
import { ModelBatches } from './model-batches.js';
import { announcePrediction, type PredictedState } from './predicted-state.js';
import { type StepSetting, StepWriter } from './step-writer.js';
import type { UiCard } from './ui-card.js';

/** What the user reads when the provider's filter stopped an answer before its first word. */
export const REFUSAL = 'The model did not answer because of its content filter.';

/** The outcome of one model call, as the journal keeps it. */
export interface StepOutput {
  readonly text: string;
  readonly toolCalls: readonly ModelToolCall[];
  readonly finishReason: ModelFinishReason;
  readonly usage: Usage | null;
  readonly refusal?: string;
  readonly replay?: JsonObject;
}

type ModelFinish = Extract<ModelEvent, { readonly type: 'finish' }>;

/** One model call of a run. */
export interface ModelStep extends StepSetting {
  readonly context: AgentContext;
  readonly client: ModelClient;
  readonly request: ModelRequest;
  /** Told after the system prompt, and no part of what the journal compares. */
  readonly situation?: string;
  /** Announced before the calls it is about. */
  readonly predictedState?: readonly PredictedState[];
  /** Goes with the first text of the answer. */
  readonly card?: UiCard | undefined;
}

/**
 * Makes one model call and streams its answer into messages, unless the journal has it already: then
 * nothing is called and nothing is written. Yields after each batch of events, as a checkpoint. The usage
 * of an answer that is cut off is estimated and counted with the response.
 *
 * @throws AppError MODEL_* of the client; JOURNAL_MISMATCH; the reason of `context.signal`, after which nothing is written
 */
export async function* modelStep(call: ModelStep): AsyncGenerator<undefined, StepOutput, void> {
  const { context, client, request, step } = call;
  const key = `model:${step}`;
  const inputHash = inputHashOf(call);
  const stored = context.journal.finished(key, inputHash);
  if (stored) return replayed(stored.output, call.callIds);
  const writer = writerOf(call);
  const told = withSituation(request, call.situation);
  const batches = new ModelBatches(client.stream(told, context.signal), context.signal);
  let isFinished = false;
  try {
    for (let batch = await batches.next(); batch; batch = await batches.next()) {
      const end = writeBatch(writer, batch);
      if (end) {
        isFinished = true;
        const { output, messageIds } = finish(context, writer, end);
        context.journal.finish(key, inputHash, { ...output } as unknown as JsonObject, messageIds);
        return output;
      }
      yield;
    }
  } finally {
    batches.close();
    // A call that never answered cost nothing that anybody knows of.
    if (!isFinished && !writer.isEmpty) context.response.addUsage(cutUsage(told, writer.texts));
  }
  throw new AppError('MODEL_EXECUTION_FAILED', 'The model ended its answer without saying so');
}

/** Writes events up to the end of the answer, which is returned when the batch has it. */
function writeBatch(writer: StepWriter, batch: readonly ModelEvent[]): ModelFinish | undefined {
  for (const event of batch) {
    if (event.type === 'finish') return event;
    writer.write(event);
  }
  return undefined;
}

function writerOf(call: ModelStep): StepWriter {
  const { context, predictedState = [], card } = call;
  const onCall = (name: string): void => announcePrediction(context, predictedState, name);
  return new StepWriter(context.response, { ...call, onCall }, card);
}

function withSituation(request: ModelRequest, situation = ''): ModelRequest {
  if (situation === '') return request;
  const [first, ...rest] = request.messages;
  if (first?.role !== 'system')
    return { ...request, messages: [{ role: 'system', content: situation }, ...request.messages] };
  return { ...request, messages: [{ role: 'system', content: `${first.content}\n\n${situation}` }, ...rest] };
}

/** MCP tools are left out: a server that is down when a run is resumed costs its tools, not the run. */
function inputHashOf({ request, toolSet }: ModelStep): string {
  const isMcp = (name: string): boolean => {
    const resolved = toolSet.resolve(name);
    return resolved.kind === 'server' && resolved.tool.origin.kind === 'mcp';
  };
  const tools = request.tools.map(({ name }) => name).filter((name) => !isMcp(name));
  return fingerprint({ messages: request.messages, tools });
}

function replayed(output: JsonObject, callIds: StepSetting['callIds']): StepOutput {
  const step = output as unknown as StepOutput;
  callIds.reserve(step.toolCalls.map(({ id }) => id));
  return step;
}

/** Closes the messages. The caller writes the step down in the same synchronous turn. */
function finish(
  context: AgentContext,
  writer: StepWriter,
  { reason: finishReason, usage, replay }: ModelFinish,
): { output: StepOutput; messageIds: readonly string[] } {
  const isRefused = finishReason === 'content-filter';
  if (writer.isEmpty && !isRefused) writer.writeEmptyText();
  const { text, refusal, toolCalls, messageIds } = writer.finish(usage, replay);
  const output: StepOutput = {
    text,
    toolCalls,
    finishReason,
    usage,
    ...(refusal === '' ? {} : { refusal }),
    ...(replay && { replay }),
  };
  if (!isRefused || text !== '' || refusal !== '') return { output, messageIds };
  const refusalId = writeRefusal(context, messageIds.length === 0 ? usage : null);
  return { output: { ...output, refusal: REFUSAL }, messageIds: [...messageIds, refusalId] };
}

function writeRefusal(context: AgentContext, usage: Usage | null): string {
  const message = context.response.createMessageBuilder('assistant', 'message');
  message.created();
  message.inProgress();
  message.createContentBuilder('refusal').addRefusalDelta(REFUSAL);
  message.complete(usage ? { usage } : {});
  return message.id;
}

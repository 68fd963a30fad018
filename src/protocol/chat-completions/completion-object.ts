import type { AgentResponse, InterruptEvent, Message, Usage } from '../../events/index.js';
import { CALL_TYPES, citationsOf, OUTPUT_TYPES } from '../../events/index.js';
import { partText } from '../openai/index.js';
import type { CompletionInfo } from './completion-info.js';
import type { Completion, CompletionMessage, CompletionUsage, FinishReason, UrlCitation } from './completion.types.js';
import { type CallData, callDataOf, questionOf } from './told-calls.js';
import { CallTrace } from './tool-trace.js';

/** Between two texts of an answer. */
export const TEXT_BREAK = '\n\n';

/** What only the events of a run say. */
export interface EventFacts {
  /** What the run waits for; undefined if for nothing. */
  readonly interrupt?: Pick<InterruptEvent, 'call_ids' | 'items'> | undefined;
  /** The names of its subagents by their ids. */
  readonly subagents?: ReadonlyMap<string, string>;
}

/** The completion of a run that has ended (contract chat-completions, section A4). */
export function completionOf(info: CompletionInfo, response: AgentResponse, facts: EventFacts = {}): Completion {
  const message = messageOf(info, response.output ?? [], facts);
  return {
    id: info.id,
    object: 'chat.completion',
    created: info.created,
    model: info.model,
    choices: [
      { index: 0, message, logprobs: null, finish_reason: finishReason(response, message.tool_calls !== undefined) },
    ],
    usage: usageOf(response.usage),
    service_tier: 'default',
    system_fingerprint: null,
  };
}

/** Why an answer that did not fail has ended. */
export function finishReason({ status, error }: AgentResponse, hasCalls: boolean): FinishReason {
  if (status === 'incomplete') return error?.code === 'content_filter' ? 'content_filter' : 'length';
  return hasCalls ? 'tool_calls' : 'stop';
}

/** The tokens of a run: SDKs require every count. */
export function usageOf(usage: Usage | null): CompletionUsage {
  const { input_tokens: input = 0, output_tokens: output = 0 } = usage ?? {};
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: usage?.total_tokens ?? input + output,
    prompt_tokens_details: { cached_tokens: usage?.cached_tokens ?? 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: usage?.reasoning_tokens ?? 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

/** True for a message of the answer. */
export function isAnswer({ type, role }: Pick<Message, 'type' | 'role'>): boolean {
  return type === 'message' && role === 'assistant';
}

/** The text of a message of the answer, without what it refuses. */
export function answerText(message: Pick<Message, 'content'>): string {
  return (message.content ?? []).map((content) => (content.type === 'refusal' ? '' : partText(content))).join('');
}

/** The sources of a message of the answer. @param from where its text begins in that of the answer */
export function annotationsOf(message: Pick<Message, 'metadata'>, from: number): readonly UrlCitation[] {
  return citationsOf(message).map(({ url, title, start_index: start, end_index: end }) => ({
    type: 'url_citation',
    url_citation: { url, title, start_index: from + start, end_index: from + end },
  }));
}

/** Reasoning as it grows: what comes next begins on a line of its own. */
export class ReasoningText {
  private isLineOpen = false;

  /** What to add for a piece of reasoning. @param isNew true for the first piece of a message */
  piece(text: string, isNew: boolean): string {
    if (text === '') return '';
    const added = isNew && this.isLineOpen ? `\n${text}` : text;
    this.isLineOpen = !text.endsWith('\n');
    return added;
  }
}

function messageOf(
  info: CompletionInfo,
  messages: readonly Message[],
  { interrupt, subagents = new Map() }: EventFacts,
): CompletionMessage {
  const question = interrupt && questionOf(info, interrupt, callsOf(messages));
  const answers = messages.filter(isAnswer);
  const said = answers.filter((one) => answerText(one) !== '');
  if (info.isJson) said.splice(0, said.length - 1);
  const texts = said.map(answerText);
  const annotations = said.flatMap((one, at) => annotationsOf(one, startOf(at, texts)));
  if (question !== undefined && question.text !== '') texts.push(question.text);
  const refusals = answers.flatMap(({ content }) =>
    (content ?? []).map((part) => (part.type === 'refusal' ? (part.refusal ?? '') : '')),
  );
  const refusal = refusals.join('');
  const reasoning = reasoningOf(info, messages, subagents);
  const calls = question?.calls ?? [];
  return {
    role: 'assistant',
    content: calls.length > 0 && texts.length === 0 ? null : texts.join(TEXT_BREAK),
    refusal: refusal === '' ? null : refusal,
    annotations,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(reasoning !== '' && { reasoning_content: reasoning }),
  };
}

/** Where a text begins when all are joined. */
function startOf(at: number, texts: readonly string[]): number {
  return texts.slice(0, at).reduce((sum, text) => sum + text.length + TEXT_BREAK.length, 0);
}

function callsOf(messages: readonly Message[]): ReadonlyMap<string, CallData> {
  return new Map(
    messages.flatMap((message) => {
      if (!CALL_TYPES.includes(message.type)) return [];
      const call = callDataOf(message);
      return [[call.callId, call] as const];
    }),
  );
}

/** The reasoning of the model, and the lines about the server's calls. */
function reasoningOf(
  { reasoning, trace }: CompletionInfo,
  messages: readonly Message[],
  subagents: ReadonlyMap<string, string>,
): string {
  const text = new ReasoningText();
  const calls = new CallTrace(trace);
  for (const [id, name] of subagents) calls.subagent(id, name);
  const answered = new Set(
    messages.flatMap((one) => (OUTPUT_TYPES.includes(one.type) ? [callDataOf(one).callId] : [])),
  );
  const lines = messages.map((message) => {
    if (message.type === 'reasoning') return reasoning ? text.piece(answerText(message), true) : '';
    if (trace !== 'reasoning') return '';
    if (OUTPUT_TYPES.includes(message.type)) return text.piece(calls.ended(message).line, true);
    if (!CALL_TYPES.includes(message.type) || message.status !== 'completed') return '';
    // A call without an output may be the client's.
    const isServers = message.type !== 'function_call' || answered.has(callDataOf(message).callId);
    return isServers ? text.piece(calls.begun(message).line, true) : '';
  });
  return lines.join('');
}

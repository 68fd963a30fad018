import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Message,
  LanguageModelV3ToolCallPart,
  SharedV3ProviderOptions,
} from '@ai-sdk/provider';
import { type JsonObject, withIntegerTexts } from '../../../common/index.js';
import { readArguments } from '../../tools/index.js';
import type { ModelMessage, ModelRequest, ModelToolCall } from '../../ports/model-client.js';
import { type RuleSet, rulesFor, type WireRules } from '../chat-completions/profiles/wire-rules.js';
import { orderedMessages } from '../chat-completions/request/message-order.js';
import { responseFormat, type WrittenFormat } from '../chat-completions/request/response-format.js';
import { type MediaSetting, sdkPart } from './sdk-media.js';
import { providerOptions, writtenTools } from './sdk-options.js';
import { replayedParts } from './sdk-replay.js';
import { callIdFor, orderedFor, type ProviderRule, providerRule, type RuledModel } from './sdk-rules.js';
import { answerSchema } from './sdk-schema.js';

type AssistantMessage = Extract<LanguageModelV3Message, { role: 'assistant' }>;

/** How requests for a model are written. */
export interface PromptSetting {
  /** What the profile and refusals say. */
  readonly rules: RuleSet;
  /** The family that the settings name. */
  readonly family?: string | undefined;
  /** Of the team, by provider; they win over what the request asks for. */
  readonly providerOptions?: SharedV3ProviderOptions | undefined;
}

/** A request as `doStream` takes it, without the signal. */
export interface WrittenCall {
  readonly options: LanguageModelV3CallOptions;
  /** The rules that it was written by. */
  readonly rules: WireRules;
  /** Requested options that are not sent: sentences for the log. */
  readonly notes: readonly string[];
}

/** What the messages of one request have in common. */
interface MessageSetting extends MediaSetting {
  readonly model: RuledModel;
}

/** In the place of a result without words, for providers that refuse blank texts. */
const NO_RESULT_TEXT = '(The result is empty.)';

/**
 * Writes a request for a provider's package (contract model-servers, sections 1 and 5). System messages become one at the
 * beginning, because several providers refuse them later; consecutive tool results become one message.
 *
 * @throws AppError INVALID_PARAMETER for a part of the user's new message that is not valid
 */
export async function writtenCall(
  request: ModelRequest,
  model: LanguageModelV3,
  { rules: set, family, providerOptions: given }: PromptSetting,
): Promise<WrittenCall> {
  const { options } = request;
  const rules = rulesFor(set, options.reasoningEffort);
  const ruled: RuledModel = { provider: model.provider, modelId: model.modelId, family };
  const rule = providerRule(ruled);
  const messages = orderedFor(rule, orderedMessages(request.messages, rules));
  const format = responseFormat(options.responseFormat, messages, rules);
  const { notes, ...tools } = writtenTools(request, rules);
  const setting: MessageSetting = { rule, rules, urls: await model.supportedUrls, model: ruled };
  const sent = <Value>(name: string, value: Value): Value | undefined =>
    rules.omit.includes(name) ? undefined : value;
  return {
    rules,
    notes,
    options: {
      prompt: promptOf(messages, format.words, setting),
      temperature: sent('temperature', options.temperature),
      topP: sent('top_p', options.topP),
      frequencyPenalty: sent('frequency_penalty', options.frequencyPenalty),
      presencePenalty: sent('presence_penalty', options.presencePenalty),
      maxOutputTokens: sent('max_tokens', limitFor(rule, options.maxTokens)),
      stopSequences: sent('stop', stopsFor(rule, options.stop)),
      seed: sent('seed', options.seed),
      responseFormat: formatOf(format, rules),
      ...tools,
      ...(request.traceparent !== undefined && { headers: { traceparent: request.traceparent } }),
      providerOptions: providerOptions(rule, ruled, request, rules, given),
    },
  };
}

function limitFor({ leastTokens = 1 }: ProviderRule, limit: number | undefined): number | undefined {
  return limit === undefined ? undefined : Math.max(limit, leastTokens);
}

/** Texts that the provider would refuse are left out: the answer is longer, but there is one. */
function stopsFor({ blankStops = true, mostStops }: ProviderRule, stop: readonly string[] = []): string[] | undefined {
  const taken = stop.filter((text) => blankStops || text.trim() !== '').slice(0, mostStops);
  return taken.length === 0 ? undefined : taken;
}

function promptOf(
  messages: readonly ModelMessage[],
  words: string | undefined,
  setting: MessageSetting,
): LanguageModelV3Message[] {
  const prompt: LanguageModelV3Message[] = [];
  const systems = messages.flatMap((message) => (message.role === 'system' ? [message.content] : []));
  if (words !== undefined) systems.push(words);
  if (systems.length > 0) prompt.push({ role: 'system', content: systems.join('\n\n') });
  for (const [place, message] of messages.entries()) {
    if (message.role === 'user') {
      const isNew = place === messages.length - 1 && messages[place - 1]?.role !== 'tool';
      prompt.push({ role: 'user', content: message.content.map((part) => sdkPart(part, isNew, setting)) });
    } else if (message.role === 'assistant') prompt.push(assistantMessage(message, setting));
    else if (message.role === 'tool') addResult(prompt, message, setting);
  }
  return prompt;
}

function addResult(
  prompt: LanguageModelV3Message[],
  { callId, name: toolName, content }: Extract<ModelMessage, { role: 'tool' }>,
  setting: MessageSetting,
): void {
  const isRefused = setting.rule.blankResults === false && content.trim() === '';
  const output = { type: 'text', value: isRefused ? NO_RESULT_TEXT : content } as const;
  const result = { type: 'tool-result', toolCallId: idFor(callId, setting), toolName, output } as const;
  const last = prompt.at(-1);
  if (last?.role === 'tool') last.content.push(result);
  else prompt.push({ role: 'tool', content: [result] });
}

function assistantMessage(
  message: Extract<ModelMessage, { role: 'assistant' }>,
  setting: MessageSetting,
): AssistantMessage {
  const calls = message.toolCalls.map((call) => callPart(call, setting));
  const replayed = setting.rules.thoughts === 'never' ? undefined : replayedParts(message, setting.model, calls);
  if (replayed) return { role: 'assistant', content: replayed };
  const text: AssistantMessage['content'] = message.content === '' ? [] : [{ type: 'text', text: message.content }];
  return { role: 'assistant', content: [...text, ...calls] };
}

function callPart({ id, name, arguments: text }: ModelToolCall, setting: MessageSetting): LanguageModelV3ToolCallPart {
  return { type: 'tool-call', toolCallId: idFor(id, setting), toolName: name, input: inputOf(text) };
}

function idFor(id: string, { rule, rules }: MessageSetting): string {
  return callIdFor(rule, id, rules.callIds === 'nine');
}

/**
 * Providers take an object only; what the model wrote wrongly is shown to it as it was. The package prints the object
 * again, so that integers beyond 2^53 are text here.
 */
function inputOf(text: string): unknown {
  const read = readArguments(text);
  return 'args' in read ? withIntegerTexts(read.args) : { invalid_json: text };
}

/** The format in the words of the interface. */
function formatOf({ member }: WrittenFormat, rules: WireRules): LanguageModelV3CallOptions['responseFormat'] {
  if (member === undefined) return undefined;
  const { json_schema: asked } = member as { readonly json_schema?: JsonSchemaFormat };
  if (!asked) return { type: 'json' };
  const { name, schema, description } = asked;
  return {
    type: 'json',
    name,
    schema: answerSchema(schema, rules),
    ...(description !== undefined && { description }),
  };
}

interface JsonSchemaFormat {
  readonly name: string;
  readonly schema: JsonObject;
  readonly description?: string;
}

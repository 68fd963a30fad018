import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3FilePart,
  LanguageModelV3Message,
  LanguageModelV3TextPart,
  LanguageModelV3ToolCallPart,
  SharedV3ProviderOptions,
} from '@ai-sdk/provider';
import { withIntegerTexts } from '../../../common/index.js';
import { readArguments } from '../../../tools/index.js';
import type { ModelMessage, ModelOptions, ModelPart, ModelRequest, ModelToolCall } from '../../ports/model-client.js';
import { toMediaPart, unsupportedPart } from '../upstream/media-part.js';
import { normalizedSchema } from '../upstream/tool-schema.js';
import { COMMON_SCHEMA_RULES } from '../upstream/tool-schema-rules.js';
import { type AnswerOrigin, replayedParts } from './sdk-replay.js';
import { callIdFor, optionsName, orderedFor, statelessOptions, toolsOfHistory } from './sdk-rules.js';

type AssistantMessage = Extract<LanguageModelV3Message, { role: 'assistant' }>;
type SupportedUrls = Awaited<LanguageModelV3['supportedUrls']>;

/**
 * A model request as `doStream` takes it, without the signal. System messages become one at the beginning,
 * because several providers refuse them later; consecutive tool results become one message.
 *
 * @param providerOptions of the team, by provider; they win over what the request asks for
 * @throws AppError INVALID_PARAMETER for a part that the provider cannot take
 */
export async function toCallOptions(
  request: ModelRequest,
  model: LanguageModelV3,
  providerOptions: SharedV3ProviderOptions = {},
): Promise<LanguageModelV3CallOptions> {
  const { options, tools } = request;
  const urls = await model.supportedUrls;
  return {
    prompt: promptOf(orderedFor(model, request.messages), urls, model),
    temperature: options.temperature,
    topP: options.topP,
    frequencyPenalty: options.frequencyPenalty,
    presencePenalty: options.presencePenalty,
    maxOutputTokens: options.maxTokens,
    stopSequences: options.stop?.length ? [...options.stop] : undefined,
    seed: options.seed,
    responseFormat: responseFormat(options),
    ...(tools.length === 0 ? historyTools(request, model) : toolOptions(request)),
    ...(request.traceparent !== undefined && { headers: { traceparent: request.traceparent } }),
    providerOptions: mergedOptions(ownOptions(model, request), providerOptions),
  };
}

function promptOf(
  messages: readonly ModelMessage[],
  urls: SupportedUrls,
  origin: AnswerOrigin,
): LanguageModelV3Message[] {
  const prompt: LanguageModelV3Message[] = [];
  const systems = messages.flatMap((message) => (message.role === 'system' ? [message.content] : []));
  if (systems.length > 0) prompt.push({ role: 'system', content: systems.join('\n\n') });
  for (const message of messages) {
    const last = prompt.at(-1);
    if (message.role === 'user')
      prompt.push({ role: 'user', content: message.content.map((part) => partOf(part, urls)) });
    else if (message.role === 'assistant') prompt.push(assistantMessage(message, origin));
    else if (message.role === 'tool') {
      const { callId, name: toolName, content: value } = message;
      const toolCallId = callIdFor(origin, callId);
      const result = { type: 'tool-result', toolCallId, toolName, output: { type: 'text', value } } as const;
      if (last?.role === 'tool') last.content.push(result);
      else prompt.push({ role: 'tool', content: [result] });
    }
  }
  return prompt;
}

function partOf(part: ModelPart, urls: SupportedUrls): LanguageModelV3TextPart | LanguageModelV3FilePart {
  const media = toMediaPart(part);
  if (media.kind === 'text') return { type: 'text', text: media.text };
  const { mediaType, filename } = media;
  const name = filename === undefined ? {} : { filename };
  if (media.kind === 'bytes') return { type: 'file', mediaType, ...name, data: media.base64 };
  if (!takesUrl(media.url, mediaType, urls)) {
    throw unsupportedPart('The model takes files inline only: send the data of the file instead of its address');
  }
  return { type: 'file', mediaType, ...name, data: media.url };
}

function takesUrl({ href }: URL, mediaType: string, urls: SupportedUrls): boolean {
  const [kind = ''] = mediaType.split('/');
  return Object.entries(urls).some(([type, patterns]) => {
    const fits = type === '*' || type === '*/*' || type === mediaType || type === `${kind}/*`;
    return fits && patterns.some((pattern) => pattern.test(href));
  });
}

function assistantMessage(
  message: Extract<ModelMessage, { role: 'assistant' }>,
  origin: AnswerOrigin,
): AssistantMessage {
  const calls = message.toolCalls.map((call) => callPart(call, origin));
  const replayed = replayedParts(message, origin, calls);
  if (replayed) return { role: 'assistant', content: replayed };
  const text: AssistantMessage['content'] = message.content === '' ? [] : [{ type: 'text', text: message.content }];
  return { role: 'assistant', content: [...text, ...calls] };
}

function callPart({ id, name, arguments: text }: ModelToolCall, origin: AnswerOrigin): LanguageModelV3ToolCallPart {
  return { type: 'tool-call', toolCallId: callIdFor(origin, id), toolName: name, input: inputOf(text) };
}

/**
 * Providers take an object only; what the model wrote wrongly is shown to it as it was. The package prints the object
 * again, so that integers beyond 2^53 are text here.
 */
function inputOf(text: string): unknown {
  const read = readArguments(text);
  return 'args' in read ? withIntegerTexts(read.args) : { invalid_json: text };
}

function toolOptions({ tools, options }: ModelRequest): Pick<LanguageModelV3CallOptions, 'tools' | 'toolChoice'> {
  const { toolChoice } = options;
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'function',
      name,
      description,
      inputSchema: normalizedSchema(parameters, COMMON_SCHEMA_RULES),
    })),
    ...(toolChoice !== undefined && {
      toolChoice: typeof toolChoice === 'object' ? { type: 'tool', toolName: toolChoice.name } : { type: toolChoice },
    }),
  };
}

function historyTools({ messages }: ModelRequest, origin: AnswerOrigin): Pick<LanguageModelV3CallOptions, 'tools'> {
  const tools = toolsOfHistory(origin, messages);
  return tools ? { tools } : {};
}

function responseFormat({ responseFormat: format }: ModelOptions): LanguageModelV3CallOptions['responseFormat'] {
  if (format === undefined || format.type === 'text') return undefined;
  if (format.type === 'json_object') return { type: 'json' };
  const { name, schema, description } = format;
  return { type: 'json', name, schema, ...(description !== undefined && { description }) };
}

/** What the request asks for and the interface has no word for, under the names that most providers use. */
function ownOptions(origin: AnswerOrigin, { options, tools }: ModelRequest): SharedV3ProviderOptions {
  const name = optionsName(origin.provider);
  const { reasoningEffort } = options;
  const parallelToolCalls = tools.length === 0 ? undefined : options.parallelToolCalls;
  if (name === 'anthropic') return parallelToolCalls === false ? { [name]: { disableParallelToolUse: true } } : {};
  const own: SharedV3ProviderOptions[string] = { ...statelessOptions(origin) };
  if (parallelToolCalls !== undefined) own['parallelToolCalls'] = parallelToolCalls;
  if (reasoningEffort !== undefined) own['reasoningEffort'] = reasoningEffort;
  return Object.keys(own).length === 0 ? {} : { [name]: own };
}

function mergedOptions(own: SharedV3ProviderOptions, given: SharedV3ProviderOptions): SharedV3ProviderOptions {
  const merged = { ...own };
  for (const [provider, options] of Object.entries(given)) {
    merged[provider] = Object.assign({}, merged[provider], options);
  }
  return merged;
}

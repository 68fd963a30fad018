import type {
  JSONValue,
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  LanguageModelV3ToolCallPart,
} from '@ai-sdk/provider';
import { isPlainObject } from '../../../common/index.js';
import type { ModelMessage, ModelOptions, ModelRequest, ModelToolCall } from '../../ports/model-client.js';
import { toSdkPart } from './part-mapping.js';

/**
 * A model request as `doStream` takes it, without the signal.
 *
 * @throws AppError INVALID_PARAMETER when a part cannot be carried by the chat format
 */
export function toCallOptions(request: ModelRequest): LanguageModelV3CallOptions {
  const { options } = request;
  return {
    prompt: request.messages.map(toSdkMessage),
    tools: request.tools.map((tool): LanguageModelV3FunctionTool => ({
      type: 'function',
      name: tool.name,
      description: tool.description,
      inputSchema: tool.parameters,
    })),
    temperature: options.temperature,
    topP: options.topP,
    frequencyPenalty: options.frequencyPenalty,
    presencePenalty: options.presencePenalty,
    maxOutputTokens: options.maxTokens,
    stopSequences: options.stop?.length ? [...options.stop] : undefined,
    seed: options.seed,
    ...formatOf(options),
    ...toolChoiceOf(request),
    providerOptions: { openaiCompatible: providerOptions(request) },
    // Raw chunks tell which tool call ids come from the provider: the SDK makes up those that lack.
    includeRawChunks: true,
  };
}

function formatOf({ responseFormat }: ModelOptions): Pick<LanguageModelV3CallOptions, 'responseFormat'> {
  if (responseFormat === undefined || responseFormat.type === 'text') return {};
  if (responseFormat.type === 'json_object') return { responseFormat: { type: 'json' } };
  const { name, schema, description } = responseFormat;
  return { responseFormat: { type: 'json', name, schema, ...(description !== undefined && { description }) } };
}

/** Providers refuse a choice where there is nothing to choose from. */
function toolChoiceOf({ options, tools }: ModelRequest): Pick<LanguageModelV3CallOptions, 'toolChoice'> {
  const { toolChoice } = options;
  if (toolChoice === undefined || tools.length === 0) return {};
  if (typeof toolChoice === 'object') return { toolChoice: { type: 'tool', toolName: toolChoice.name } };
  return { toolChoice: { type: toolChoice } };
}

/** What the chat format has and the SDK's call options have not. */
function providerOptions({ options, tools }: ModelRequest): Record<string, JSONValue> {
  const { parallelToolCalls, reasoningEffort, responseFormat } = options;
  return {
    ...(parallelToolCalls === undefined || tools.length === 0 ? {} : { parallel_tool_calls: parallelToolCalls }),
    ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
    ...(responseFormat?.type === 'json_schema' ? { strictJsonSchema: responseFormat.strict === true } : {}),
  };
}

function toSdkMessage(message: ModelMessage): LanguageModelV3Message {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content };
    case 'user':
      return {
        role: 'user',
        content: message.content.length > 0 ? message.content.map(toSdkPart) : [{ type: 'text', text: '' }],
      };
    case 'assistant':
      return {
        role: 'assistant',
        content: [
          ...(message.content ? [{ type: 'text' as const, text: message.content }] : []),
          ...message.toolCalls.map(toSdkToolCall),
        ],
      };
    case 'tool':
      return {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: message.callId,
            toolName: message.name,
            output: { type: 'text', value: message.content },
          },
        ],
      };
  }
}

/**
 * Valid arguments go back exactly as the model wrote them: parsing and printing them again would
 * change large numbers and miss the provider's prompt cache. Invalid ones are wrapped, because many
 * providers refuse a conversation that holds invalid JSON.
 */
function toSdkToolCall(call: ModelToolCall): LanguageModelV3ToolCallPart {
  const valid = isJsonObject(call.arguments);
  const part = { type: 'tool-call' as const, toolCallId: call.id, toolName: call.name };
  if (!valid) return { ...part, input: call.arguments.trim() === '' ? {} : { invalid_json: call.arguments } };
  return {
    ...part,
    input: {},
    // The SDK merges this over the part's wire form.
    providerOptions: { openaiCompatible: { function: { name: call.name, arguments: call.arguments } } },
  };
}

function isJsonObject(text: string): boolean {
  try {
    return isPlainObject(JSON.parse(text));
  } catch {
    return false;
  }
}

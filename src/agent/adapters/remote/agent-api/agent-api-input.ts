import { assertUnreachable, type JsonObject } from '../../../../common/index.js';
import type { ToolDeclaration } from '../../../tools/index.js';
import type { ModelMessage, ModelOptions, ModelPart } from '../../../ports/model-client.js';
import type { Decision } from '../remote-kind.js';

/** A conversation as messages of the Agent API. */
export function agentApiMessages(messages: readonly ModelMessage[]): JsonObject[] {
  return messages.flatMap(messagesOf);
}

function messagesOf(message: ModelMessage): JsonObject[] {
  switch (message.role) {
    case 'system':
      return [textMessage('system', message.content)];
    case 'user':
      return [{ type: 'message', role: 'user', content: message.content.map(contentOf) }];
    case 'assistant':
      return [
        ...(message.content === '' ? [] : [textMessage('assistant', message.content)]),
        ...message.toolCalls.map(({ id, name, arguments: text }) => {
          return dataMessage('function_call', 'assistant', { call_id: id, name, arguments: text });
        }),
      ];
    case 'tool':
      return [dataMessage('function_call_output', 'tool', { call_id: message.callId, output: message.content })];
    default:
      return assertUnreachable(message);
  }
}

/** A message with one text. */
export function textMessage(role: string, text: string): JsonObject {
  return { type: 'message', role, content: [{ type: 'text', text }] };
}

function dataMessage(type: string, role: string, data: JsonObject): JsonObject {
  return { type, role, content: [{ type: 'data', data }] };
}

/** Decisions on approval requests. */
export function decisionMessages(decisions: readonly Decision[]): JsonObject[] {
  return decisions.map(({ requestId, approve, reason }) => {
    const data = { approval_request_id: requestId, approve, ...(reason !== undefined && { reason }) };
    return dataMessage('mcp_approval_response', 'user', data);
  });
}

function contentOf(part: ModelPart): JsonObject {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'image', image_url: part.url };
    case 'audio':
      return { type: 'audio', data: part.data, format: part.format };
    case 'file': {
      const filename: JsonObject = part.filename === null ? {} : { filename: part.filename };
      return { type: 'file', ...(part.data === null ? { file_url: part.url } : { file_data: part.data }), ...filename };
    }
    default:
      return assertUnreachable(part);
  }
}

/** The tools that the client runs. */
export function agentApiTools(tools: readonly ToolDeclaration[]): JsonObject[] {
  return tools.map(({ name, description, parameters }) => {
    return { type: 'function', function: { name, description, parameters } };
  });
}

/** The options of the request that this API has. */
export function agentApiOptions(options: ModelOptions): JsonObject {
  const { temperature, topP, frequencyPenalty, presencePenalty, maxTokens, seed, stop } = options;
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(frequencyPenalty !== undefined && { frequency_penalty: frequencyPenalty }),
    ...(presencePenalty !== undefined && { presence_penalty: presencePenalty }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(seed !== undefined && { seed }),
    ...(stop !== undefined && { stop: [...stop] }),
  };
}

import { assertUnreachable, type JsonObject } from '../../../../common/index.js';
import type { ToolDeclaration } from '../../../tools/index.js';
import type { ModelMessage, ModelOptions, ModelPart } from '../../../ports/model-client.js';
import { textAt } from '../json-fields.js';
import type { Decision } from '../remote-kind.js';

/** A conversation as input items (contract responses, section A2). */
export function inputItems(messages: readonly ModelMessage[]): JsonObject[] {
  return messages.flatMap(itemsOf);
}

function itemsOf(message: ModelMessage): JsonObject[] {
  switch (message.role) {
    case 'system':
      return [{ type: 'message', role: 'system', content: [{ type: 'input_text', text: message.content }] }];
    case 'user':
      return [{ type: 'message', role: 'user', content: message.content.map(inputPart) }];
    case 'assistant':
      return [
        // As a text: as a part of an output message it would need an id, a status and annotations for strict servers.
        ...(message.content === '' ? [] : [{ type: 'message', role: 'assistant', content: message.content }]),
        ...message.toolCalls.map(({ id, name, arguments: text }) => {
          return { type: 'function_call', call_id: id, name, arguments: text };
        }),
      ];
    case 'tool':
      return [{ type: 'function_call_output', call_id: message.callId, output: outputOf(message) }];
    default:
      return assertUnreachable(message);
  }
}

function outputOf({ content, images = [] }: Extract<ModelMessage, { role: 'tool' }>): string | JsonObject[] {
  if (images.length === 0) return content;
  return [...(content === '' ? [] : [{ type: 'input_text', text: content }]), ...images.map(inputPart)];
}

function inputPart(part: ModelPart): JsonObject {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text };
    case 'image':
      return { type: 'input_image', image_url: part.url, detail: 'auto' };
    case 'audio':
      return { type: 'input_audio', input_audio: { data: part.data, format: part.format } };
    case 'file':
      return {
        type: 'input_file',
        ...(part.filename !== null && { filename: part.filename }),
        ...(part.data === null ? { file_url: part.url } : { file_data: part.data }),
      };
    default:
      return assertUnreachable(part);
  }
}

/** Decisions on approval requests. */
export function approvalItems(decisions: readonly Decision[]): JsonObject[] {
  return decisions.map(({ requestId, approve, reason }) => {
    return {
      type: 'mcp_approval_response',
      approval_request_id: requestId,
      approve,
      ...(reason !== undefined && { reason }),
    };
  });
}

/**
 * A conversation with decisions on requests that the upstream has not kept: each request is there again, in place of the call,
 * with its answer.
 */
export function decidedItems(messages: readonly ModelMessage[], decisions: readonly Decision[]): JsonObject[] {
  const open = new Map(decisions.flatMap((one) => (one.call ? [[one.call.callId, one]] : [])));
  const items = inputItems(messages).flatMap((item): JsonObject[] => {
    const callId = textAt(item, 'call_id');
    const decision = callId === undefined ? undefined : open.get(callId);
    if (!decision) return [item];
    return item['type'] === 'function_call' ? requestAndAnswer(decision) : [];
  });
  // What a summary stands for is not among the messages.
  const placed = new Set(items.map((item) => item['approval_request_id']));
  const others = decisions.filter(({ requestId }) => !placed.has(requestId));
  return [...items, ...others.flatMap(requestAndAnswer)];
}

function requestAndAnswer(decision: Decision): JsonObject[] {
  const { requestId: id, call } = decision;
  const answers = approvalItems([decision]);
  if (!call) return answers;
  const { label, name, arguments: text } = call;
  return [{ type: 'mcp_approval_request', id, server_label: label, name, arguments: text }, ...answers];
}

/** The tools that the client runs. */
export function functionTools(tools: readonly ToolDeclaration[]): JsonObject[] {
  return tools.map(({ name, description, parameters }) => {
    return { type: 'function', name, description, parameters, strict: false };
  });
}

/** The options of the request that this API has. */
export function optionFields(options: ModelOptions): JsonObject {
  const { temperature, topP, frequencyPenalty, presencePenalty, maxTokens, toolChoice, parallelToolCalls } = options;
  const { responseFormat, reasoningEffort } = options;
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(frequencyPenalty !== undefined && { frequency_penalty: frequencyPenalty }),
    ...(presencePenalty !== undefined && { presence_penalty: presencePenalty }),
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
    ...(parallelToolCalls !== undefined && { parallel_tool_calls: parallelToolCalls }),
    ...(toolChoice !== undefined && {
      tool_choice: typeof toolChoice === 'object' ? { type: 'function', name: toolChoice.name } : toolChoice,
    }),
    ...(responseFormat !== undefined && { text: { format: formatOf(responseFormat) } }),
    ...(reasoningEffort !== undefined && { reasoning: { effort: reasoningEffort } }),
  };
}

function formatOf(format: NonNullable<ModelOptions['responseFormat']>): JsonObject {
  if (format.type !== 'json_schema') return { type: format.type };
  const { type, name, schema, strict, description } = format;
  return {
    type,
    name,
    schema,
    ...(strict !== undefined && { strict }),
    ...(description !== undefined && { description }),
  };
}

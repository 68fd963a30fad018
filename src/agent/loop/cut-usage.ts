import type { Usage } from '../../events/index.js';
import type { ModelMessage, ModelPart, ModelRequest } from '../ports/model-client.js';
import { estimateTextTokens, MEDIA_TOKENS, usageOf } from '../prompt/token-estimate.js';

/**
 * What a model call has used that was cut off: providers count at the end of an answer, so it is
 * estimated as the context window is.
 */
export function cutUsage(
  { messages, tools }: ModelRequest,
  { spoken, thought }: { readonly spoken: string; readonly thought: string },
): Usage {
  const declared = tools.length === 0 ? 0 : estimateTextTokens(JSON.stringify(tools));
  const input = messages.reduce((sum, message) => sum + tokensOf(message), declared);
  return usageOf(input, estimateTextTokens(spoken), estimateTextTokens(thought));
}

function tokensOf(message: ModelMessage): number {
  if (message.role === 'user') return message.content.reduce((sum, part) => sum + partTokens(part), 0);
  const calls = message.role === 'assistant' ? message.toolCalls.map(({ name, arguments: text }) => name + text) : [];
  return estimateTextTokens(message.content + calls.join(''));
}

function partTokens(part: ModelPart): number {
  return part.type === 'text' ? estimateTextTokens(part.text) : MEDIA_TOKENS;
}

import { type ModelMessage, type ModelRequest, usageOf } from '../../agent/index.js';
import type { Usage } from '../../events/index.js';

const CHARACTERS_PER_TOKEN = 4;

/** Usage as the offline model reports it: about four characters are a token. */
export function estimateUsage(request: ModelRequest, spoken: number, thought: number): Usage {
  const tools = request.tools.reduce(
    (sum, tool) => sum + tool.name.length + tool.description.length + JSON.stringify(tool.parameters).length,
    0,
  );
  const input = tokens(request.messages.reduce((sum, message) => sum + sizeOf(message), tools));
  return usageOf(input, tokens(spoken), tokens(thought));
}

function sizeOf(message: ModelMessage): number {
  if (message.role === 'user')
    return message.content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);
  if (message.role !== 'assistant') return message.content.length;
  return message.toolCalls.reduce(
    (sum, call) => sum + call.name.length + call.arguments.length,
    message.content.length,
  );
}

function tokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

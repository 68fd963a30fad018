import type { Content, Message, Usage } from '../../events/index.js';
import type { ModelMessage, ModelPart } from '../ports/model-client.js';

/** The estimate for an image, an audio or a file, in tokens. */
export const MEDIA_TOKENS = 1000;

/** The overhead of a message, in tokens. */
const MESSAGE_TOKENS = 4;

/** Characters of a token in Latin script, on average. */
const LATIN_PER_TOKEN = 4;
/** From this code unit on, a character is about one token: CJK, kana, hangul, full-width forms, emoji. */
const FIRST_WIDE_CHARACTER = 0x2e80;

/** Estimates the tokens of a text: one for 4 Latin characters or for 1 CJK character. */
export function estimateTextTokens(text: string): number {
  let wide = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) >= FIRST_WIDE_CHARACTER) wide += 1;
  }
  return wide + Math.ceil((text.length - wide) / LATIN_PER_TOKEN);
}

/** The usage of one model call. Reasoning counts as output; its count is present only if it is not 0. */
export function usageOf(input: number, answer: number, reasoning: number): Usage {
  const output = answer + reasoning;
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    ...(reasoning > 0 && { reasoning_tokens: reasoning }),
  };
}

/** Estimates the tokens of a message. Lists of tools count 0, because models do not see them. */
export function estimateMessageTokens(message: Message): number {
  if (message.type === 'mcp_list_tools') return 0;
  return (message.content ?? []).reduce((sum, content) => sum + contentTokens(content), MESSAGE_TOKENS);
}

/** Media have a fixed estimate, because their size says little about their tokens. */
function contentTokens(content: Content): number {
  if (content.type === 'text') return estimateTextTokens(content.text ?? '');
  if (content.type === 'refusal') return estimateTextTokens(content.refusal ?? '');
  if (content.type === 'data') return estimateTextTokens(JSON.stringify(content.data ?? {}));
  return MEDIA_TOKENS;
}

/** Estimates the tokens of a conversation for a model: texts, calls and media. */
export function estimatePromptTokens(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + promptTokens(message), 0);
}

function promptTokens(message: ModelMessage): number {
  if (message.role === 'user') return message.content.reduce((sum, part) => sum + partTokens(part), 0);
  const calls = message.role === 'assistant' ? message.toolCalls.map(({ name, arguments: text }) => name + text) : [];
  return estimateTextTokens(message.content + calls.join(''));
}

function partTokens(part: ModelPart): number {
  return part.type === 'text' ? estimateTextTokens(part.text) : MEDIA_TOKENS;
}

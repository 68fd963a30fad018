import type { Content, Message, Usage } from '../../events/index.js';

/** What an image, an audio or a file is counted as, in tokens. */
export const MEDIA_TOKENS = 1000;

/** What a message costs besides its contents. */
const MESSAGE_TOKENS = 4;

const LATIN_PER_TOKEN = 4;
/** From here on, a character is about a token: CJK, kana, hangul, full-width forms, emoji. */
const FIRST_WIDE_CHARACTER = 0x2e80;

/** About how many tokens a text is: 4 Latin characters or 1 CJK character each. */
export function estimateTextTokens(text: string): number {
  let wide = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) >= FIRST_WIDE_CHARACTER) wide += 1;
  }
  return wide + Math.ceil((text.length - wide) / LATIN_PER_TOKEN);
}

/** The usage of one model call by its parts, in tokens. Thoughts are output, and are told only when there are any. */
export function usageOf(input: number, spoken: number, thought: number): Usage {
  const output = spoken + thought;
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    ...(thought > 0 && { reasoning_tokens: thought }),
  };
}

/** About how many tokens a message is; lists of tools are shown to people only. */
export function estimateMessageTokens(message: Message): number {
  if (message.type === 'mcp_list_tools') return 0;
  return (message.content ?? []).reduce((sum, content) => sum + contentTokens(content), MESSAGE_TOKENS);
}

function contentTokens(content: Content): number {
  if (content.type === 'text') return estimateTextTokens(content.text ?? '');
  if (content.type === 'refusal') return estimateTextTokens(content.refusal ?? '');
  if (content.type === 'data') return estimateTextTokens(JSON.stringify(content.data ?? {}));
  return MEDIA_TOKENS;
}

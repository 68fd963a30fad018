import type { ServerResponse } from 'node:http';
import type { Script } from './raw-upstream.js';

/** A block of an answer in the format of Anthropic's Messages API. */
export type AnthropicBlock =
  | { readonly thinking: string; readonly signature: string }
  | { readonly redacted: string }
  | { readonly text: string }
  | { readonly tool: string; readonly id: string; readonly input: readonly string[] };

/** Answers with these blocks as Anthropic's Messages API streams them, each text in two pieces. */
export function anthropicAnswer(blocks: readonly AnthropicBlock[], stopReason = 'end_turn'): Script {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const usage = { input_tokens: 25, cache_creation_input_tokens: 0, cache_read_input_tokens: 10, output_tokens: 1 };
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', content: [], usage };
    event(response, { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } });
    event(response, { type: 'ping' });
    blocks.forEach((block, index) => {
      event(response, { type: 'content_block_start', index, content_block: startOf(block) });
      for (const delta of deltasOf(block)) event(response, { type: 'content_block_delta', index, delta });
      event(response, { type: 'content_block_stop', index });
    });
    const delta = { stop_reason: stopReason, stop_sequence: null };
    event(response, { type: 'message_delta', delta, usage: { output_tokens: 15 } });
    event(response, { type: 'message_stop' });
    response.end();
  };
}

/** Sends one event as Anthropic does. */
export function event(
  response: ServerResponse,
  data: { readonly type: string; readonly [key: string]: unknown },
): void {
  response.write(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** Answers with these parts as Gemini's `streamGenerateContent` does, each in a chunk of its own. */
export function geminiAnswer(parts: readonly object[], finishReason = 'STOP'): Script {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    parts.forEach((part, index) => {
      const isLast = index === parts.length - 1;
      const candidate = { content: { parts: [part], role: 'model' }, index: 0, ...(isLast && { finishReason }) };
      const usageMetadata = {
        promptTokenCount: 12,
        candidatesTokenCount: 5,
        thoughtsTokenCount: 3,
        totalTokenCount: 20,
      };
      response.write(`data: ${JSON.stringify({ candidates: [candidate], usageMetadata })}\r\n\r\n`);
    });
    response.end();
  };
}

function startOf(block: AnthropicBlock): object {
  if ('thinking' in block) return { type: 'thinking', thinking: '', signature: '' };
  if ('redacted' in block) return { type: 'redacted_thinking', data: block.redacted };
  if ('text' in block) return { type: 'text', text: '' };
  return { type: 'tool_use', id: block.id, name: block.tool, input: {} };
}

function deltasOf(block: AnthropicBlock): object[] {
  if ('thinking' in block) {
    const thinking = halves(block.thinking).map((half) => ({ type: 'thinking_delta', thinking: half }));
    return [...thinking, { type: 'signature_delta', signature: block.signature }];
  }
  if ('redacted' in block) return [];
  if ('text' in block) return halves(block.text).map((text) => ({ type: 'text_delta', text }));
  return block.input.map((json) => ({ type: 'input_json_delta', partial_json: json }));
}

function halves(text: string): [string, string] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { LoopbackServer } from './loopback-server.js';

/** A message of a Chat Completions request. */
export interface SentMessage {
  readonly role: string;
  readonly content: unknown;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly arguments: string } }[];
  readonly tool_call_id?: string;
}

/** What the server says to a request that it refuses, as DeepSeek does. */
const MISSING = 'The `reasoning_content` in the thinking mode must be passed back to the API.';

/** The tool that the client runs. */
export const BROWSE = { name: 'browse', description: 'Opens a page', parameters: { type: 'object', properties: {} } };

/**
 * A model server that thinks before each call of a tool, and refuses a conversation in which an answer with calls lacks
 * its thoughts, or that has another form than its template knows: one system message at the beginning, then user and
 * assistant in turn, the images of results aside. A user's text with `Look` calls the weather tool of the samples, one with `Browse` that of the
 * client; anything else, and results, are answered by a text.
 */
export class ThinkingServer extends LoopbackServer {
  /** The messages of each request. */
  readonly seen: (readonly SentMessage[])[] = [];
  /** What was refused, and why. */
  readonly refusals: string[] = [];
  /** The tool of the server that is called. */
  readonly called = { name: 'get_weather' };
  /** True: results are not answered. */
  holdsResults = false;
  private readonly thoughts = new Set<string | undefined>();

  /** The settings of a server that asks this one. */
  get env(): Record<string, string> {
    return { LLM_BASE_URL: `${this.url}/v1`, LLM_API_KEY: 'sk-test', LLM_MAX_RETRIES: '0' };
  }

  /** The thoughts of the answers with calls in the last request; undefined where they are missing. */
  get returned(): (string | undefined)[] {
    const answers = this.seen.at(-1)?.filter(({ tool_calls: calls }) => calls && calls.length > 0) ?? [];
    return answers.map(({ reasoning_content: thoughts }) => thoughts);
  }

  /** The roles of the last request by their first letters. */
  get roles(): string {
    return (this.seen.at(-1) ?? []).map(({ role }) => role[0]).join('');
  }

  protected override handle(_: IncomingMessage, response: ServerResponse, body: Buffer): void {
    const { messages } = JSON.parse(body.toString()) as { readonly messages: readonly SentMessage[] };
    this.seen.push(messages);
    const refusal = this.refusalOf(messages);
    if (refusal !== undefined) {
      this.refusals.push(refusal);
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: refusal, type: 'invalid_request_error' } }));
      return;
    }
    const last = messages.at(-1);
    if (this.holdsResults && last?.role === 'tool') return;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const words = last?.role === 'user' ? JSON.stringify(last.content) : '';
    const tool = words.includes('Look') ? this.called.name : words.includes('Browse') ? 'browse' : undefined;
    const turn = this.seen.length;
    if (tool === undefined) {
      piece(response, { content: `Answer ${turn}.` }, 'stop');
    } else {
      const id = `call_${turn}`;
      const thoughts = `Thoughts before ${id}`;
      this.thoughts.add(thoughts);
      piece(response, { reasoning_content: thoughts });
      const called = { name: tool, arguments: tool === 'browse' ? '{"page": 1}' : '{"city": "Paris"}' };
      piece(response, { tool_calls: [{ index: 0, id, type: 'function', function: called }] }, 'tool_calls');
    }
    response.end('data: [DONE]\n\n');
  }

  private refusalOf(messages: readonly SentMessage[]): string | undefined {
    const spoken = messages[0]?.role === 'system' ? messages.slice(1) : messages;
    if (spoken.some(({ role }) => role === 'system')) return 'System message must be at the beginning.';
    let turn = 'assistant';
    for (const [index, { role, content, tool_calls: calls, reasoning_content: thoughts }] of spoken.entries()) {
      if (calls && calls.length > 0 && !this.thoughts.has(thoughts)) return MISSING;
      if (role === 'tool' || (calls && calls.length > 0)) continue;
      const hasImages = Array.isArray(content) && JSON.stringify(content).includes('image_url');
      if (hasImages && spoken[index - 1]?.role === 'tool') continue;
      if (role === turn) return 'Conversation roles must alternate user/assistant/user/assistant/...';
      turn = role;
    }
    return undefined;
  }
}

function piece(response: ServerResponse, delta: object, reason: string | null = null): void {
  response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`);
}

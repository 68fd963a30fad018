import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rulesOf, type ServerDouble } from '../../src/agent/adapters/testing/server-doubles.js';
import type { ChatBody, ChatMessage } from '../../src/agent/adapters/testing/strict-server.js';

type Delta = Readonly<Record<string, unknown>>;

/** The tool that is called. */
export const LOOKUP = 'lookup';
/** How the first message of a conversation names it. */
const CONVERSATION = /talk-\w+/;

/**
 * A model server that thinks before each answer, in the form of a server whose double it is, refuses what that one
 * refuses, and wants the thoughts of each call back if that one does. `Look` calls the tool; a result is told; any other
 * text is answered with the first words of the conversation.
 */
export class ThinkingDouble {
  /** What was refused, and why. */
  readonly refusals: string[] = [];
  /** Requests that were taken. */
  taken = 0;
  private double: ServerDouble = { model: 'none' };
  private readonly server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => this.handle(JSON.parse(Buffer.concat(chunks).toString()) as ChatBody, response));
  });

  async start(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  /** From now on it is the double of this server. */
  become(double: ServerDouble): void {
    this.double = double;
    this.refusals.splice(0);
    this.taken = 0;
  }

  private handle(body: ChatBody, response: ServerResponse): void {
    const refusal = rulesOf(this.double)(body, '');
    const problem = refusal ? JSON.stringify(refusal.body) : this.missingThought(body);
    if (problem !== undefined) {
      this.refusals.push(problem);
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify(refusal?.body ?? { error: { message: problem } }));
      return;
    }
    this.taken += 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const deltas = this.answer(body);
    for (const delta of deltas) response.write(chunk({ delta }));
    const reason = deltas.some((delta) => 'tool_calls' in delta) ? 'tool_calls' : 'stop';
    response.end(`${chunk({ delta: {}, finish_reason: reason })}data: [DONE]\n\n`);
  }

  /** What is wrong if thoughts are wanted back and do not come: those of each call are others. */
  private missingThought({ messages }: ChatBody): string | undefined {
    if (!this.double.checks?.some((name) => name.endsWith('Back'))) return undefined;
    const missing = callsIn(messages).find((message, at) => !JSON.stringify(message).includes(thought(messages, at)));
    return missing && `other thoughts than those that were given: ${JSON.stringify(missing)}`;
  }

  private answer({ messages, tools }: ChatBody): readonly Delta[] {
    const last = messages.at(-1);
    const calls = callsIn(messages).length;
    const said = thought(messages, calls);
    if (last?.role === 'tool') return [...this.thinks('So it is.'), { content: `Found ${String(last.content)}.` }];
    if (!/Look/.test(wordsOf(last)) || !tools) {
      return [
        ...this.thinks('I remember.'),
        { content: `You began with ${CONVERSATION.exec(JSON.stringify(messages))?.[0]}.` },
      ];
    }
    const call = { index: 0, id: `call_${said}`, type: 'function', function: { name: LOOKUP, arguments: '{"id": 7}' } };
    const signature = { extra_content: { google: { thought_signature: said } } };
    const isSigned = this.double.checks?.includes('signaturesBack');
    return [...this.thinks(said), { tool_calls: [isSigned ? { ...call, ...signature } : call] }];
  }

  /** Thoughts as the server writes them. */
  private thinks(text: string): readonly Delta[] {
    const { checks = [], host = '' } = this.double;
    if (checks.includes('signaturesBack')) return [];
    if (checks.includes('partsBack')) return [{ content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] }];
    if (checks.includes('detailsBack')) {
      return [{ reasoning: text, reasoning_details: [{ type: 'reasoning.text', text, index: 0 }] }];
    }
    if (/perplexity|bedrock/.test(host)) return [{ content: '<think>' }, { content: `${text}</think>\n` }];
    return [{ [/groq|cerebras|llamacpp|vllm/.test(host) ? 'reasoning' : 'reasoning_content']: text }];
  }
}

const callsIn = (messages: readonly ChatMessage[]): readonly ChatMessage[] =>
  messages.filter(({ tool_calls: calls }) => calls && calls.length > 0);

/** The thoughts before a call of a conversation. */
function thought(messages: readonly ChatMessage[], at: number): string {
  return `${CONVERSATION.exec(JSON.stringify(messages))?.[0]}-thought-${at}`;
}

/** The words of the user in a message, the last ones where several were joined. */
function wordsOf(message: ChatMessage | undefined): string {
  const { content } = message ?? {};
  if (typeof content === 'string') return content;
  const last: unknown = Array.isArray(content) ? content.at(-1) : undefined;
  return JSON.stringify(last ?? '');
}

const chunk = (choice: object): string => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`;

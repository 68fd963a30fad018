import type { IncomingMessage, ServerResponse } from 'node:http';
import { rulesOf, type ServerDouble } from '../../src/agent/adapters/testing/server-doubles.js';
import type { ChatBody, ChatMessage } from '../../src/agent/adapters/testing/strict-server.js';
import { LoopbackServer } from './loopback-server.js';

type Delta = Readonly<Record<string, unknown>>;

/** The tool that is called. */
export const LOOKUP = 'lookup';
/** How the first message of a conversation names it. */
const CONVERSATION = /talk-\w+/;

/** An answer of the double. */
interface DoubleAnswer {
  readonly deltas: readonly Delta[];
  /** Default: `tool_calls` with calls, else `stop`. */
  readonly reason?: string;
  /** What happens in the place of the end. */
  readonly instead?: 'error' | 'nothing';
}

/**
 * A model server that thinks before each answer, in the form of a server whose double it is, refuses what that one
 * refuses, and wants the thoughts of each call back if that one does. Its answer depends on a word of the last message:
 *
 * - `Look` calls the tool; `Both` calls all tools of the client at once; `Pay` calls the tool `pay`
 * - `Break` ends with an error in the stream, `Cut` in the middle of a call, `Filter` by the filter; `Hang` does not end
 * - `Busy` is 429 the first time; `Long` is always too long
 *
 * A result is told; any other text is answered with the first words of the conversation.
 */
export class ThinkingDouble extends LoopbackServer {
  /** What was refused, and why. */
  readonly refusals: string[] = [];
  /** Requests that were taken. */
  taken = 0;
  /** All requests. */
  readonly seen: ChatBody[] = [];
  /** Answers that do not end. */
  hanging = 0;
  private readonly busy = new Set<string>();
  private double: ServerDouble = { model: 'none' };

  override get url(): string {
    return `${super.url}/v1`;
  }

  /** From now on it is the double of this server. */
  become(double: ServerDouble): void {
    this.double = double;
    this.refusals.splice(0);
    this.taken = 0;
    this.hanging = 0;
    this.seen.splice(0);
  }

  protected override handle(_: IncomingMessage, response: ServerResponse, bytes: Buffer): void {
    const body = JSON.parse(bytes.toString()) as ChatBody;
    this.seen.push(body);
    const refusal = rulesOf(this.double)(body, '');
    const problem = refusal ? JSON.stringify(refusal.body) : this.missingThought(body);
    if (problem !== undefined) {
      this.refusals.push(problem);
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify(refusal?.body ?? { error: { message: problem } }));
      return;
    }
    if (this.isTurnedAway(body, response)) return;
    this.taken += 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const { deltas, reason, instead } = this.answer(body);
    for (const delta of deltas) response.write(chunk({ delta }));
    const usual = deltas.some((delta) => 'tool_calls' in delta) ? 'tool_calls' : 'stop';
    if (instead === 'nothing') this.hanging += 1;
    else if (instead === 'error') response.end('data: {"error":{"message":"overloaded","code":503}}\n\n');
    else response.end(`${chunk({ delta: {}, finish_reason: reason ?? usual })}data: [DONE]\n\n`);
  }

  /** Answers with an error that is no refusal of the form. */
  private isTurnedAway({ messages }: ChatBody, response: ServerResponse): boolean {
    const words = wordsOf(messages.at(-1));
    const title = CONVERSATION.exec(words)?.[0] ?? '';
    const json = (status: number, message: string, headers: object = {}): true => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify({ error: { message } }));
      return true;
    };
    if (words.includes('Long')) return json(400, "This model's maximum context length is 10 tokens.");
    if (!words.includes('Busy') || this.busy.has(title)) return false;
    this.busy.add(title);
    return json(429, 'Rate limit reached', { 'retry-after-ms': '1' });
  }

  /** What is wrong if thoughts are wanted back and do not come: those of each call are others. */
  private missingThought({ messages }: ChatBody): string | undefined {
    if (!this.double.checks?.some((name) => name.endsWith('Back'))) return undefined;
    const missing = callsIn(messages).find((message, at) => !JSON.stringify(message).includes(thought(messages, at)));
    return missing && `other thoughts than those that were given: ${JSON.stringify(missing)}`;
  }

  private answer({ messages, tools = [] }: ChatBody): DoubleAnswer {
    const last = messages.at(-1);
    const words = wordsOf(last);
    const said = thought(messages, callsIn(messages).length);
    const names = tools.map((tool) => tool.function.name);
    if (last?.role === 'tool' || words.includes('of the tool results')) {
      const result = messages.findLast(({ role }) => role === 'tool');
      return { deltas: [...this.thinks('So it is.'), { content: `Found ${String(result?.content)}.` }] };
    }
    const part = [...this.thinks('Hm.'), { content: 'A part' }];
    if (words.includes('Break')) return { deltas: part, instead: 'error' };
    if (words.includes('Hang')) return { deltas: part, instead: 'nothing' };
    if (words.includes('Filter')) return { deltas: part, reason: 'content_filter' };
    if (words.includes('Cut')) {
      return names.includes(LOOKUP)
        ? { deltas: this.calls(said, [LOOKUP], '{"id": '), reason: 'length' }
        : { deltas: part, reason: 'length' };
    }
    const wanted = words.includes('Look')
      ? [LOOKUP]
      : words.includes('Pay')
        ? ['pay']
        : words.includes('Both')
          ? names.filter((name) => name !== LOOKUP && name !== 'pay')
          : [];
    if (wanted.length > 0 && wanted.every((name) => names.includes(name))) return { deltas: this.calls(said, wanted) };
    return {
      deltas: [
        ...this.thinks('I remember.'),
        { content: `You began with ${CONVERSATION.exec(JSON.stringify(messages))?.[0]}.` },
      ],
    };
  }

  /** Calls of tools, all at once; the first one is signed where that is checked. */
  private calls(said: string, names: readonly string[], args = '{"id": 7}'): Delta[] {
    const signature = { extra_content: { google: { thought_signature: said } } };
    const isSigned = this.double.checks?.includes('signaturesBack');
    const calls = names.map((name, index) => ({
      ...{ index, id: `call_${said}_${index}`, type: 'function', function: { name, arguments: args } },
      ...(isSigned && index === 0 && signature),
    }));
    return [...this.thinks(said), { tool_calls: calls }];
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
  const texts = Array.isArray(content) ? content.flatMap(({ text }: { text?: string }) => text ?? []) : [content];
  return (
    String((texts.at(-1) as string | null) ?? '')
      .split('\n')
      .at(-1) ?? ''
  );
}

const chunk = (choice: object): string => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`;

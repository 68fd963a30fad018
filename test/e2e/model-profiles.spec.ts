import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { WebSocket } from 'ws';
import { ChatCompletionsModelClient } from '../../src/agent/adapters/chat-completions/chat-completions-model-client.js';
import { chooseProfile } from '../../src/agent/adapters/chat-completions/profiles/profile-choice.js';
import { KNOWN_SERVERS } from '../../src/agent/adapters/testing/known-servers.js';
import type { ServerDouble } from '../../src/agent/adapters/testing/server-doubles.js';
import { ModelClient, type ModelEvent, type ModelRequest } from '../../src/agent/index.js';
import { AgentTool } from '../../src/agent/tools/index.js';
import { startServer, type TestServer } from '../support/server.js';
import { png } from '../support/images.js';
import { LOOKUP, ThinkingDouble } from '../support/thinking-double.js';
import { until } from '../support/until.js';
import { RUNS_USER, type Shown, type Wire, type WireRequest, WIRES } from '../support/wires.js';

@Injectable()
class LookupTool {
  @AgentTool({
    name: LOOKUP,
    description: 'Finds things',
    effects: 'none',
    parameters: { type: 'object', properties: { id: { type: 'integer' } } },
  })
  lookup({ id }: { id: number }): Promise<string> {
    return Promise.resolve(`number ${id}`);
  }
}

const PAYMENTS: unknown[] = [];

@Injectable()
class PayTool {
  @AgentTool({
    name: 'pay',
    description: 'Pays',
    effects: 'unsafe',
    parameters: { type: 'object', properties: { id: { type: 'integer' } } },
  })
  pay(args: object): Promise<string> {
    PAYMENTS.push(args);
    return Promise.resolve('paid');
  }
}

/** Tools of the client with names and schemas that many servers refuse. */
const ODD_TOOLS = [
  { type: 'function', name: 'files.read', description: '', parameters: { type: 'object' } },
  {
    type: 'function',
    name: `list-${'x'.repeat(75)}`,
    parameters: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      anyOf: [{ required: ['id'] }],
      properties: {
        id: { type: 'integer', exclusiveMinimum: true },
        list: { type: 'array' },
        any: { $ref: '#/$defs/gone' },
      },
      required: ['id', 'gone'],
      additionalProperties: false,
    },
  },
].map((tool) => ({ strict: false, ...tool }));
const IMAGE = `data:image/png;base64,${png(2, 2).toString('base64')}`;

/** A response of the Responses API, as far as the tests look at it. */
interface Answered {
  readonly id: string;
  readonly status: string;
  readonly error: { readonly code: string } | null;
  readonly incomplete_details: { readonly reason: string } | null;
  readonly output: readonly {
    readonly id: string;
    readonly type: string;
    readonly name?: string;
    readonly arguments?: string;
    readonly call_id?: string;
    readonly content?: readonly { readonly text?: string }[];
  }[];
}

/** The client of whichever server the test is about: one server of ours talks to all of them, one after the other. */
class CurrentModel extends ModelClient {
  readonly provider = 'current';
  client: ModelClient | undefined;

  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<readonly ModelEvent[]> {
    if (!this.client) throw new Error('There is no model');
    return this.client.stream(request, signal);
  }
}

/** A conversation over one wire: says something, and returns what the stream shows. */
interface Talk {
  readonly wire: string;
  say(words: string): Promise<Shown>;
}

const wireNamed = (name: string): Wire => WIRES.find((wire) => wire.name === name) as Wire;

describe('three turns with the profile of each model server, over all wires', () => {
  const upstream = new ThinkingDouble();
  const model = new CurrentModel();
  let server: TestServer;
  let conversations = 0;
  let turns = 0;

  beforeAll(async () => {
    await upstream.listen();
    server = await startServer({ model, providers: [LookupTool, PayTool] });
  });
  afterAll(async () => {
    await server.close();
    await upstream.close();
  });

  async function stream({ path, body, headers = [] }: WireRequest): Promise<string> {
    const further = headers.map((line) => line.split(': ') as [string, string]);
    const answer = await fetch(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...Object.fromEntries(further) },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${text}`);
    return text;
  }

  /** The frames of a run over a WebSocket, as an event stream. */
  function overSocket(body: object): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/responses`);
      let frames = '';
      socket.on('error', reject);
      socket.on('open', () => socket.send(JSON.stringify({ type: 'response.create', ...body })));
      socket.on('message', (data: Buffer) => {
        const frame = data.toString();
        frames += `data: ${frame}\n\n`;
        if (!/^\{"type":"(response\.(completed|failed|incomplete)|error)"/.test(frame)) return;
        socket.close();
        resolve(frames);
      });
    });
  }

  /** A session of the default user, which all wires know. */
  async function newSession(): Promise<string> {
    const conversationId = randomUUID();
    await stream({
      path: '/v1/aibot/bots/worker/conversation',
      body: { conversationId },
      headers: [`x-user-id: ${RUNS_USER}`],
    });
    return conversationId;
  }

  /** New conversations over all wires. */
  function talks(): readonly Talk[] {
    const over = (
      name: string,
      wire = wireNamed(name),
      send: (request: WireRequest) => Promise<string> = stream,
    ): Talk => {
      conversations += 1;
      const title = `talk-${conversations}`;
      const session = newSession();
      return {
        wire: name,
        say: async (words) => {
          turns += 1;
          const saying = { sessionId: await session, words: `${words} (${title})`, turn: turns, user: RUNS_USER };
          return wire.shown(await send(wire.say(saying)));
        },
      };
    };
    const overCopilotKit = (request: WireRequest): Promise<string> =>
      stream({ ...request, path: '/copilotkit/agent/worker/run' });
    return [
      ...WIRES.map(({ name }) => over(name)),
      over('copilotkit', wireNamed('ag-ui'), overCopilotKit),
      over('responses over a WebSocket', wireNamed('responses'), ({ body }) => overSocket(body)),
    ];
  }

  /** The client that a server at the host of the double would get. */
  function clientOf({ host: hostname = '127.0.0.1', model: name, ownedBy }: ServerDouble): ModelClient {
    const profile = chooseProfile({ hostname, model: name, ownedBy }).name;
    const limits = { firstTokenTimeoutMs: 10_000, idleTimeoutMs: 10_000, maxRetries: 1 };
    const address = { provider: 'test', baseUrl: upstream.url, apiKey: 'k', model: name, profile };
    return new ChatCompletionsModelClient({ ...address, ...limits }, { read: () => Promise.resolve(undefined) });
  }

  it.each(Object.entries(KNOWN_SERVERS))('%s', async (_, double) => {
    upstream.become(double);
    model.client = clientOf(double);
    const callsTools = !double.refuses?.includes('tools');
    const all = await Promise.all(
      talks().map(async ({ wire, say }) => {
        const first = await say('Look');
        const second = await say('Look again');
        const third = await say('How did I begin?');
        return { wire, texts: [first, second, third].map(({ text }) => text), calls: second.calls };
      }),
    );
    expect(upstream.refusals).toEqual([]);
    for (const { wire, texts, calls } of all) {
      const found = callsTools ? 'Found number 7.' : expect.stringMatching(/^You began with talk-\d+\.$/);
      const remembered = expect.stringMatching(/^You began with talk-\d+\.$/) as string;
      expect({ wire, texts }).toEqual({ wire, texts: [found, found, remembered] });
      const made = callsTools ? [{ name: LOOKUP, arguments: expect.stringMatching(/^\{"id": ?7\}$/) as string }] : [];
      expect({ wire, calls }).toMatchObject({ wire, calls: made });
    }
    expect(upstream.taken).toBe(all.length * (callsTools ? 5 : 3));
  });

  async function responses(path: string, body: object): Promise<Answered> {
    const answer = await fetch(`${server.url}/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answered = (await answer.json()) as Answered;
    if (!answer.ok) throw new Error(JSON.stringify(answered));
    return answered;
  }
  const textOf = ({ output }: Answered): string =>
    output
      .flatMap(({ type, content = [] }) => (type === 'message' ? content.map(({ text }) => text ?? '') : []))
      .join('');

  it.each(Object.entries(KNOWN_SERVERS))('a hard conversation with %s', async (_, double) => {
    upstream.become(double);
    PAYMENTS.splice(0);
    model.client = clientOf(double);
    const callsTools = !double.refuses?.includes('tools');
    const title = `talk-${(conversations += 1)}`;
    const { id: conversation } = await responses('conversations', {});
    const ask = (input: unknown, more: object = {}): Promise<Answered> => {
      const asked = typeof input === 'string' ? `${input} (${title})` : input;
      return responses('responses', { model: 'worker', conversation, input: asked, ...more });
    };
    const remembers = async (): Promise<void> => {
      expect(textOf(await ask('How did I begin?'))).toBe(`You began with ${title}.`);
    };

    const options = { temperature: 0.2, top_p: 0.9, max_output_tokens: 64, instructions: 'Be careful.' };
    const both = await ask(
      [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: `See (${title})` },
            { type: 'input_image', image_url: IMAGE },
          ],
        },
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', content: `Both (${title})` },
      ],
      { tools: ODD_TOOLS, parallel_tool_calls: true, ...options },
    );
    const calls = both.output.filter(({ type }) => type === 'function_call');
    if (callsTools) {
      expect(calls.map(({ name, arguments: args }) => [name, args])).toEqual(
        ODD_TOOLS.map(({ name }) => [name, '{"id": 7}']),
      );
      const outputs = calls.map(({ call_id }, at) => ({
        ...{ type: 'function_call_output', call_id },
        output:
          at === 0
            ? [
                { type: 'input_text', text: 'one' },
                { type: 'input_image', image_url: IMAGE },
              ]
            : 'two',
      }));
      expect(textOf(await ask(outputs, { tools: ODD_TOOLS }))).toBe('Found two.');
      const asked = await ask('Pay');
      const request = asked.output.find(({ type }) => type === 'mcp_approval_request');
      expect(PAYMENTS).toEqual([]);
      const answer = { type: 'mcp_approval_response', approval_request_id: request?.id, approve: true };
      expect(textOf(await ask([answer]))).toBe('Found paid.');
      expect(PAYMENTS).toEqual([{ id: 7 }]);
      await ask('Pay');
    }
    await remembers();
    expect(await ask('Cut')).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    });
    await remembers();
    expect(await ask('Filter')).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'content_filter' },
    });
    expect(await ask('Break')).toMatchObject({ status: 'failed' });
    const { id } = await ask('Hang', { background: true });
    await until(() => expect(upstream.hanging).toBe(1));
    await responses(`responses/${id}/cancel`, {});
    await remembers();
    expect(textOf(await ask('Busy'))).toBe(`You began with ${title}.`);
    const before = upstream.seen.length;
    expect(await ask('Long')).toMatchObject({ status: 'failed' });
    expect(upstream.seen.length - before).toBe(1);
    const schema = {
      type: 'object',
      properties: { n: { type: 'integer', minimum: 1 } },
      required: ['n'],
      additionalProperties: false,
    };
    const format = { type: 'json_schema', name: 'x', schema, strict: true };
    await ask('As JSON, how did I begin?', { text: { format }, reasoning: { effort: 'low' }, tool_choice: 'none' });
    await ask('Look', { tool_choice: 'required' });
    await remembers();
    expect(upstream.refusals).toEqual([]);
  });
});

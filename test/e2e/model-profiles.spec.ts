import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { WebSocket } from 'ws';
import { ChatCompletionsModelClient } from '../../src/agent/adapters/chat-completions/chat-completions-model-client.js';
import { chooseProfile } from '../../src/agent/adapters/chat-completions/profiles/profile-choice.js';
import { KNOWN_SERVERS } from '../../src/agent/adapters/testing/known-servers.js';
import type { ServerDouble } from '../../src/agent/adapters/testing/server-doubles.js';
import { ModelClient, type ModelEvent, type ModelRequest } from '../../src/agent/index.js';
import { AgentTool } from '../../src/tools/index.js';
import { startServer, type TestServer } from '../support/server.js';
import { LOOKUP, ThinkingDouble } from '../support/thinking-double.js';
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
    await upstream.start();
    server = await startServer({ model, providers: [LookupTool] });
  });
  afterAll(async () => {
    await server.close();
    await upstream.stop();
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
    const limits = { firstTokenTimeoutMs: 10_000, idleTimeoutMs: 10_000, maxRetries: 0 };
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
});

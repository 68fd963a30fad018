import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import cloudbase from '@cloudbase/js-sdk';
import { EventSource } from 'eventsource';
import OpenAI from 'openai';
import { ModelClient, type ModelEvent, type ModelRequest } from '../../../src/agent/index.js';
import { call, finish, text } from '../../../src/agent/testing/scripted-model-client.js';
import { AppError } from '../../../src/common/index.js';
import type { AgKitEvent } from '../../../src/protocol/ag-kit/ag-kit.types.js';
import { AgKitHook } from '../../../src/protocol/ag-kit/testing/ag-kit-hook.js';
import type { AgUiEvent } from '../../../src/protocol/ag-ui-events/index.js';
import { HAS_KEY, OWN_USER } from '../../support/caller.js';
import { CLIENTS, type ClientVersion, httpAgent, runAgent } from '../../support/ag-ui-clients.js';
import { replay } from '../../support/ag-ui-replay.js';
import { ChatUiReducer } from '../../support/chat-ui-reducer.js';
import { behaviour, JournalingCodeAgent, say } from '../../support/code-agents.js';
import { describeOnDatabases } from '../../support/databases.js';
import { startServer, type TestServer } from '../../support/server.js';
import { jsonFrames } from '../../support/sse.js';

/** What a client made of a run. */
interface Read {
  readonly text: string;
  readonly end: 'completed' | 'waiting' | 'failed';
}

/** Looks for a tool and answers. */
class ToolModel extends ModelClient {
  readonly provider = 'scripted';

  async *stream({ messages }: ModelRequest): AsyncGenerator<ModelEvent[], void, void> {
    await Promise.resolve();
    if (messages.at(-1)?.role === 'tool') yield [text('It is '), text('fine.'), finish()];
    else yield [text('Let me look. '), call(0, 'get_weather', '{"city":"Paris"}', 'call_1'), finish('tool-calls')];
  }
}

describeOnDatabases('a watched run, read by the clients of every wire', (openDatabase) => {
  let server: TestServer;
  /** Answers whatever a client asks with the stream of the run that is watched. */
  let relay: Server;
  let relayUrl: string;
  let watched: string;

  beforeAll(async () => {
    server = await startServer({
      database: openDatabase,
      providers: [JournalingCodeAgent],
      model: new ToolModel(),
    });
    relay = createServer((_, reply) => {
      void fetch(watched).then(async (answer) => {
        reply.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
        reply.end(await answer.text());
      });
    }).listen(0, '127.0.0.1');
    await once(relay, 'listening');
    relayUrl = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    relay.close();
    await server.close();
  });

  const address = (runId: string, protocol: string): string =>
    `${server.url}/runs/${runId}/events?protocol=${protocol}`;

  /** Starts a run on AG-Kit and reads its stream to the end. */
  async function started(agent: string, conversationId: string): Promise<string> {
    const answer = await fetch(`${server.url}/v1/aibot/bots/${agent}/send-message`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ conversationId, messages: [{ role: 'user', content: 'How is it in Paris?' }] }),
    });
    await answer.text();
    return answer.headers.get('x-run-id') ?? '';
  }

  async function sdkEvents(): Promise<AgKitEvent[]> {
    const app = cloudbase.init({ env: 'local', region: 'ap-shanghai', accessKey: 'k' }) as unknown as {
      ai(options: object): { bot: { sendMessage(body: object): Promise<{ dataStream: AsyncIterable<AgKitEvent> }> } };
    };
    const { dataStream } = await app.ai({ baseUrl: relayUrl }).bot.sendMessage({ botId: 'worker', msg: 'x' });
    const events: AgKitEvent[] = [];
    for await (const event of dataStream) events.push(event);
    return events;
  }

  async function agUi(version: ClientVersion): Promise<Read> {
    const agent = httpAgent(version, { url: relayUrl, threadId: 't' });
    let failed = false;
    const { events } = await runAgent(agent, {}, { onRunErrorEvent: () => void (failed = true) });
    return { text: wordsOf(agent.messages), end: failed ? 'failed' : endOf(events as unknown as AgUiEvent[]) };
  }

  const readers: Readonly<Record<string, (runId: string) => Promise<Read>>> = {
    'agent-api': async () => {
      const ui = new ChatUiReducer();
      for (const frame of jsonFrames(await (await fetch(watched)).text())) ui.apply(frame);
      expect([ui.isFinished, ui.dropped]).toEqual([true, []]);
      const said = ui.state.output.filter(({ type }) => type === 'message');
      const words = said
        .flatMap(({ content }) => content.map((part) => (part['text'] as string | undefined) ?? ''))
        .join('');
      return { text: words, end: ui.state.status === 'failed' ? 'failed' : 'completed' };
    },
    responses: async () => {
      const client = new OpenAI({ baseURL: relayUrl, apiKey: 'k', maxRetries: 0 });
      const stream = client.responses.stream({ model: 'worker', input: 'x' });
      const response = await stream.finalResponse();
      return { text: response.output_text, end: response.status === 'failed' ? 'failed' : 'completed' };
    },
    'ag-kit': async () => {
      const hook = new AgKitHook();
      for (const event of await sdkEvents()) hook.read(event);
      expect(hook.toMake).toEqual([]);
      const end = hook.error === undefined ? (hook.interrupt === undefined ? 'completed' : 'waiting') : 'failed';
      return { text: hook.text, end };
    },
    'ag-kit-bot': async () => {
      const frames = (await sdkEvents()) as unknown as { content: string; finish_reason: string }[];
      const words = frames.map(({ content }) => content).join('');
      return { text: words, end: frames.at(-1)?.finish_reason === 'error' ? 'failed' : 'completed' };
    },
    runs: async (runId) => {
      const events: AgUiEvent[] = [];
      const source = new EventSource(address(runId, 'runs'));
      source.onmessage = ({ data }) => void events.push(JSON.parse(String(data)) as AgUiEvent);
      await closed(source);
      const { messages, error } = await replay('v1', events);
      return { text: wordsOf(messages), end: error === undefined ? endOf(events) : 'failed' };
    },
  };
  for (const protocol of ['ag-ui', 'ag-kit-ag-ui']) {
    for (const version of CLIENTS) Object.assign(readers, { [`${protocol} ${version}`]: () => agUi(version) });
  }

  /** A browser's client ends by itself: it comes again with its last id, and there is nothing more. */
  async function closed(source: EventSource): Promise<void> {
    while (source.readyState !== EventSource.CLOSED) {
      await new Promise<void>((resolve) => (source.onerror = () => resolve()));
    }
  }

  async function readAll(runId: string): Promise<Record<string, Read>> {
    const read: Record<string, Read> = {};
    for (const [name, reader] of Object.entries(readers)) {
      watched = address(runId, name.split(' ')[0] ?? '');
      read[name] = await reader(runId);
    }
    return read;
  }

  it('a run with a tool call shows the same text and calls on every wire', async () => {
    const read = await readAll(await started('worker', 'tool'));
    const whole = { text: 'Let me look. It is fine.', end: 'completed' };
    expect(read).toEqual(Object.fromEntries(Object.keys(readers).map((name) => [name, whole])));
  });

  it('a run that waits for an approval is shown on every wire', async () => {
    behaviour.current = async function* (context) {
      yield say(context, 'I must know. ');
      await context.interrupt({ reason: 'way', message: 'Which way?' });
    };
    const read = await readAll(await started('code-journal', 'waits'));
    for (const [name, { text: words, end }] of Object.entries(read)) {
      expect([name, words.startsWith('I must know.')]).toEqual([name, true]);
      if (/^(ag-ui 1|ag-kit-ag-ui 1|ag-kit|runs)$/.test(name)) expect([name, end]).toEqual([name, 'waiting']);
      expect([name, end]).not.toEqual([name, 'failed']);
    }
  });

  it('a failed run is shown on every wire', async () => {
    behaviour.current = async function* (context) {
      yield say(context, 'Well. ');
      throw new AppError('AGENT_ERROR', 'The agent is tired');
    };
    const read = await readAll(await started('code-journal', 'fails'));
    for (const [name, one] of Object.entries(read))
      expect([name, one]).toEqual([name, { text: 'Well. ', end: 'failed' }]);
  });

  it('an AG-Kit run is repeated byte for byte in the dialect that started it', async () => {
    const bodies = {
      'ag-kit': { conversationId: 'own-a', messages: [{ role: 'user', content: 'hi' }] },
      'ag-kit-ag-ui': { threadId: 'own-b', messages: [{ role: 'user', content: 'hi' }] },
      'ag-kit-bot': { msg: 'hi', conversationId: 'own-c' },
    };
    for (const [name, body] of Object.entries(bodies)) {
      const answer = await fetch(`${server.url}/send-message`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const location = answer.headers.get('content-location') ?? '';
      expect(location).toContain(`protocol=${name}`);
      expect(await (await fetch(server.url + location)).text()).toBe(await answer.text());
    }
  });

  it('a run is shown only to its user if the request names a user', async () => {
    const runId = await started('worker', 'whose');
    const as = async (user: string): Promise<number> => {
      const answer = await fetch(address(runId, 'ag-kit'), { headers: { 'x-user-id': user } });
      await answer.text();
      return answer.status;
    };
    const owner = HAS_KEY ? OWN_USER.userId : 'whose';
    expect([await as(owner), await as('somebody'), await as('x'.repeat(300))]).toEqual([200, 404, 400]);
  });
});

function wordsOf(messages: readonly { readonly role: string }[]): string {
  return messages
    .filter(({ role }) => role === 'assistant')
    .map((message) => (message as { content?: string }).content ?? '')
    .join('');
}

function endOf(events: readonly AgUiEvent[]): Read['end'] {
  const last = events.at(-1);
  return last?.type === 'RUN_FINISHED' && last.outcome?.type === 'interrupt' ? 'waiting' : 'completed';
}

import type { ServerResponse } from 'node:http';
import { remoteAgent } from '../../src/agent/index.js';
import { AgentScopeDouble, replyOf, textEvents } from '../../src/agent/adapters/testing/agentscope-double.js';
import {
  responseEvents,
  type SeenRequest,
  stream,
  UpstreamDouble,
} from '../../src/agent/adapters/testing/responses-double.js';
import { Door } from '../support/door.js';
import { jpeg, png } from '../support/images.js';
import { runInput, RunsClient } from '../support/runs-client.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

/** What an upstream got when it fetched an address of a message. */
interface Fetched {
  readonly url: string;
  readonly status: number;
  readonly type: string | null;
  readonly bytes: Buffer;
}

const KINDS = ['responses', 'ag-ui', 'agent-api', 'a2a', 'a2a-03', 'agentscope-2'] as const;
type Kind = (typeof KINDS)[number];
const TTL_MS = 2000;

/** The answer of each kind, but for AgentScope. */
const ANSWERS: Readonly<Record<string, object[]>> = {
  '/responses': responseEvents('resp_1', [['I see.']]),
  '/ag-ui': [
    { type: 'RUN_STARTED', threadId: 't', runId: 'r' },
    { type: 'TEXT_MESSAGE_CHUNK', messageId: 'm', role: 'assistant', delta: 'I see.' },
    { type: 'RUN_FINISHED', threadId: 't', runId: 'r' },
  ],
  '/process': [
    { object: 'response', id: 'r', status: 'created' },
    { object: 'message', id: 'm', type: 'message', role: 'assistant', status: 'in_progress' },
    { object: 'content', msg_id: 'm', type: 'text', delta: true, text: 'I see.' },
    { object: 'message', id: 'm', type: 'message', role: 'assistant', status: 'completed' },
    { object: 'response', id: 'r', status: 'completed', output: [] },
  ],
  '/a2a': [
    { jsonrpc: '2.0', id: 1, result: { message: { messageId: 'm', contextId: 'c', parts: [{ text: 'I see.' }] } } },
  ],
  '/a2a-03': [
    {
      jsonrpc: '2.0',
      id: 1,
      result: {
        kind: 'message',
        messageId: 'm',
        contextId: 'c',
        role: 'agent',
        parts: [{ kind: 'text', text: 'I see.' }],
      },
    },
  ],
};

describe('files of messages to remote agents', () => {
  const door = new Door();
  let base: string;
  let upstream: UpstreamDouble;
  let scope: AgentScopeDouble;
  let server: TestServer;
  let client: RunsClient;
  let fetched: Fetched[] = [];
  let bodies: unknown[] = [];

  /** Fetches all addresses of this server that a request has, as an agent does that looks at the images. */
  async function look(body: unknown): Promise<void> {
    bodies.push(body);
    for (const [url] of JSON.stringify(body).matchAll(/https?:[^"\\]+\/content\?[^"\\]+/g)) {
      const answer = await fetch(url);
      const bytes = Buffer.from(await answer.arrayBuffer());
      fetched.push({ url, status: answer.status, type: answer.headers.get('content-type'), bytes });
    }
  }

  async function answer(response: ServerResponse, { path, method, body }: SeenRequest): Promise<void> {
    if (method === 'GET') {
      const name = path.startsWith('/a2a-03') ? '/a2a-03' : '/a2a';
      const url = upstream.url + name;
      const card =
        name === '/a2a'
          ? { supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }] }
          : { url, preferredTransport: 'JSONRPC', protocolVersion: '0.3.0' };
      const all = { name: 'a', capabilities: { streaming: true }, skills: [], ...card };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(all));
      return;
    }
    await look(body);
    stream(response, ANSWERS[path] ?? []);
  }

  beforeAll(async () => {
    base = await door.open();
    upstream = await UpstreamDouble.start((response, request) => void answer(response, request));
    scope = await AgentScopeDouble.start();
    let replies = 0;
    scope.script = () => {
      const reply = `r${(replies += 1)}`;
      return replyOf(reply, textEvents(reply, `${reply}-b`, ['I see.']));
    };
    scope.onEvent = async (_, index) => (index === 0 ? look(scope.inputs.at(-1)) : undefined);
    const paths = { responses: '', 'ag-ui': '/ag-ui', 'agent-api': '/process', a2a: '/a2a', 'a2a-03': '/a2a-03' };
    const agents = Object.fromEntries(
      KINDS.flatMap((kind) => {
        const type = kind === 'a2a-03' ? 'a2a' : kind;
        const entry =
          kind === 'agentscope-2'
            ? { type, url: scope.url, agentId: 'friend' }
            : { type, url: upstream.url + paths[kind], ...(kind === 'responses' && { background: false }) };
        return ['signed', 'inline', 'none'].map((files): [string, object] => [`${kind}-${files}`, { ...entry, files }]);
      }),
    );
    server = await startServer({
      env: {
        AUTH: 'none',
        PUBLIC_BASE_URL: base,
        ATTACHMENT_URL_TTL_MS: String(TTL_MS),
        REMOTE_AGENTS: JSON.stringify({ agents }),
      },
    });
    door.target = server.port;
    client = new RunsClient(server.url);
  });
  beforeEach(() => {
    fetched = [];
    bodies = [];
  });
  afterAll(async () => {
    await server.close();
    await upstream.close();
    await scope.close();
    door.close();
  });

  async function upload(bytes: Buffer, type: string): Promise<string> {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(bytes)], { type }), 'picture');
    const sent = await fetch(`${server.url}/api/v1/agent/attachments`, { method: 'POST', body: form });
    expect(sent.status).toBe(201);
    return ((await sent.json()) as { url: string }).url;
  }
  async function say(agent: string, content: unknown, changes: object = {}): Promise<string> {
    const input = runInput('', {
      messages: [{ id: `m-${Math.random()}`, role: 'user', content }],
      forwardedProps: { agent_type: agent },
      ...changes,
    });
    const { body } = await client.submit(input);
    expect(await client.ended(body.threadId, body.runId)).toMatchObject({ status: 'succeeded', error: null });
    return body.threadId;
  }
  const image = (url: string, mimeType: string): object => ({ type: 'binary', mimeType, url });
  /** The parts of the last request that stand for a file. */
  const told = (): string => JSON.stringify(bodies.at(-1));

  const SHAPES: Readonly<Record<Kind, (url: string) => object>> = {
    responses: (url) => ({ type: 'input_image', image_url: url, detail: 'auto' }),
    'ag-ui': (url) => ({ type: 'image', source: { type: 'url', value: url, mimeType: 'image/jpeg' } }),
    'agent-api': (url) => ({ type: 'image', image_url: url }),
    a2a: (url) => ({ url, mediaType: 'image/jpeg' }),
    'a2a-03': (url) => ({ kind: 'file', file: { uri: url, mimeType: 'image/jpeg' } }),
    'agentscope-2': (url) => ({ type: 'data', source: { type: 'url', url, media_type: 'image/jpeg' } }),
  };

  it.each(KINDS)('signed: the agent gets addresses and fetches the bytes from them (%s)', async (kind) => {
    const [first, second] = [jpeg(5, 6), png(4, 4, 7)];
    const urls = [await upload(first, 'image/jpeg'), await upload(second, 'image/png')] as const;
    await say(`${kind}-signed`, [
      { type: 'text', text: 'Compare these.' },
      image(urls[0], 'image/jpeg'),
      image(urls[1], 'image/png'),
    ]);
    expect(fetched.map(({ status, type }) => [status, type])).toEqual([
      [200, 'image/jpeg'],
      [200, 'image/png'],
    ]);
    expect(fetched.map(({ bytes }) => bytes)).toEqual([first, second]);
    expect(fetched.every(({ url }) => url.startsWith(`${base}/api/v1/agent/attachments/`))).toBe(true);
    expect(told()).toContain(JSON.stringify(SHAPES[kind](fetched[0]?.url ?? '')));
    expect(told()).not.toMatch(/base64,|parley-attachment|agent-inputs/);
  });

  it.each(['responses', 'ag-ui', 'agent-api'])(
    'signed: in a later turn, after the first addresses have expired, there are new ones (%s)',
    async (kind) => {
      const threadId = await say(`${kind}-signed`, [image(await upload(png(3, 3, 1), 'image/png'), 'image/png')]);
      const [first] = fetched.map(({ url }) => url);
      await until(async () => (await fetch(first ?? '')).status !== 200, 'the first address to expire');
      await say(`${kind}-signed`, 'And now?', { threadId, runId: 'run-2' });
      expect(fetched.map(({ status }) => status)).toEqual([200, 200]);
      expect(fetched[1]?.url).not.toBe(first);
    },
  );

  it.each(KINDS)('inline: the agent gets the bytes, and none: a sentence (%s)', async (kind) => {
    const bytes = png(2, 2, 9);
    await say(`${kind}-inline`, [image(await upload(bytes, 'image/png'), 'image/png')]);
    expect(told()).toContain(bytes.toString('base64'));
    await say(`${kind}-none`, [image(await upload(bytes, 'image/png'), 'image/png')]);
    expect(told()).toContain('[The user attached a file that this agent does not get.]');
    expect(told()).not.toMatch(/sig=|base64|parley-attachment/);
    expect(fetched).toEqual([]);
  });

  it('signed: addresses of others, and bytes that have no address, go as they are', async () => {
    const bytes = png(1, 1, 3).toString('base64');
    // The Runs API takes no addresses of others.
    const content = [
      { type: 'input_image', image_url: 'https://images.example/cat.png' },
      { type: 'input_image', image_url: `data:image/png;base64,${bytes}` },
    ];
    const sent = await fetch(`${server.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'responses-signed', input: [{ role: 'user', content }] }),
    });
    expect(await sent.json()).toMatchObject({ status: 'completed' });
    expect(told()).toContain('"image_url":"https://images.example/cat.png"');
    expect(told()).toContain(`"image_url":"data:image/png;base64,${bytes}"`);
    expect(fetched).toEqual([]);
  });

  it('signed: a file in code needs an address of this server, too', async () => {
    const travel = remoteAgent({ name: 'travel', type: 'ag-ui', url: upstream.url, files: 'signed' });
    await expect(startServer({ providers: [travel], listen: false })).rejects.toThrow(
      'PUBLIC_BASE_URL must be set, because the remote agent "travel" has "files": "signed"',
    );
  });
});

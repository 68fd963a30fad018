import { generateKeyPairSync } from 'node:crypto';
import { startServer, type TestServer } from '../../support/server.js';

/*
 * The stock clients of both generations, as they are published: `@a2a-js/sdk` 1.3, and 0.3.14 under the name `a2a-sdk-03`.
 * They are looked up by name, because their types are those of their own objects, not of the JSON.
 */
const LINES = ['@a2a-js/sdk', 'a2a-sdk-03'] as const;
const areInstalled = LINES.every((name) => {
  try {
    require.resolve(`${name}/client`);
    return true;
  } catch {
    return false;
  }
});

type Bag = Readonly<Record<string, unknown>>;

interface StockClient {
  sendMessage(params: object): Promise<Bag>;
  sendMessageStream(params: object): AsyncGenerator<Bag>;
  getTask(params: object): Promise<Bag>;
  cancelTask(params: object): Promise<Bag>;
  resubscribeTask(params: object): AsyncGenerator<Bag>;
  listTasks?(params: object): Promise<Bag>;
}

interface Factory {
  createFromUrl(url: string, path?: string): Promise<StockClient>;
}

interface ClientModule {
  readonly ClientFactory: new (options?: object) => Factory;
  readonly JsonRpcTransportFactory: new () => object;
  readonly RestTransportFactory: new () => object;
}

async function clientOf(name: string): Promise<ClientModule> {
  return (await import(`${name}/client`)) as ClientModule;
}

const CALENDAR = 'Schedule a meeting with Ana tomorrow at 3pm';

/** A message of 1.x, whose parts are objects of protobuf. */
function v1(text: string, fields: object = {}): object {
  const parts = [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }];
  const message = {
    messageId: crypto.randomUUID(),
    contextId: '',
    taskId: '',
    role: 1,
    parts,
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...fields,
  };
  return { tenant: '', message, configuration: undefined, metadata: undefined };
}

function v03(text: string, fields: object = {}): object {
  const parts = [{ kind: 'text', text }];
  return { message: { kind: 'message', messageId: crypto.randomUUID(), role: 'user', parts, ...fields } };
}

async function collected(stream: AsyncIterable<Bag>): Promise<readonly Bag[]> {
  const all: Bag[] = [];
  for await (const one of stream) all.push(one);
  return all;
}

(areInstalled ? describe : describe.skip)('stock clients of A2A', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  describe.each(['JSONRPC', 'HTTP+JSON'])('1.x over %s', (binding) => {
    let client: StockClient;
    beforeAll(async () => {
      const { ClientFactory, JsonRpcTransportFactory, RestTransportFactory } = await clientOf(LINES[0]);
      const transport = binding === 'JSONRPC' ? new JsonRpcTransportFactory() : new RestTransportFactory();
      client = await new ClientFactory({ transports: [transport], preferredTransports: [binding] }).createFromUrl(
        server.url,
      );
    });

    it('sends, reads, lists and streams', async () => {
      const sent = await client.sendMessage(v1('Who are you?'));
      expect(JSON.stringify(sent)).toContain('I am Friday');
      const task = ('payload' in sent ? (sent['payload'] as { value: Bag }).value : sent) as {
        id: string;
        contextId: string;
      };
      const read = await client.getTask({ tenant: '', id: task.id });
      expect(read).toMatchObject({ id: task.id, status: { state: 3 } });
      const listed = await client.listTasks?.({
        tenant: '',
        contextId: task.contextId,
        status: 0,
        pageSize: 10,
        pageToken: '',
      });
      expect((listed?.['tasks'] as readonly Bag[]).map(({ id }) => id)).toEqual([task.id]);
      const frames = await collected(client.sendMessageStream(v1('Who are you?')));
      expect(JSON.stringify(frames.at(-1))).toContain('"state":3');
      expect(frames.length).toBeGreaterThan(4);
    });

    it('is asked, answers, and cancels', async () => {
      const asked = JSON.stringify(await client.sendMessage(v1(CALENDAR)));
      expect(asked).toContain('"state":6');
      const [, taskId = ''] = /"taskId":"([^"]+)"/.exec(asked) ?? [];
      expect(JSON.stringify(await client.sendMessage(v1('approve', { taskId })))).toContain('"state":3');
      const other = JSON.stringify(await client.sendMessage(v1(CALENDAR)));
      const [, id = ''] = /"taskId":"([^"]+)"/.exec(other) ?? [];
      expect(await client.cancelTask({ tenant: '', id, metadata: undefined })).toMatchObject({ status: { state: 5 } });
    });

    it('gets typed errors', async () => {
      await expect(client.getTask({ tenant: '', id: 'unknown' })).rejects.toMatchObject({ name: 'TaskNotFoundError' });
      const sent = JSON.stringify(await client.sendMessage(v1('Who are you?')));
      const [, id = ''] = /"taskId":"([^"]+)"/.exec(sent) ?? [];
      await expect(client.cancelTask({ tenant: '', id })).rejects.toMatchObject({ name: 'TaskNotCancelableError' });
      await expect(collected(client.resubscribeTask({ tenant: '', id }))).rejects.toMatchObject({
        name: 'UnsupportedOperationError',
      });
    });
  });

  it('0.3 finds the agent by its card, sends, streams, answers and resubscribes', async () => {
    const { ClientFactory } = await clientOf(LINES[1]);
    const client = await new ClientFactory().createFromUrl(server.url);
    const task = (await client.sendMessage(v03('Who are you?'))) as Bag & { id: string };
    expect(task).toMatchObject({ kind: 'task', status: { state: 'completed' } });
    const frames = await collected(client.sendMessageStream(v03(CALENDAR)));
    expect(frames.at(-1)).toMatchObject({ kind: 'status-update', final: true, status: { state: 'input-required' } });
    const taskId = frames[0]?.['id'];
    expect(await client.sendMessage(v03('approve', { taskId }))).toMatchObject({
      id: taskId,
      status: { state: 'completed' },
    });
    const again = await collected(client.resubscribeTask({ id: taskId }));
    expect(again.at(-1)).toMatchObject({ final: true, status: { state: 'completed' } });
    await expect(client.getTask({ id: 'unknown' })).rejects.toMatchObject({ name: 'TaskNotFoundError' });
  });
});

describe('agent cards', () => {
  it('are pure for 1.0, have the fields of 0.3 otherwise, and are cached', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = JSON.stringify({ ...privateKey.export({ format: 'jwk' }), kid: 'k1' });
    const server = await startServer({ env: { A2A_CARD_SIGNING_KEY: jwk } });
    try {
      const card = (path: string, headers: Record<string, string> = {}) => fetch(`${server.url}${path}`, { headers });
      const first = await card('/.well-known/agent-card.json', { 'a2a-version': '1.0' });
      const pure = (await first.json()) as Record<string, unknown>;
      expect(pure).not.toHaveProperty('url');
      expect(pure).toMatchObject({
        name: 'worker',
        supportedInterfaces: [
          { protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
          { protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
          { protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
        ],
        signatures: [{ protected: expect.any(String) as unknown, signature: expect.any(String) as unknown }],
      });
      expect(JSON.stringify(pure)).not.toMatch(/:(""|\[\]|\{\}|false|null)/);
      const etag = first.headers.get('etag') ?? '';
      expect((await card('/.well-known/agent-card.json', { 'a2a-version': '1.0', 'if-none-match': etag })).status).toBe(
        304,
      );
      const hybrid = await (await card('/.well-known/agent-card.json')).json();
      expect(hybrid).toMatchObject({
        ...pure,
        protocolVersion: '0.3.0',
        url: `${server.url}/a2a`,
        preferredTransport: 'JSONRPC',
      });
      expect(await (await card('/.well-known/agent.json')).json()).toEqual(hybrid);
      expect((await card('/a2a/agents/worker/.well-known/agent-card.json')).status).toBe(200);
      const lost = await card('/a2a/agents/.well-known/agent-card.json');
      expect([lost.status, await lost.text()]).toEqual([404, expect.stringContaining('slash')]);
      expect(await (await card('/a2a/jwks.json')).json()).toMatchObject({ keys: [{ kid: 'k1', kty: 'EC' }] });
      expect(await (await card('/a2a/agents')).json()).toMatchObject({
        agents: expect.arrayContaining([expect.objectContaining({ name: 'worker' })]) as unknown,
      });
    } finally {
      await server.close();
    }
  });
});

import { A2aClient, saying, type Shown } from '../support/a2a.js';
import { apiKey, bearer } from '../support/keys.js';
import { SeatAgent } from '../support/mcp-agents.js';
import { startServer, type TestServer } from '../support/server.js';

const PUSH_HOST = 'http://127.0.0.1:9';

/** A method of 1.0, by both bindings. */
interface Method {
  readonly name: string;
  readonly params: (taskId: string) => object;
  readonly rest: (taskId: string) => [method: string, path: string, body?: object];
  /** The scope without which it is refused; a key that has the other one alone is used for that. */
  readonly needs: 'runs:read' | 'runs:write';
  /** Whether it is about one task, which somebody else does not find. */
  readonly isAboutTask: boolean;
}

const METHODS: readonly Method[] = [
  {
    name: 'SendMessage',
    params: (taskId) => saying('approve', { taskId }),
    rest: (taskId) => ['POST', '/message:send', saying('approve', { taskId })],
    needs: 'runs:write',
    isAboutTask: true,
  },
  {
    name: 'SendStreamingMessage',
    params: (taskId) => saying('approve', { taskId }),
    rest: (taskId) => ['POST', '/message:stream', saying('approve', { taskId })],
    needs: 'runs:write',
    isAboutTask: true,
  },
  {
    name: 'GetTask',
    params: (id) => ({ id }),
    rest: (id) => ['GET', `/tasks/${id}`],
    needs: 'runs:read',
    isAboutTask: true,
  },
  {
    name: 'ListTasks',
    params: () => ({}),
    rest: () => ['GET', '/tasks'],
    needs: 'runs:read',
    isAboutTask: false,
  },
  {
    name: 'CancelTask',
    params: (id) => ({ id }),
    rest: (id) => ['POST', `/tasks/${id}:cancel`],
    needs: 'runs:write',
    isAboutTask: true,
  },
  {
    name: 'SubscribeToTask',
    params: (id) => ({ id }),
    rest: (id) => ['GET', `/tasks/${id}:subscribe`],
    needs: 'runs:read',
    isAboutTask: true,
  },
  {
    name: 'CreateTaskPushNotificationConfig',
    params: (taskId) => ({ taskId, url: `${PUSH_HOST}/` }),
    rest: (taskId) => ['POST', `/tasks/${taskId}/pushNotificationConfigs`, { url: `${PUSH_HOST}/` }],
    needs: 'runs:write',
    isAboutTask: true,
  },
  {
    name: 'GetTaskPushNotificationConfig',
    params: (taskId) => ({ taskId, id: 'c' }),
    rest: (taskId) => ['GET', `/tasks/${taskId}/pushNotificationConfigs/c`],
    needs: 'runs:read',
    isAboutTask: true,
  },
  {
    name: 'ListTaskPushNotificationConfigs',
    params: (taskId) => ({ taskId }),
    rest: (taskId) => ['GET', `/tasks/${taskId}/pushNotificationConfigs`],
    needs: 'runs:read',
    isAboutTask: true,
  },
  {
    name: 'DeleteTaskPushNotificationConfig',
    params: (taskId) => ({ taskId, id: 'c' }),
    rest: (taskId) => ['DELETE', `/tasks/${taskId}/pushNotificationConfigs/c`],
    needs: 'runs:write',
    isAboutTask: true,
  },
  {
    name: 'GetExtendedAgentCard',
    params: () => ({}),
    rest: () => ['GET', '/extendedAgentCard'],
    needs: 'runs:read',
    isAboutTask: false,
  },
];

/** Who may do what over A2A, by both bindings (contract a2a, section 13). */
describe('A2A with API keys', () => {
  let server: TestServer;
  let taskId: string;
  let owner: A2aClient;
  const clients = new Map<string, A2aClient>();

  beforeAll(async () => {
    server = await startServer({ providers: [SeatAgent], env: { AUTH: 'keys', A2A_PUSH_HOSTS: PUSH_HOST } });
    const clientOf = async (options: Parameters<typeof apiKey>[1]): Promise<A2aClient> =>
      new A2aClient(server, bearer(await apiKey(server, { ...options, limits: { requests: 1_000_000 } })));
    owner = await clientOf({ account: 'owner' });
    clients.set('no credential', new A2aClient(server));
    clients.set('a wrong credential', new A2aClient(server, bearer('parley_key_of_nobody')));
    clients.set('another user', await clientOf({ account: 'other' }));
    clients.set('another tenant', await clientOf({ account: 'owner', tenant: 'elsewhere' }));
    clients.set('runs:read', await clientOf({ account: 'owner', scopes: ['runs:read'] }));
    clients.set('runs:write', await clientOf({ account: 'owner', scopes: ['runs:write'] }));
    taskId = (await owner.send(saying('Schedule a meeting with Ana tomorrow at 3pm'))).id;
    await owner.rpc('CreateTaskPushNotificationConfig', { taskId, id: 'c', url: `${PUSH_HOST}/` });
  });
  afterAll(() => server.close());
  afterEach(async () => {
    expect((await owner.get(taskId)).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const { result } = await owner.rpc('ListTaskPushNotificationConfigs', { taskId });
    expect(result).toMatchObject({ configs: [{ id: 'c' }] });
  });

  const clientNamed = (name: string): A2aClient => {
    const client = clients.get(name);
    if (!client) throw new Error(`there is no client ${name}`);
    return client;
  };

  async function byRpc(client: A2aClient, { name, params }: Method): Promise<{ status: number; body: Shown }> {
    const response = await client.post(name, params(taskId));
    return { status: response.status, body: (await response.json()) as Shown };
  }

  async function byRest(client: A2aClient, { rest }: Method): Promise<{ status: number; body: Shown }> {
    const response = await client.rest(...rest(taskId));
    return { status: response.status, body: (await response.json()) as Shown };
  }

  describe.each(METHODS.map((method) => [method.name, method] as const))('%s', (_, method) => {
    it('without a credential, and with a wrong one: refused', async () => {
      const client = clientNamed('no credential');
      const refused = { status: 401, body: { id: null, error: { code: -32000 } } };
      expect(await byRpc(client, method)).toMatchObject(refused);
      const rest = await byRest(client, method);
      expect(rest).toMatchObject({ status: 401, body: { error: { code: 401, status: 'UNAUTHENTICATED' } } });
      // Once: after twenty wrong ones an address has to wait.
      expect(await byRpc(clientNamed('a wrong credential'), method)).toMatchObject(refused);
    });

    it.each(['another user', 'another tenant'])('for %s: what the owner has does not exist', async (name) => {
      const client = clientNamed(name);
      const [rpc, rest] = [await byRpc(client, method), await byRest(client, method)];
      if (method.isAboutTask) {
        expect(rpc).toMatchObject({ status: 200, body: { error: { code: -32001, message: 'Task not found' } } });
        expect(rest).toMatchObject({ status: 404, body: { error: { code: 404, status: 'NOT_FOUND' } } });
      } else {
        expect([rpc.status, rest.status]).toEqual([200, 200]);
        expect(JSON.stringify([rpc, rest])).not.toContain(taskId);
      }
    });

    it(`without ${method.needs}: refused`, async () => {
      const client = clientNamed(method.needs === 'runs:read' ? 'runs:write' : 'runs:read');
      expect(await byRpc(client, method)).toMatchObject({ status: 403, body: { error: { code: -32000 } } });
      const rest = await byRest(client, method);
      expect(rest).toMatchObject({ status: 403, body: { error: { code: 403, status: 'PERMISSION_DENIED' } } });
    });
  });

  it('an agent whose card the caller may not see is an unknown one', async () => {
    const cardOf = async (client: A2aClient, agent: string): Promise<unknown> => {
      const response = await client.rest('GET', `/agents/${agent}/.well-known/agent-card.json`);
      const { error } = (await response.json()) as Shown;
      return [response.status, error?.status, response.headers.get('cache-control')];
    };
    const stranger = clientNamed('no credential');
    expect(await cardOf(stranger, 'seat-finder')).toEqual([404, 'NOT_FOUND', 'no-store']);
    expect(await cardOf(stranger, 'nobody')).toEqual([404, 'NOT_FOUND', 'no-store']);
    // What is not everybody's is not shared by caches.
    expect(await cardOf(owner, 'seat-finder')).toEqual([200, undefined, 'private, max-age=300']);
    expect(await cardOf(stranger, 'worker')).toEqual([200, undefined, 'public, max-age=300']);
    const sent = await owner.rest('POST', '/agents/nobody/message:send', saying('Hello'));
    expect(sent.status).toBe(404);
  });

  it('a key that may write and not decide is refused the decision, and the task waits on', async () => {
    const key = await apiKey(server, { account: 'owner', scopes: ['runs:read', 'runs:write'] });
    const client = new A2aClient(server, bearer(key));
    const response = await client.post('SendMessage', saying('approve', { taskId }));
    expect([response.status, ((await response.json()) as Shown).error?.code]).toEqual([403, -32000]);
  });
});

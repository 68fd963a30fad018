import { A2aClient, saying, type ShownTask } from '../../support/a2a.js';
import { apiKey, bearer } from '../../support/keys.js';
import { startServer, type TestServer } from '../../support/server.js';

/*
 * The rules that the compliance kit of A2A (a2aproject/a2a-tck, commit 410ba92e1b26) calls mandatory for a server of
 * JSON-RPC, by its files. The kit is a program in Python and no dependency.
 */
describe('the mandatory rules of the kit of A2A', () => {
  let server: TestServer;
  let client: A2aClient;

  beforeAll(async () => {
    server = await startServer();
    client = new A2aClient(server);
  });
  afterAll(() => server.close());

  const errorOf = async (method: string, params: unknown): Promise<number | undefined> =>
    (await client.rpc(method, params)).error?.code;

  describe('jsonrpc', () => {
    it.each([
      ['{"jsonrpc": "2.0", "method": "SendMessage", "params": {', -32700],
      ['{"method":"SendMessage","params":{}}', -32600],
      ['{"jsonrpc":"1.0","id":1,"method":"SendMessage","params":{}}', -32600],
      ['{"jsonrpc":"2.0","id":1,"params":{}}', -32600],
      ['{"jsonrpc":"2.0","id":{},"method":"SendMessage","params":{}}', -32600],
      ['{"jsonrpc":"2.0","id":1,"method":"no/such","params":{}}', -32601],
      ['{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":"none"}', -32602],
      ['{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{}}}', -32602],
    ])('the body %s is answered with %d', async (body, code) => {
      const response = await client.rest('POST', '', body);
      expect(((await response.json()) as { error: { code: number } }).error.code).toBe(code);
    });

    it('requests with one id are answered each', async () => {
      const bodies = await Promise.all([
        client.rpc('SendMessage', saying('One')),
        client.rpc('SendMessage', saying('Two')),
      ]);
      expect(bodies.map(({ id, result }) => [id, result?.task?.status.state])).toEqual([
        [1, 'TASK_STATE_COMPLETED'],
        [1, 'TASK_STATE_COMPLETED'],
      ]);
    });

    it('errors of the protocol have their codes', async () => {
      const { id } = await client.send(saying('Who are you?'));
      expect(await errorOf('CreateTaskPushNotificationConfig', { taskId: id, url: 'https://example.org/' })).toBe(
        -32003,
      );
      expect(await errorOf('SendMessage', saying('more', { taskId: id }))).toBe(-32004);
      const parts = [{ raw: 'AAAA', mediaType: 'application/x-unknown', filename: 'a.bin' }];
      expect(await errorOf('SendMessage', { message: { messageId: 'm', role: 'ROLE_USER', parts } })).toBe(-32005);
    });
  });

  it('agent card: the mandatory members are there, in their types', async () => {
    const response = await fetch(`${server.url}/.well-known/agent-card.json`, { headers: { 'a2a-version': '1.0' } });
    const card = (await response.json()) as Readonly<Record<string, unknown>>;
    expect(card).toMatchObject({
      name: expect.any(String) as unknown,
      description: expect.any(String) as unknown,
      version: expect.any(String) as unknown,
      capabilities: { streaming: true },
      defaultInputModes: expect.arrayContaining(['text/plain']) as unknown,
      defaultOutputModes: expect.arrayContaining(['text/plain']) as unknown,
    });
    for (const skill of card['skills'] as readonly Readonly<Record<string, unknown>>[]) {
      for (const member of ['id', 'name', 'description']) expect(skill[member]).toEqual(expect.any(String));
      expect((skill['tags'] as readonly string[]).length).toBeGreaterThan(0);
    }
    for (const { url } of card['supportedInterfaces'] as readonly { readonly url: string }[])
      expect(URL.canParse(url)).toBe(true);
  });

  it('extended card: it is refused without authentication', async () => {
    expect(await errorOf('GetExtendedAgentCard', {})).toBe(-32004);
  });

  it('send, get and cancel: a task is found with its history, and is gone for nobody', async () => {
    const task = await client.send(saying('Schedule a meeting with Ana tomorrow at 3pm'));
    expect((await client.get(task.id)).id).toBe(task.id);
    const { result } = await client.rpc('GetTask', { id: task.id, historyLength: 1 });
    expect(result?.history?.length).toBeLessThanOrEqual(1);
    const continued = await client.send(saying('deny', { taskId: task.id, contextId: task.contextId }));
    expect([continued.id, continued.contextId]).toEqual([task.id, task.contextId]);
    const other = await client.send(saying('Schedule a meeting with Ben tomorrow at 4pm'));
    expect((await client.rpc('CancelTask', { id: other.id })).result?.status.state).toBe('TASK_STATE_CANCELED');
    for (const method of ['GetTask', 'CancelTask']) expect(await errorOf(method, { id: 'no-such-task' })).toBe(-32001);
    expect(await errorOf('CancelTask', { id: task.id })).toBe(-32002);
  });

  describe('list', () => {
    const contextId = `kit-${Date.now()}`;
    let made: readonly ShownTask[] = [];

    beforeAll(async () => {
      const tasks: ShownTask[] = [];
      for (const name of ['one', 'two', 'three']) tasks.push(await client.send(saying(`Say ${name}`, { contextId })));
      made = tasks;
    });

    const list = async (params: object) => (await client.rpc('ListTasks', { contextId, ...params })).result;

    it('has all members, the last changed first, and all that the filters let through', async () => {
      const all = await list({});
      expect(all).toMatchObject({ totalSize: 3, nextPageToken: '' });
      expect(all?.tasks?.map(({ id }) => id)).toEqual(made.map(({ id }) => id).reverse());
      const times = all?.tasks?.map(({ status }) => status.timestamp) ?? [];
      expect(times).toEqual([...times].sort().reverse());
      expect((await list({ status: 'TASK_STATE_COMPLETED' }))?.totalSize).toBe(3);
      expect((await list({ status: 'TASK_STATE_FAILED' }))?.totalSize).toBe(0);
      expect((await list({ statusTimestampAfter: times[1] }))?.totalSize).toBe(1);
      expect((await client.rpc('ListTasks', { contextId: 'nothing' })).result).toMatchObject({
        tasks: [],
        totalSize: 0,
      });
    });

    it('has pages', async () => {
      const first = await list({ pageSize: 2 });
      expect(first?.tasks).toHaveLength(2);
      const second = await list({ pageSize: 2, pageToken: first?.nextPageToken });
      expect(second).toMatchObject({ totalSize: 3, nextPageToken: '' });
      expect(second?.tasks?.map(({ id }) => id)).toEqual([made[0]?.id]);
    });

    it('has artifacts and history as they are asked for', async () => {
      expect((await list({}))?.tasks?.every(({ artifacts = [] }) => artifacts.length === 0)).toBe(true);
      expect((await list({ includeArtifacts: true }))?.tasks?.every(({ artifacts = [] }) => artifacts.length > 0)).toBe(
        true,
      );
      expect((await list({ historyLength: 0 }))?.tasks?.every(({ history = [] }) => history.length === 0)).toBe(true);
      expect((await list({ historyLength: 10 }))?.tasks?.every(({ history = [] }) => history.length === 1)).toBe(true);
    });

    it.each([
      { pageToken: 'nothing' },
      { status: 'TASK_STATE_NONE' },
      { pageSize: -1 },
      { pageSize: 0 },
      { pageSize: 101 },
      { historyLength: -1 },
      { statusTimestampAfter: 'yesterday' },
    ])('refuses %j', async (params) => {
      expect(await errorOf('ListTasks', { contextId, ...params })).toBe(-32602);
    });
  });
});

describe('tasks of somebody else', () => {
  it('are 500 times tasks that never were, whatever is done with them', async () => {
    const server = await startServer({ env: { AUTH: 'keys', A2A_PUSH_HOSTS: '*' } });
    try {
      const [owner, other] = await Promise.all(
        ['one', 'two'].map(
          async (account) =>
            new A2aClient(server, bearer(await apiKey(server, { account, limits: { requests: 1_000_000 } }))),
        ),
      );
      if (!owner || !other) throw new Error('two callers are needed');
      const { id, contextId } = await owner.send(saying('Schedule a meeting with Ana tomorrow at 3pm'));
      const calls: readonly (readonly [string, (taskId: string) => object])[] = [
        ['GetTask', (taskId) => ({ id: taskId })],
        ['CancelTask', (taskId) => ({ id: taskId })],
        ['SubscribeToTask', (taskId) => ({ id: taskId })],
        ['SendMessage', (taskId) => saying('approve', { taskId })],
        ['ListTaskPushNotificationConfigs', (taskId) => ({ taskId })],
      ];
      for (let count = 0; count < 500; count += 1) {
        const [method = '', paramsOf] = calls[count % calls.length] ?? [];
        const taskId = count % 2 === 0 ? id : crypto.randomUUID();
        const { error } = await other.rpc(method, paramsOf?.(taskId) ?? {});
        expect([method, error?.code, error?.message]).toEqual([method, -32001, 'Task not found']);
      }
      expect((await other.rpc('ListTasks', { contextId })).result?.totalSize).toBe(0);
      expect((await owner.get(id)).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    } finally {
      await server.close();
    }
  });
});

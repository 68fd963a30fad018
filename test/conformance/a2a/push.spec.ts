import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Clock } from '../../../src/common/index.js';
import { OutboxStore } from '../../../src/outbox/index.js';
import { A2aClient, saying, saying03, type Shown } from '../../support/a2a.js';
import { startServer, type TestServer } from '../../support/server.js';
import { until } from '../../support/until.js';

interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  readonly body: Shown;
  readonly path: string;
}

/** Who is called back: answers with the statuses that it was told, then with 200. */
class Receiver {
  readonly received: Received[] = [];
  readonly answers: number[] = [];
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      let text = '';
      request.on('data', (data: Buffer) => (text += data.toString()));
      request.on('end', () => {
        this.received.push({
          headers: request.headers,
          text,
          body: JSON.parse(text) as Shown,
          path: request.url ?? '',
        });
        response.writeHead(this.answers.shift() ?? 200, { location: 'http://127.0.0.1:1/' }).end('x'.repeat(5000));
      });
    });
  }

  listen(): Promise<void> {
    return new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

const SECRET = `whsec_${Buffer.from('a secret of the client').toString('base64')}`;

describe('push notifications of A2A', () => {
  const receiver = new Receiver();
  let server: TestServer;
  let client: A2aClient;

  beforeAll(async () => {
    await receiver.listen();
    server = await startServer({ env: { A2A_PUSH_HOSTS: 'http://127.0.0.1:*' } });
    client = new A2aClient(server, { 'a2a-version': '1.0' });
  });
  afterAll(async () => {
    await server.close();
    receiver.close();
  });

  const to = (path: string): readonly Received[] => receiver.received.filter((one) => one.path === path);

  it('tells each status and each answer once, in order, signed', async () => {
    const config = {
      url: `${receiver.url}/a`,
      token: SECRET,
      authentication: { scheme: 'Bearer', credentials: 'c-1' },
    };
    const task = await client.send({
      ...saying('Who are you?'),
      configuration: { taskPushNotificationConfig: config },
    });
    await until(() => to('/a').length === 3);
    const [working, artifact, completed] = to('/a').map(({ body }) => body);
    expect(working?.statusUpdate).toMatchObject({ taskId: task.id, status: { state: 'TASK_STATE_WORKING' } });
    expect(artifact?.artifactUpdate).toMatchObject({ lastChunk: true, artifact: task.artifacts?.[0] });
    expect(completed?.statusUpdate?.status).toEqual(task.status);
    const [{ headers, text } = { headers: {} as Received['headers'], text: '' }] = to('/a');
    expect(headers).toMatchObject({
      'content-type': 'application/a2a+json',
      authorization: 'Bearer c-1',
      'x-a2a-notification-token': SECRET,
      'a2a-version': '1.0',
    });
    const [id, at] = [headers['webhook-id'], headers['webhook-timestamp']];
    const mac = createHmac('sha256', 'a secret of the client')
      .update(`${String(id)}.${String(at)}.${text}`)
      .digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${mac}`);
    expect(new Set(to('/a').map((one) => one.headers['webhook-id'])).size).toBe(3);
  });

  it('tells clients of 0.3 the whole task at each status', async () => {
    const old = new A2aClient(server);
    const pushNotificationConfig = { url: `${receiver.url}/b`, token: 't' };
    await old.rpc('message/send', { ...saying03('Who are you?'), configuration: { pushNotificationConfig } });
    await until(() => to('/b').length === 2);
    expect(to('/b').map(({ body }) => body)).toMatchObject([
      { kind: 'task', status: { state: 'working' } },
      { kind: 'task', status: { state: 'completed' }, artifacts: [{ name: 'answer' }] },
    ]);
    expect(to('/b')[0]?.headers['webhook-signature']).toBeUndefined();
  });

  it('tells that a question was given up', async () => {
    const asked = await client.send(saying('Schedule a meeting with Ana tomorrow at 3pm'));
    await client.rpc('CreateTaskPushNotificationConfig', { taskId: asked.id, id: 'c', url: `${receiver.url}/c` });
    await client.rpc('CancelTask', { id: asked.id });
    await until(() => to('/c').length === 1);
    expect(to('/c')[0]?.body.statusUpdate?.status.state).toBe('TASK_STATE_CANCELED');
  });

  it('tells that nobody has answered in time', async () => {
    const asked = await client.send(saying('Schedule a meeting with Ana tomorrow at 3pm'));
    await client.rpc('CreateTaskPushNotificationConfig', { taskId: asked.id, id: 'x', url: `${receiver.url}/x` });
    const real = Date.now.bind(Date);
    const now = jest.spyOn(server.get(Clock), 'now').mockImplementation(() => real() + 400 * 24 * 60 * 60 * 1000);
    try {
      expect(await server.get(OutboxStore).writeExpired()).toBe(1);
      expect(await server.get(OutboxStore).writeExpired()).toBe(0);
      await until(() => to('/x').length === 1);
      const { status } = to('/x')[0]?.body.statusUpdate ?? {};
      expect([status?.state, status?.message?.metadata]).toEqual(['TASK_STATE_FAILED', { code: 'INTERRUPT_EXPIRED' }]);
      expect((await client.get(asked.id)).status).toEqual(status);
    } finally {
      now.mockRestore();
    }
  });

  it('tries again what was not taken, under the same id, and forgets who is gone', async () => {
    receiver.answers.push(503);
    const clock = server.get(Clock);
    const now = jest.spyOn(clock, 'now');
    const task = await client.send({
      ...saying('Who are you?'),
      configuration: { taskPushNotificationConfig: { id: 'd', url: `${receiver.url}/d` } },
    });
    await until(() => to('/d').length === 1);
    const real = Date.now.bind(Date);
    now.mockImplementation(() => real() + 60_000);
    await until(() => to('/d').length === 4);
    now.mockRestore();
    const [first, second] = to('/d');
    expect([second?.headers['webhook-id'], second?.text]).toEqual([first?.headers['webhook-id'], first?.text]);
    receiver.answers.push(410);
    const gone = await client.send({
      ...saying('Who are you?'),
      configuration: { taskPushNotificationConfig: { id: 'e', url: `${receiver.url}/e` } },
    });
    await until(async () => {
      const { result } = await client.rpc('ListTaskPushNotificationConfigs', { taskId: gone.id });
      return JSON.stringify(result) === '{"configs":[],"nextPageToken":""}';
    });
    expect(to('/e')).toHaveLength(1);
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('keeps, replaces, lists and removes configs', async () => {
    const { id: taskId } = await client.send(saying('Who are you?'));
    const url = `${receiver.url}/f`;
    const made = await client.rpc('CreateTaskPushNotificationConfig', { taskId, url, token: 't' });
    expect(made.result).toMatchObject({ taskId, url, token: 't', id: expect.any(String) as unknown });
    const id = made.result?.id;
    expect((await client.rpc('GetTaskPushNotificationConfig', { taskId, id })).result).toEqual(made.result);
    await client.rpc('CreateTaskPushNotificationConfig', { taskId, id, url: `${url}2` });
    const listed = await client.rest('GET', `/tasks/${taskId}/pushNotificationConfigs`);
    expect(await listed.json()).toEqual({ configs: [{ taskId, id, url: `${url}2` }], nextPageToken: '' });
    const removed = await client.rest('DELETE', `/tasks/${taskId}/pushNotificationConfigs/${String(id)}`);
    expect([removed.status, await removed.json()]).toEqual([200, {}]);
    expect((await client.rpc('DeleteTaskPushNotificationConfig', { taskId, id })).result).toEqual({});
    for (let count = 0; count < 10; count += 1) {
      expect((await client.rpc('CreateTaskPushNotificationConfig', { taskId, url })).error).toBeUndefined();
    }
    expect((await client.rpc('CreateTaskPushNotificationConfig', { taskId, url })).error?.code).toBe(-32602);
  });

  it.each([
    'http://example.org/',
    'https://example.org/',
    'http://127.0.0.1.example.org/',
    'http://user@127.0.0.1/',
    'http://127.0.0.1/#x',
    'http://169.254.169.254/',
    'http://[::1]/',
    'ftp://127.0.0.1/',
    'nothing',
  ])('refuses to call %s', async (url) => {
    const { id: taskId } = await client.send(saying('Who are you?'));
    expect((await client.rpc('CreateTaskPushNotificationConfig', { taskId, url })).error?.code).toBe(-32602);
    const refused = await client.rpc('SendMessage', {
      ...saying('Who are you?', { contextId: `c-${url}` }),
      configuration: { taskPushNotificationConfig: { url } },
    });
    expect(refused.error?.code).toBe(-32602);
    expect((await client.rpc('ListTasks', { contextId: `c-${url}` })).result?.totalSize).toBe(0);
  });

  it('is off without hosts', async () => {
    const other = await startServer();
    try {
      const bare = new A2aClient(other, { 'a2a-version': '1.0' });
      expect((await bare.rpc('ListTaskPushNotificationConfigs', { taskId: 'x' })).error?.code).toBe(-32003);
      const configuration = { taskPushNotificationConfig: { url: 'https://example.org/' } };
      expect((await bare.rpc('SendMessage', { ...saying('Hello'), configuration })).error?.code).toBe(-32003);
    } finally {
      await other.close();
    }
  });
});

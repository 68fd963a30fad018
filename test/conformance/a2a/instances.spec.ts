import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { A2aClient, framesOf, saying, statesOf } from '../../support/a2a.js';
import { describeOnDatabases, type TestDatabase } from '../../support/databases.js';
import { startServer, type TestServer } from '../../support/server.js';
import { until } from '../../support/until.js';

describeOnDatabases('two instances that serve A2A', (openDatabase) => {
  let database: TestDatabase;
  let servers: readonly TestServer[] = [];
  const ids: string[] = [];
  const receiver = createServer((request, response) => {
    ids.push(String(request.headers['webhook-id']));
    request.resume();
    response.end();
  });

  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    database = await openDatabase();
    const env = { A2A_PUSH_HOSTS: 'http://127.0.0.1:*' };
    servers = [await startServer({ database, env }), await startServer({ database, env })];
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.close()));
    receiver.close();
    await database.drop();
  });

  const clients = (): readonly [A2aClient, A2aClient] => {
    const [first, second] = servers.map((server) => new A2aClient(server, { 'a2a-version': '1.0' }));
    if (!first || !second) throw new Error('two servers are needed');
    return [first, second];
  };

  it('show the same frames of one task, and go on with it wherever it is answered', async () => {
    const [here, there] = clients();
    const asked = await here.send(saying('Schedule a meeting with Ana tomorrow at 3pm'));
    const watching = [here, there].map((client) =>
      client.stream(`/tasks/${asked.id}:subscribe`, undefined, { 'last-event-id': '0' }),
    );
    const answered = await there.rest('POST', '/message:stream', saying('approve', { taskId: asked.id }));
    const [one = [], other = []] = await Promise.all(watching);
    expect(other).toEqual(one);
    expect(statesOf(one).slice(-3)).toEqual([
      'TASK_STATE_INPUT_REQUIRED',
      'TASK_STATE_WORKING',
      'TASK_STATE_COMPLETED',
    ]);
    const rest = framesOf(await answered.text()).slice(1);
    expect(rest).toEqual(one.slice(-rest.length));
    expect(await here.get(asked.id)).toEqual(await there.get(asked.id));
  });

  it('tell each change once', async () => {
    const [here] = clients();
    const { port } = receiver.address() as AddressInfo;
    const configuration = { taskPushNotificationConfig: { url: `http://127.0.0.1:${port}/` } };
    await Promise.all(Array.from({ length: 5 }, () => here.send({ ...saying('Who are you?'), configuration })));
    await until(() => ids.length >= 15);
    expect(new Set(ids).size).toBe(15);
    expect(ids).toHaveLength(15);
  });
});

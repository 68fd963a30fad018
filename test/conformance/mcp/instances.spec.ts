import type { TestDatabase } from '../../support/databases.js';
import { describeOnDatabases } from '../../support/databases.js';
import { framesIn, McpClient } from '../../support/mcp.js';
import { startServer, type TestServer } from '../../support/server.js';
import { until } from '../../support/until.js';

const CALENDAR = 'Schedule a meeting with Ana tomorrow at 3pm';

/** Every message of a session goes to another instance (contract mcp-server, section 3). */
describeOnDatabases('two instances of MCP', (openDatabase) => {
  let database: TestDatabase;
  let servers: TestServer[] = [];

  beforeAll(async () => {
    database = await openDatabase();
    const env = { LEASE_MS: '2000', SWEEP_INTERVAL_MS: '100' };
    servers = [await startServer({ database, env }), await startServer({ database, env })];
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.close()));
    await database.drop();
  });

  /** The clients of one session, one for each instance. */
  async function session(): Promise<readonly [McpClient, McpClient]> {
    const [one, two] = servers.map((server) => new McpClient(server)) as [McpClient, McpClient];
    await one.initialize({ elicitation: {} });
    two.session = one.session;
    return [one, two];
  }

  it('share a call: its stream, its form, its resume and its answer', async () => {
    const [one, two] = await session();
    const params = { name: 'ask_worker', arguments: { message: CALENDAR }, _meta: { progressToken: 1 } };
    const stream = await two.request('tools/call', params, 5);
    let text = '';
    const reading = (async () => {
      for await (const chunk of stream.body as unknown as AsyncIterable<Uint8Array>)
        text += Buffer.from(chunk).toString();
    })();
    const frames = () => framesIn(text.slice(0, text.lastIndexOf('\n\n') + 2));
    await until(() => frames().some(({ message }) => message?.method === 'elicitation/create'));
    const asked = frames().at(-1)?.message;
    const answer = { jsonrpc: '2.0', id: asked?.id, result: { action: 'accept', content: { approve: true } } };
    expect((await one.post(answer, one.sessionHeaders)).status).toBe(202);
    await reading;
    expect(frames().at(-1)?.message?.result?.structuredContent?.status).toBe('completed');
    const [first] = frames();
    const again = framesIn(await (await one.resume(first?.id ?? '')).text()).filter(({ message }) => message);
    expect(again).toEqual(frames().filter(({ message }) => message));
    const run_id = frames().at(-1)?.message?.result?.structuredContent?.run_id;
    expect((await one.tool('get_answer', { run_id })).structuredContent?.status).toBe('completed');
  });

  it('cancel for each other, join repeated requests, and forget ended sessions', async () => {
    const [one, two] = await session();
    const params = { name: 'ask_worker', arguments: { message: 'count to 300 slowly' }, _meta: { progressToken: 1 } };
    const [stream, same] = [await one.request('tools/call', params, 9), await two.request('tools/call', params, 9)];
    expect(same.headers.get('x-run-id')).toBe(stream.headers.get('x-run-id'));
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } };
    expect((await two.post(cancelled, two.sessionHeaders)).status).toBe(202);
    for (const response of [stream, same]) {
      const last = framesIn(await response.text()).at(-1)?.message;
      expect(last?.result?.structuredContent?.status).toBe('stopped');
    }
    const other = { name: 'ask_worker', arguments: { message: 'something else' } };
    expect((await two.call('tools/call', other, 9)).error?.code).toBe(-32600);
    const [server] = servers;
    await fetch(`${server?.url}/mcp`, { method: 'DELETE', headers: one.sessionHeaders });
    expect((await two.request('ping')).status).toBe(404);
  });

  it('take a decision of somebody else, and withdraw the form', async () => {
    const [one] = await session();
    const params = { name: 'ask_worker', arguments: { message: CALENDAR } };
    const stream = await one.request('tools/call', params, 11);
    let text = '';
    const reading = (async () => {
      for await (const chunk of stream.body as unknown as AsyncIterable<Uint8Array>)
        text += Buffer.from(chunk).toString();
    })();
    const form = () => framesIn(text).find(({ message }) => message?.method === 'elicitation/create')?.message?.id;
    await until(() => form() !== undefined);
    const approved = await fetch(`${servers[1]?.url}/approvals/${form()}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ approve: true }),
    });
    expect(approved.status).toBeLessThan(300);
    await reading;
    const messages = framesIn(text).flatMap(({ message }) => message ?? []);
    const withdrawn = messages.find(({ method }) => method === 'notifications/cancelled');
    expect(withdrawn?.params?.['requestId']).toBe(form());
    expect(messages.at(-1)?.result?.structuredContent?.status).toBe('completed');
  });
});

import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { startServer, type TestServer } from '../support/server.js';

/** A run is found by its wire's own id (contract gateway, addendum 5). */
describeOnDatabases('runs by the ids of their clients', (openDatabase) => {
  let database: TestDatabase;
  let server: TestServer;

  beforeAll(async () => {
    database = await openDatabase();
    server = await startServer({ database, env: { AUTH: 'none' } });
  });
  afterAll(async () => {
    await server?.close();
    await database.drop();
  });

  /** Carries out a run of AG-UI. Returns our id of it. */
  async function run(threadId: string, runId: string, user: string): Promise<string> {
    const messages = [{ id: 'u1', role: 'user', content: `Hello from ${threadId}` }];
    const body = JSON.stringify({ threadId, runId, messages, tools: [], context: [], state: {}, forwardedProps: {} });
    const headers = { 'content-type': 'application/json', 'x-user-id': user };
    const answer = await fetch(`${server.url}/ag-ui`, { method: 'POST', headers, body });
    expect(await answer.text()).toContain('RUN_FINISHED');
    return answer.headers.get('x-run-id') ?? '';
  }

  async function watched(id: string, user: string) {
    const answer = await fetch(`${server.url}/runs/${encodeURIComponent(id)}/events?protocol=ag-ui`, {
      headers: { 'x-user-id': user },
    });
    return { status: answer.status, runId: answer.headers.get('x-run-id'), text: await answer.text() };
  }

  it('are watched, and read, the newest of several', async () => {
    const first = await run('t1', 'own-1', 'alice');
    expect(await watched('own-1', 'alice')).toMatchObject({ status: 200, runId: first });
    const second = await run('t2', 'own-1', 'alice');
    const newest = await watched('own-1', 'alice');
    expect(newest).toMatchObject({ status: 200, runId: second });
    expect(newest.text).toContain('"threadId":"t2"');
    expect(await watched(first, 'alice')).toMatchObject({ status: 200, runId: first });
    const read = await fetch(`${server.url}/api/v1/runs/own-1`, { headers: { 'x-user-id': 'alice' } });
    expect(await read.json()).toMatchObject({ id: second, runKey: 'own-1' });
  });

  it('are those of the caller alone', async () => {
    await run('t3', 'own-2', 'alice');
    expect((await watched('own-2', 'bob')).status).toBe(404);
    expect((await watched('own\u0000', 'alice')).status).toBe(404);
    const bobs = await run('t4', 'own-2', 'bob');
    expect(await watched('own-2', 'bob')).toMatchObject({ status: 200, runId: bobs });
  });
});

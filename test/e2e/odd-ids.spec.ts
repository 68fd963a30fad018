import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { bootApp, type TestApp } from '../support/test-app.js';

describeOnDatabases('ids that no database keeps', (open) => {
  let database: TestDatabase;
  let server: TestApp;

  beforeAll(async () => {
    database = await open();
    server = await bootApp(database.env);
  });
  afterAll(async () => {
    await server.close();
    await database.drop();
  });

  const get = async (path: string): Promise<number> => (await fetch(server.url + path)).status;
  const post = async (path: string, body: object): Promise<number> => {
    const headers = { 'content-type': 'application/json' };
    return (await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) })).status;
  };

  it.each([
    '/process/a%00b',
    '/process/task/a%00b',
    '/runs/a%00b/events?protocol=agent-api',
    '/process/a%EF%BF%BDb',
    '/runs/%E8%B5%B0/events',
  ])('are unknown: GET %s', async (path) => {
    expect(await get(path)).toBe(404);
  });

  it.each([
    { session_id: 'a\0b' },
    { session_id: 'a\ud800b' },
    { session_id: 's', user_id: 'a\0b' },
    { response_id: 'a\0b' },
    { response_id: 'a\udc00b' },
  ])('are refused by POST /stop: %j', async (body) => {
    expect(await post('/stop', body)).toBe('response_id' in body ? 404 : 200);
  });
});

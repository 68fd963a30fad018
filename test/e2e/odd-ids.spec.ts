import { describeOnDatabases } from '../support/databases.js';
import { startServer, type TestServer } from '../support/server.js';

const message = 'The request address is not valid';
const responsesError = { error: { message, type: 'invalid_request_error', param: null, code: 'invalid_value' } };

describeOnDatabases('ids that a database cannot store', (open) => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({ database: open });
  });
  afterAll(() => server.close());

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
  ])('GET %s answers 404', async (path) => {
    expect(await get(path)).toBe(404);
  });

  it.each([
    { session_id: 'a\0b' },
    { session_id: 'a\ud800b' },
    { session_id: 's', user_id: 'a\0b' },
    { response_id: 'a\0b' },
    { response_id: 'a\udc00b' },
  ])('POST /stop refuses %j', async (body) => {
    expect(await post('/stop', body)).toBe('response_id' in body ? 404 : 200);
  });

  it.each([
    ['/v1/responses/%ff', responsesError],
    ['/compatible-mode/v1/conversations/%zz', responsesError],
    ['/send-message/%ff', { code: 'INVALID_ARGUMENT', message }],
    ['/v1/aibot/bots/%ff/send-message', { code: 'INVALID_ARGUMENT', message }],
    ['/copilotkit/%ff', { error: 'Invalid request body', code: 'INVALID_PARAMETER', message }],
    ['/api/v1/agent/runs/%ff', { code: 'invalid_parameter', message, requestId: expect.any(String) as string }],
    ['/ag-ui/%ff', { code: 'INVALID_PARAMETER', message }],
    ['/process/%ff', { code: 'INVALID_PARAMETER', message }],
  ])('a path that cannot be decoded is refused with an error of its wire: %s', async (path, body) => {
    const answer = await fetch(server.url + path);
    expect(answer.status).toBe(400);
    expect(answer.headers.get('x-request-id')).toMatch(/./);
    expect(await answer.json()).toEqual(body);
  });
});

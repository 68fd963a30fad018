import { startServer, type TestServer } from '../support/server.js';

describe('users that a proxy names', () => {
  let server: TestServer;
  afterEach(() => server.close());

  const start = async (peers: string): Promise<void> => {
    const env = { AUTH: 'keys,proxy', PROXY_AUTH_PEERS: peers, PROXY_AUTH_ROLES_HEADER: 'X-Forwarded-Groups' };
    server = await startServer({ env });
  };

  async function request(method: string, path: string, headers: Record<string, string>): Promise<Response> {
    const body = method === 'POST' ? JSON.stringify({ model: 'default', input: 'Hello' }) : undefined;
    const init = { method, headers: { 'content-type': 'application/json', ...headers }, ...(body && { body }) };
    return fetch(`${server.url}${path}`, init);
  }

  const user = (name: string, groups: string) => ({ 'x-forwarded-user': name, 'x-forwarded-groups': groups });

  it('own what they make, and do not reach what others made', async () => {
    await start('127.0.0.1');
    const created = await request('POST', '/v1/responses', user('alice', 'user'));
    expect(created.status).toBe(200);
    const { id } = (await created.json()) as { id: string };
    expect((await request('GET', `/v1/responses/${id}`, user('alice', 'user'))).status).toBe(200);
    expect((await request('GET', `/v1/responses/${id}`, user('bob', 'user'))).status).toBe(404);
    expect((await request('POST', '/v1/responses', user('carol', 'auditor'))).status).toBe(403);
  });

  it('are nobody when the connection is not that of the proxy, whatever the headers say', async () => {
    await start('192.0.2.1');
    const forged = { ...user('alice', 'user'), 'x-forwarded-for': '192.0.2.1' };
    expect((await request('POST', '/v1/responses', forged)).status).toBe(401);
  });

  it('do not lend their rights to a bearer token that is not valid', async () => {
    await start('127.0.0.1');
    const mixed = { ...user('alice', 'user'), authorization: 'Bearer nonsense' };
    expect((await request('POST', '/v1/responses', mixed)).status).toBe(401);
  });
});

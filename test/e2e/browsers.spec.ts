import { request } from 'node:http';
import { readConfiguration } from '../../src/app.settings.js';
import { NAMED_USERS } from '../support/identities.js';
import { rawRequest } from '../support/raw-http.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** `fetch` does not let a test choose the headers Host and Origin. */
function send(
  server: TestServer,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: object,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const type = body && { 'content-type': 'application/json' };
    const sent = request(`${server.url}${path}`, { method, headers: { ...type, ...headers } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    sent.on('error', reject).end(body && JSON.stringify(body));
  });
}

const QUESTION = { input: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }], stream: false };
const EVIL = 'https://evil.example';

describe('a server without authentication on loopback', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({ env: { ALLOWED_HOSTS: 'parley.internal' } });
  });
  afterAll(() => server.close());

  it.each(['localhost', 'localhost:8090', '127.0.0.1', '[::1]:80', '127.1.2.3', 'parley.internal:9', 'LOCALHOST'])(
    'answers requests for the host %s',
    async (host) => {
      expect((await send(server, 'GET', '/approvals', { host })).status).toBe(200);
    },
  );

  it.each(['evil.example', 'evil.example:8090', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.7'])(
    'refuses requests for the host %s, which a page can make stand for this machine',
    async (host) => {
      const answer = await send(server, 'GET', '/approvals', { host });
      expect(answer.status).toBe(403);
      expect(JSON.parse(answer.body)).toMatchObject({ code: 'PERMISSION_DENIED' });
    },
  );

  it('answers probes that name it by an address, but not by a foreign name', async () => {
    expect((await send(server, 'GET', '/liveness', { host: '10.0.0.7:8090' })).status).toBe(200);
    expect((await send(server, 'GET', '/liveness', { host: 'evil.example' })).status).toBe(403);
  });

  it('refuses a request with two hosts', async () => {
    const answer = rawRequest(server.port, 'GET', '/approvals', undefined, ['host: evil.example']);
    await until(() => answer.head !== '');
    expect(answer.head).toMatch(/^HTTP\/1.1 400 /);
    answer.socket.destroy();
  });

  it.each([
    ['a page of another origin', EVIL, 403],
    ['an opaque origin', 'null', 403],
    ['a page with a name that begins like this machine', 'http://localhost.evil.example', 403],
    ['a page of this machine', 'http://localhost:3000', 200],
    ['no page', undefined, 200],
  ])('a POST from %s is answered by its origin', async (_who, origin, status) => {
    const answer = await send(server, 'POST', '/process', origin === undefined ? {} : { origin }, QUESTION);
    expect(answer.status).toBe(status);
    if (status === 403) expect(JSON.parse(answer.body)).toMatchObject({ code: 'PERMISSION_DENIED' });
  });

  it.each(['PUT', 'PATCH', 'DELETE'])('a %s of another origin is refused, whatever its path', async (method) => {
    expect((await send(server, method, '/v1/conversations/conv_1', { origin: EVIL })).status).toBe(403);
    expect((await send(server, method, '/nowhere', { origin: EVIL })).status).toBe(403);
  });

  it('a GET of another origin is answered, and its page cannot read the answer', async () => {
    const answer = await send(server, 'GET', '/approvals', { origin: EVIL });
    expect(answer.status).toBe(200);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('a page of an allowed origin can read why its request is refused', async () => {
    const answer = await send(server, 'POST', '/process', { origin: 'http://localhost:3000', host: 'evil.example' });
    expect(answer.status).toBe(403);
    expect(answer.headers['access-control-allow-origin']).toBe('http://localhost:3000');
  });
});

describe('a server with authentication', () => {
  const ALICE = { authorization: 'Bearer alice@acme' };
  let server: TestServer;

  async function start(env: Record<string, string>): Promise<void> {
    server = await startServer({ env: { AUTH: 'keys', ...env }, overrides: [NAMED_USERS] });
  }
  afterEach(() => server.close());

  it('answers every host without PUBLIC_BASE_URL and ALLOWED_HOSTS, and no page', async () => {
    await start({});
    expect((await send(server, 'GET', '/approvals', { ...ALICE, host: 'any.example' })).status).toBe(200);
    const answer = await send(server, 'POST', '/process', { ...ALICE, origin: 'http://localhost:3000' }, QUESTION);
    expect(answer.status).toBe(403);
  });

  it('answers the hosts of PUBLIC_BASE_URL and ALLOWED_HOSTS, and pages of its own origin', async () => {
    await start({ PUBLIC_BASE_URL: 'https://chat.example/parley', ALLOWED_HOSTS: 'parley.internal' });
    const read = (host: string) => send(server, 'GET', '/approvals', { ...ALICE, host });
    expect((await read('chat.example')).status).toBe(200);
    expect((await read('parley.internal:8090')).status).toBe(200);
    expect((await read('localhost')).status).toBe(403);
    const post = (origin: string) =>
      send(server, 'POST', '/process', { ...ALICE, host: 'parley.internal', origin }, QUESTION);
    expect((await post('https://chat.example')).status).toBe(200);
    expect((await post(EVIL)).status).toBe(403);
  });

  it('refuses a foreign page before it looks at the credential', async () => {
    await start({});
    const answer = await send(server, 'POST', '/process', { authorization: 'Bearer wrong', origin: EVIL }, QUESTION);
    expect(answer.status).toBe(403);
  });

  it('lets a page of an allowed origin read a 401', async () => {
    await start({ CORS_ORIGINS: 'https://chat.example' });
    const answer = await send(server, 'GET', '/approvals', { origin: 'https://chat.example' });
    expect(answer.status).toBe(401);
    expect(answer.headers['access-control-allow-origin']).toBe('https://chat.example');
    expect(answer.headers['access-control-expose-headers']).toContain('WWW-Authenticate');
  });

  it('answers preflights without a credential', async () => {
    await start({ CORS_ORIGINS: 'https://chat.example' });
    const headers = { origin: 'https://chat.example', 'access-control-request-method': 'POST' };
    const answer = await send(server, 'OPTIONS', '/process', headers);
    expect(answer.status).toBe(204);
    expect(answer.headers['access-control-allow-origin']).toBe('https://chat.example');
  });
});

describe('a server behind a proxy that authenticates', () => {
  const env = { AUTH: 'proxy', PROXY_AUTH_PEERS: '127.0.0.1', PROXY_AUTH_TENANT: 'default' };
  const user = { 'x-forwarded-user': 'alice', 'x-proxy-roles': 'user' };
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({
      env: { ...env, CORS_ORIGINS: 'https://chat.example', PROXY_AUTH_ROLES_HEADER: 'x-proxy-roles' },
    });
  });
  afterAll(() => server.close());

  it.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['an allowed origin', { 'sec-fetch-site': 'cross-site', origin: 'https://chat.example' }, 200],
    ['its own pages', { 'sec-fetch-site': 'same-origin' }, 200],
    ['a program', {}, 200],
  ])('a GET of %s is answered by where it comes from', async (_who, headers, status) => {
    expect((await send(server, 'GET', '/approvals', { ...user, ...headers })).status).toBe(status);
  });

  it('does not start with CORS_ORIGINS=*', () => {
    expect(() => readConfiguration({ ...env, CORS_ORIGINS: '*' })).toThrow(/CORS_ORIGINS must not be \*/);
  });
});

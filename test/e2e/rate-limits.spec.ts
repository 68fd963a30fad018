import { randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { WebSocket } from 'ws';
import { as, startWithCallers } from '../support/known-callers.js';
import { postgresDatabase, sqliteDatabase, type TestDatabase } from '../support/databases.js';
import { startServer, type TestServer } from '../support/server.js';

const REDIS = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379/9';

/** A file with limits that a test can reach. */
function limitsFile(limits: object): string {
  const file = join(mkdtempSync(join(tmpdir(), 'parley-limits-')), 'limits.json');
  writeFileSync(file, JSON.stringify(limits));
  return file;
}

const TIGHT = limitsFile({
  user: { requests: { perMinute: 5, burst: 5 } },
  tenant: { requests: { perMinute: 8, burst: 8 } },
});

async function statuses(url: string, token: string, times: number): Promise<number[]> {
  const found: number[] = [];
  for (let index = 0; index < times; index += 1) found.push((await get(url, token)).status);
  return found;
}

async function get(url: string, token: string, path = '/runs/none/events'): Promise<Response> {
  const response = await fetch(url + path, { headers: as(token) });
  await response.text();
  return response;
}

/** What a request to open a WebSocket is answered. */
interface UpgradeAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

function upgrade(url: string, token: string, path = '/v1/responses'): Promise<UpgradeAnswer> {
  const socket = new WebSocket(url.replace('http', 'ws') + path, { headers: as(token) });
  return new Promise((resolve, reject) => {
    socket.once('upgrade', ({ headers }) => {
      socket.once('open', () => socket.terminate());
      resolve({ status: 101, headers, body: '' });
    });
    socket.once('unexpected-response', (_request, response) => {
      const { statusCode: status = 0, headers } = response;
      let body = '';
      response.on('data', (data: Buffer) => (body += data.toString()));
      response.on('end', () => resolve({ status, headers, body }));
    });
    socket.once('error', reject);
  });
}

describe('Limits of requests', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startWithCallers(
      { env: { LIMITS_FILE: TIGHT } },
      {
        'fast.alice': { limits: { requests: 2 } },
        'ops.admin': { scopes: ['admin:keys'] },
      },
    );
  });

  afterAll(() => server.close());

  it('are shown in every answer to a caller, the tightest bucket first', async () => {
    const response = await get(server.url, 'shown.alice');
    expect(response.status).toBe(404);
    expect(response.headers.get('ratelimit-policy')).toBe('"user";q=5;w=60, "tenant";q=8;w=60');
    expect(response.headers.get('ratelimit')).toBe('"user";r=4;t=60, "tenant";r=7;t=60');
    expect(response.headers.get('x-ratelimit-limit-requests')).toBeNull();
  });

  it('have the names of OpenAI on /v1', async () => {
    const { headers } = await get(server.url, 'openai.alice', '/v1/models');
    expect(headers.get('x-ratelimit-limit-requests')).toBe('5');
    expect(headers.get('x-ratelimit-remaining-requests')).toBe('4');
    expect(headers.get('x-ratelimit-reset-requests')).toBe('60s');
  });

  it('refuse a user with 429 and Retry-After, and no other user', async () => {
    expect(await statuses(server.url, 'users.alice', 6)).toEqual([404, 404, 404, 404, 404, 429]);
    const refused = await get(server.url, 'users.alice');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(refused.headers.get('ratelimit')).toContain('"user";r=0;');
    expect((await get(server.url, 'users.bob')).status).toBe(404);
  });

  it('hold for all users of a tenant together, and not for another tenant', async () => {
    await statuses(server.url, 'together.alice', 4);
    expect(await statuses(server.url, 'together.bob', 5)).toEqual([404, 404, 404, 404, 429]);
    expect((await get(server.url, 'another.bob')).status).toBe(404);
  });

  it('can be those of the credential itself', async () => {
    expect(await statuses(server.url, 'fast.alice', 3)).toEqual([404, 404, 429]);
  });

  it('are looked at before the body: a refused request does not have to send it', async () => {
    await statuses(server.url, 'early.alice', 5);
    const socket = connect(server.port, '127.0.0.1');
    socket.write(
      'POST /process HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer early.alice\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n',
    );
    const text = await new Promise<string>((resolve) => {
      let received = '';
      socket.on('data', (data) => (received += data.toString()));
      socket.on('close', () => resolve(received));
    });
    expect(text).toMatch(/^HTTP\/1.1 429 /);
    expect(text).toContain('RATE_LIMIT_EXCEEDED');
  });

  it('count a WebSocket upgrade, which is refused with the body and the headers of the wire', async () => {
    const opened = await upgrade(server.url, 'sockets.alice');
    expect(opened).toMatchObject({ status: 101, headers: { ratelimit: '"user";r=4;t=60, "tenant";r=7;t=60' } });
    await statuses(server.url, 'sockets.alice', 4);
    const { status, headers, body } = await upgrade(server.url, 'sockets.alice');
    expect(status).toBe(429);
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers['content-type']).toContain('application/json');
    expect(JSON.parse(body)).toMatchObject({
      error: { type: 'rate_limit_error', code: 'rate_limit_exceeded', param: null },
    });
    const seconds = Number(headers['retry-after']);
    expect(seconds).toBeGreaterThan(0);
    expect(headers['retry-after-ms']).toBe(String(seconds * 1000));
    expect(headers['ratelimit']).toContain('"user";r=0;');
    expect(headers['x-ratelimit-remaining-requests']).toBe('0');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['cache-control']).toBe('no-store');
  });

  it('count upgrades that have no route', async () => {
    await statuses(server.url, 'lost.alice', 4);
    expect((await upgrade(server.url, 'lost.alice', '/nowhere')).status).toBe(404);
    expect((await upgrade(server.url, 'lost.alice', '/nowhere')).status).toBe(429);
  });

  it('name the time to wait in milliseconds on /v1 only', async () => {
    await statuses(server.url, 'waits.alice', 5);
    const { headers } = await get(server.url, 'waits.alice', '/v1/models');
    expect(headers.get('retry-after-ms')).toBe(`${headers.get('retry-after')}000`);
    expect((await get(server.url, 'waits.alice')).headers.get('retry-after-ms')).toBeNull();
  });

  it('raise the RateLimitError of the openai client', async () => {
    await statuses(server.url, 'sdk.alice', 5);
    const client = new OpenAI({
      apiKey: 'sdk.alice',
      baseURL: `${server.url}/v1`,
      maxRetries: 0,
    });
    await expect(client.models.list()).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    const error = (await client.models.list().catch((thrown: unknown) => thrown)) as InstanceType<
      typeof OpenAI.RateLimitError
    >;
    expect(Number(error.headers.get('retry-after'))).toBeGreaterThan(50);
  });

  it('do not exist without authentication', async () => {
    const open = await startServer({ env: { LIMITS_FILE: TIGHT } });
    const found = await statuses(open.url, 'any', 20);
    expect(new Set(found)).toEqual(new Set([404]));
    const { headers } = await get(open.url, 'any');
    expect(headers.get('ratelimit')).toBeNull();
    await open.close();
  });
});

describe('Credentials that are not valid', () => {
  it('get 429 instead of 401 after 20 in a minute; a valid one is still accepted', async () => {
    const server = await startWithCallers();
    expect(new Set(await statuses(server.url, 'bad', 20))).toEqual(new Set([401]));
    const refused = await get(server.url, 'bad');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await get(server.url, 'acme.alice')).status).toBe(404);
    const without = await fetch(`${server.url}/v1/models`);
    expect(without.status).toBe(401);
    await server.close();
  });
});

describe('The openai client', () => {
  it('waits for Retry-After and then succeeds', async () => {
    const file = limitsFile({ user: { requests: { perMinute: 60, burst: 1 } } });
    const server = await startWithCallers({ env: { LIMITS_FILE: file } });
    const client = new OpenAI({ apiKey: 'acme.alice', baseURL: `${server.url}/v1`, maxRetries: 2 });
    await client.models.list();
    const before = Date.now();
    await client.models.list();
    expect(Date.now() - before).toBeGreaterThan(500);
    await server.close();
  });
});

/** Two servers that count in the same store; the user may send 20 requests. */
async function twoServers(env: NodeJS.ProcessEnv, database?: TestDatabase): Promise<[TestServer, TestServer]> {
  const file = limitsFile({ user: { requests: { perMinute: 20, burst: 20 } } });
  const options = { env: { LIMITS_FILE: file, ...env }, ...(database ? { database } : {}) };
  return [await startWithCallers(options), await startWithCallers(options)];
}

/** @param unused how many points the servers may hold back in leases */
async function expectShared([one, two]: [TestServer, TestServer], unused = 0): Promise<void> {
  const token = `acme.${randomUUID()}`;
  const found = [...(await statuses(one.url, token, 15)), ...(await statuses(two.url, token, 15))];
  const allowed = found.filter((status) => status === 404).length;
  expect(allowed).toBeLessThanOrEqual(20);
  expect(allowed).toBeGreaterThanOrEqual(20 - unused);
  expect((await get(one.url, `acme.${randomUUID()}`)).status).toBe(404);
}

const hasRedis = new Promise<boolean>((resolve) => {
  const { hostname, port } = new URL(REDIS);
  const socket = connect(Number(port), hostname);
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  socket.once('connect', () => socket.end());
});

describe('Limits in Redis', () => {
  it('are shared by two servers', async () => {
    if (!(await hasRedis)) return;
    const servers = await twoServers({ LIMITS_STORE: 'redis', REDIS_URL: REDIS });
    await expectShared(servers);
    for (const server of servers) await server.close();
  });

  it('are those of each server while Redis cannot be reached', async () => {
    const servers = await twoServers({ LIMITS_STORE: 'redis', REDIS_URL: 'redis://127.0.0.1:9' });
    for (const { url } of servers) {
      const found = await statuses(url, 'acme.alice', 25);
      expect(found.filter((status) => status === 404)).toHaveLength(20);
    }
    for (const server of servers) await server.close();
  });
});

const postgres = process.env.TEST_DATABASE_URL;
(postgres === undefined ? describe.skip : describe)('Limits in PostgreSQL', () => {
  it('are shared by two servers', async () => {
    const database = await (postgres === undefined ? sqliteDatabase() : postgresDatabase(postgres));
    const servers = await twoServers({ LIMITS_STORE: 'postgres' }, database);
    await expectShared(servers, 2);
    for (const server of servers) await server.close();
    await database.drop();
  });
});

import { once } from 'node:events';
import { WebSocket } from 'ws';
import { ApiKeys } from '../../src/access/index.js';
import { Clock, SERVER_ORIGIN } from '../../src/common/index.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { BEGINNING, ResponsesDriver } from '../support/responses-driver.js';
import type { TestServer } from '../support/server.js';
import { until } from '../support/until.js';

const MANAGER = { name: 'cli:test', origin: SERVER_ORIGIN, authorize: () => undefined };
const TENANT = { of: 'tenant', tenantId: 'default' } as const;
const PATH = '/v1/responses';

describeOnDatabases('tickets', (open) => {
  let database: TestDatabase;
  let server: TestServer;
  let key: { readonly id: string; readonly secret: string };
  let runId: string;
  /** Milliseconds that the server's clock is ahead. */
  let ahead = 0;

  beforeAll(async () => {
    database = await open();
    const overrides = [
      { provide: Clock, useValue: { now: () => Date.now() + ahead, monotonic: () => performance.now() } },
    ];
    ({ server } = await ResponsesDriver.start({ database, env: { AUTH: 'keys' }, overrides }));
    key = await newKey('runs:write', 'runs:read');
    const response = await post(PATH, { model: 'default', input: 'Hello' });
    runId = ((await response.json()) as { id: string }).id;
  });
  beforeEach(() => {
    ahead = 0;
  });
  afterAll(async () => {
    await server.close();
    await database.drop();
  });

  async function newKey(...scopes: string[]): Promise<{ id: string; secret: string }> {
    const { key: made, secret } = await server.get(ApiKeys).create('default', { account: 'ci', scopes }, MANAGER);
    return { id: made.id, secret };
  }

  function post(path: string, body: object, secret = key.secret): Promise<Response> {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    return fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  function get(path: string): Promise<Response> {
    return fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${key.secret}` } });
  }

  async function ticketFor(path: string, secret?: string): Promise<{ ticket: string; url: string }> {
    const response = await post('/access/tickets', { path }, secret);
    expect(response.status).toBe(201);
    return (await response.json()) as { ticket: string; url: string };
  }

  const events = (): string => `/runs/${runId}/events`;

  async function statusOf(url: string, headers: Record<string, string> = {}): Promise<number> {
    const response = await fetch(new URL(url, server.url), { headers });
    await response.body?.cancel();
    return response.status;
  }

  describe('for an event stream', () => {
    it('opens it without a credential, and the query of the path is kept', async () => {
      const { url } = await ticketFor(`${events()}?protocol=runs`);
      const response = await fetch(url);
      expect(response.status).toBe(200);
      expect(await response.text()).toContain('RUN_FINISHED');
    });

    it('opens it for 60 s, and again for 15 min with Last-Event-ID', async () => {
      const { url } = await ticketFor(events());
      ahead = 59_000;
      expect(await statusOf(url)).toBe(200);
      ahead = 61_000;
      expect(await statusOf(url)).toBe(401);
      expect(await statusOf(url, { 'last-event-id': '' })).toBe(401);
      expect(await statusOf(url, { 'last-event-id': '1' })).toBe(200);
      ahead = 901_000;
      expect(await statusOf(url, { 'last-event-id': '1' })).toBe(401);
    });

    it('opens no other path, no other method, and nothing when it was changed', async () => {
      const { ticket } = await ticketFor(events());
      const query = `?ticket=${ticket}`;
      expect(await statusOf(`/runs/${runId}x/events${query}`)).toBe(401);
      expect(await statusOf(`/v1/responses/${runId}${query}`)).toBe(401);
      expect(await statusOf(`/v1/models${query}`)).toBe(401);
      expect((await fetch(`${server.url}/v1/responses${query}`, { method: 'POST', body: '{}' })).status).toBe(401);
      const [payload = '', signature = ''] = ticket.slice('parley_tk_'.length).split('.');
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
      const other = Buffer.from(JSON.stringify({ ...claims, openUntil: 9e15 })).toString('base64url');
      for (const forged of [`parley_tk_${other}.${signature}`, ticket.slice(0, -1), `${ticket}=`, 'parley_tk_', '']) {
        expect(await statusOf(`${events()}?ticket=${encodeURIComponent(forged)}`)).toBe(401);
      }
    });

    it('is refused beside a credential, and twice in one request', async () => {
      const { ticket } = await ticketFor(events());
      const url = `${events()}?ticket=${ticket}`;
      expect(await statusOf(url, { authorization: `Bearer ${key.secret}` })).toBe(401);
      expect(await statusOf(`${url}&ticket=${ticket}`)).toBe(401);
    });

    it('is refused once the key behind it is revoked', async () => {
      const other = await newKey('runs:read');
      const { url } = await ticketFor(events(), other.secret);
      await server.get(ApiKeys).revoke(TENANT, other.id, MANAGER);
      expect(await statusOf(url)).toBe(401);
    });

    it('acts for the user that its request has named', async () => {
      const backend = await newKey('runs:write', 'runs:read', 'users:*');
      const headers = { authorization: `Bearer ${backend.secret}`, 'content-type': 'application/json' };
      const asUser = (user: string) => ({
        method: 'POST',
        headers: { ...headers, 'x-user-id': user },
        body: JSON.stringify({ path: events() }),
      });
      const { url } = (await (await fetch(`${server.url}/access/tickets`, asUser('alice'))).json()) as { url: string };
      expect(await statusOf(url)).toBe(404);
      const own = (await (await fetch(`${server.url}/access/tickets`, asUser('service:ci'))).json()) as {
        url?: string;
      };
      expect(own.url).toBeDefined();
    });
  });

  describe('a request for one', () => {
    it.each(['/v1/models', '/', '/runs/r/events/more', '/process'])('is refused for the path %s', async (path) => {
      expect((await post('/access/tickets', { path })).status).toBe(400);
    });

    it.each(['https://evil.example/runs/r/events', '//evil.example/runs/r/events', 'runs/r/events', '', 7, null])(
      'is refused for %j, which is not a path',
      async (path) => {
        expect((await post('/access/tickets', { path })).status).toBe(400);
      },
    );

    it('is refused without the scope of the path, and without a credential', async () => {
      const reader = await newKey('runs:read');
      expect((await post('/access/tickets', { path: PATH }, reader.secret)).status).toBe(403);
      expect((await fetch(`${server.url}/access/tickets`, { method: 'POST' })).status).toBe(401);
    });

    it('is not cached', async () => {
      const response = await post('/access/tickets', { path: events() });
      expect(response.headers.get('cache-control')).toBe('no-store');
    });
  });

  describe('for the WebSocket', () => {
    async function connect(protocols: string[], query = ''): Promise<WebSocket | number> {
      const socket = new WebSocket(`${server.url.replace('http', 'ws')}${PATH}${query}`, protocols);
      return new Promise((resolve) => {
        socket.once('open', () => resolve(socket));
        socket.once('unexpected-response', (request, { statusCode }) => {
          request.destroy();
          resolve(statusCode ?? 0);
        });
        socket.once('error', () => undefined);
      });
    }

    it('opens it once as a sub-protocol, and the answer does not repeat it', async () => {
      const { ticket } = await ticketFor(PATH);
      const socket = await connect(['parley', `parley.ticket.${ticket}`]);
      if (typeof socket === 'number') throw new Error(`refused with ${socket}`);
      expect(socket.protocol).toBe('parley');
      socket.close();
      expect(await connect(['parley', `parley.ticket.${ticket}`])).toBe(401);
      expect(await connect([], `?ticket=${ticket}`)).toBe(401);
    });

    it('opens it in the query, within 60 s', async () => {
      const { ticket } = await ticketFor(PATH);
      ahead = 61_000;
      expect(await connect([], `?ticket=${ticket}`)).toBe(401);
      ahead = 0;
      const socket = await connect([], `?ticket=${ticket}`);
      expect(typeof socket).toBe('object');
      if (typeof socket !== 'number') socket.close();
    });

    it('a message after the key was revoked gets the error 401, and the socket is closed with 1008', async () => {
      const other = await newKey('runs:write', 'runs:read');
      const { ticket } = await ticketFor(PATH, other.secret);
      const socket = await connect([], `?ticket=${ticket}`);
      if (typeof socket === 'number') throw new Error(`refused with ${socket}`);
      const messages: { type: string; status?: number }[] = [];
      socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString()) as { type: string }));
      await server.get(ApiKeys).revoke(TENANT, other.id, MANAGER);
      socket.send(JSON.stringify({ type: 'response.create', model: 'default', input: 'Hello' }));
      const [code] = (await once(socket, 'close')) as [number];
      expect([code, messages]).toMatchObject([
        1008,
        [{ type: 'error', status: 401, error: { code: 'invalid_api_key' } }],
      ]);
    });
  });

  it.each([
    ['runs', /retry: 500$/],
    ['responses', /event: error\ndata: [^\n]+\n\ndata: \[DONE\]$/],
    ['ag-ui', /data: [^\n]+"code":"SHUTTING_DOWN"\}$/],
    ['ag-kit', /data: \{"type":"error"[^\n]+\n\ndata: \[DONE\]$/],
    ['agent-api', /"text":"Once upon"\}$/],
  ])(
    'an open stream of the wire %s ends with its closing frame when the key behind it is revoked, and the run goes on',
    async (protocol, end) => {
      const other = await newKey('runs:write', 'runs:read');
      const started = await post(PATH, { model: 'default', input: 'hold', background: true }, other.secret);
      const { id } = (await started.json()) as { id: string };
      const { url } = await ticketFor(`/runs/${id}/events?protocol=${protocol}`, other.secret);
      const response = await fetch(url);
      let text = '';
      const read = (async () => {
        for await (const chunk of response.body ?? []) text += Buffer.from(chunk as Uint8Array).toString();
      })();
      await until(() => text.includes(BEGINNING.split(' ')[0] ?? ''));
      await server.get(ApiKeys).revoke(TENANT, other.id, MANAGER);
      ahead = 6000;
      await read;
      expect(text.trimEnd()).toMatch(end);
      const { status } = (await (await get(`${PATH}/${id}`)).json()) as { status: string };
      expect(status).toBe('in_progress');
      await post(`${PATH}/${id}/cancel`, {});
    },
  );
});

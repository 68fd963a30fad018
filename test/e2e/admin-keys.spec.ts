import { ApiKeys } from '../../src/access/index.js';
import { describeOnDatabases } from '../support/databases.js';
import { apiKey, bearer } from '../support/keys.js';
import { startServer, type TestServer } from '../support/server.js';

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}

const ADMIN = ['admin:keys', 'runs:write', 'runs:read', 'users:*'];

describeOnDatabases('the API of administration', (open) => {
  let server: TestServer;
  let admin: string;
  let accounts = 0;

  beforeAll(async () => {
    server = await startServer({ database: open, env: { AUTH: 'keys' } });
  });
  // The requests of an account to these routes are limited.
  beforeEach(async () => {
    admin = await apiKey(server, { account: `admin-${(accounts += 1)}`, scopes: ADMIN });
  });
  afterAll(() => server.close());

  async function call(method: string, path: string, body?: unknown, key = admin): Promise<Answer> {
    const content = { 'content-type': 'application/json' };
    const answer = await fetch(`${server.url}${path}`, {
      method,
      headers: { ...bearer(key), ...(body !== undefined && content) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Answer['body'], headers: answer.headers };
  }

  const create = async (fields: object = {}): Promise<{ id: string; secret: string }> => {
    const { body } = await call('POST', '/admin/keys', { account: 'made', ...fields });
    return { id: String(body['id']), secret: String(body['secret']) };
  };
  const works = async (key: string): Promise<number> =>
    (await fetch(`${server.url}/v1/models`, { headers: bearer(key) })).status;

  it('a key is created, its secret shown once, and works', async () => {
    const { status, body, headers } = await call('POST', '/admin/keys', { account: 'nightly', expires: '30d' });
    expect(status).toBe(201);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toMatchObject({ account: 'nightly', tenant: 'default', status: 'active', user: null, networks: null });
    expect(body).toMatchObject({ scopes: ['runs:write', 'runs:read'] });
    expect(body['createdBy']).toBe(`key:${admin.slice(10, 22)}`);
    const { secret, ...shown } = body;
    expect(secret).toMatch(/^parley_sk_/);
    expect((await call('GET', `/admin/keys/${String(body['id'])}`)).body).toEqual(shown);
    expect(await works(String(secret))).toBe(200);
  });

  it('keys are listed in pages, newest first', async () => {
    const { id } = await create({ account: 'paged' });
    const { id: second } = await create({ account: 'paged' });
    const first = await call('GET', '/admin/keys?account=paged&limit=1');
    const next = await call('GET', `/admin/keys?account=paged&limit=1&cursor=${String(first.body['nextCursor'])}`);
    const ids = [first, next].flatMap(({ body }) => (body['data'] as { id: string }[]).map((key) => key.id));
    expect(ids.sort()).toEqual([id, second].sort());
    expect(next.body['nextCursor']).toBeNull();
    expect(await call('GET', '/admin/keys?cursor=x')).toMatchObject({ status: 400 });
    expect(await call('GET', '/admin/keys?limit=0')).toMatchObject({ status: 400 });
  });

  it('a key is changed, and null removes its name and networks', async () => {
    const { id, secret } = await create({ name: 'a', networks: ['192.0.2.0/24'] });
    expect(await works(secret)).toBe(401);
    const changed = await call('PATCH', `/admin/keys/${id}`, { name: null, networks: null, scopes: ['runs:read'] });
    expect(changed).toMatchObject({ status: 200, body: { name: null, networks: null, scopes: ['runs:read'] } });
    expect(await works(secret)).toBe(200);
    expect((await call('PATCH', `/admin/keys/${id}`, { expires: 'never' })).body['expiresAt']).toBeNull();
  });

  it('a key is rotated once, and a revoked one not at all', async () => {
    const { id, secret } = await create();
    const rotated = await call('POST', `/admin/keys/${id}/rotate`, { overlap: '1h' });
    expect(rotated).toMatchObject({ status: 201, body: { account: 'made', status: 'active' } });
    expect(rotated.headers.get('cache-control')).toBe('no-store');
    expect([await works(secret), await works(String(rotated.body['secret']))]).toEqual([200, 200]);
    expect((await call('GET', `/admin/keys/${id}`)).body).toMatchObject({ status: 'rotated' });
    expect(await call('POST', `/admin/keys/${id}/rotate`)).toMatchObject({
      status: 409,
      body: { code: 'API_KEY_ENDED' },
    });
    const other = String(rotated.body['id']);
    expect(await call('POST', `/admin/keys/${other}/revoke`)).toMatchObject({
      status: 200,
      body: { status: 'revoked' },
    });
    expect(await works(String(rotated.body['secret']))).toBe(401);
    expect(await call('POST', `/admin/keys/${other}/rotate`)).toMatchObject({ status: 409 });
    expect(await call('POST', `/admin/keys/${id}/rotate`, { overlap: '31d' })).toMatchObject({ status: 400 });
  });

  it.each([
    ['a scope it does not have', { scopes: ['approvals:decide'] }],
    ['the scope of operators', { scopes: ['admin:tenants'] }],
    ['an agent by name, which may be internal', { scopes: ['agents:memory'] }],
    ['a model it may not name', { scopes: ['models:*'] }],
  ])('a caller cannot grant %s', async (_, fields) => {
    const refused = await call('POST', '/admin/keys', { account: 'more', ...fields });
    expect(refused).toMatchObject({ status: 403, body: { code: 'PERMISSION_DENIED' } });
    const { id } = await create();
    expect(await call('PATCH', `/admin/keys/${id}`, fields)).toMatchObject({ status: 403 });
    expect((await call('GET', '/admin/keys?account=more')).body['data']).toEqual([]);
  });

  it('a caller cannot rotate or change a key with more scopes, but revoke it', async () => {
    const stronger = await apiKey(server, { scopes: ['data:tenant'] });
    const id = stronger.slice(10, 22);
    expect(await call('POST', `/admin/keys/${id}/rotate`)).toMatchObject({ status: 403 });
    expect(await call('PATCH', `/admin/keys/${id}`, { expires: 'never' })).toMatchObject({ status: 403 });
    expect(await call('POST', `/admin/keys/${id}/revoke`)).toMatchObject({ status: 200 });
  });

  it('a key is pinned only to users that the caller may act for', async () => {
    expect((await call('POST', '/admin/keys', { account: 'pinned', user: 'alice' })).body).toMatchObject({
      user: 'alice',
    });
    const plain = await apiKey(server, { account: 'plain', scopes: ['admin:keys', 'runs:read', 'runs:write'] });
    const refused = await call('POST', '/admin/keys', { account: 'pinned', user: 'alice' }, plain);
    expect(refused).toMatchObject({ status: 403 });
  });

  describe('keys of other accounts', () => {
    const SCOPES = ['admin:keys', 'runs:read', 'runs:write'];
    const idOf = (key: string): string => key.slice(10, 22);

    it.each([
      ['a key of another account', { account: 'clerk', scopes: SCOPES }],
      ['a key of the account that is pinned to a user', { account: 'payroll', user: 'ana', scopes: SCOPES }],
      ['a key that may act for some users', { account: 'desk', scopes: [...SCOPES, 'users:eu-*'] }],
    ])('%s with admin:keys has none made, rotated or changed', async (_, fields) => {
      const payroll = await apiKey(server, { account: 'payroll' });
      const before = (await call('GET', '/admin/keys?account=payroll')).body['data'];
      const clerk = await apiKey(server, fields);
      const refused = { status: 403, body: { code: 'PERMISSION_DENIED' } };
      const made = await call('POST', '/admin/keys', { account: 'payroll' }, clerk);
      expect(made).toMatchObject(refused);
      expect(made.body).not.toHaveProperty('secret');
      expect(await call('POST', `/admin/keys/${idOf(payroll)}/rotate`, {}, clerk)).toMatchObject(refused);
      const widened = { scopes: SCOPES, expires: 'never' };
      expect(await call('PATCH', `/admin/keys/${idOf(payroll)}`, widened, clerk)).toMatchObject(refused);
      const now = (await call('GET', '/admin/keys?account=payroll')).body['data'] as { id: string }[];
      expect(now.filter(({ id }) => id !== idOf(clerk))).toEqual(before);
      // A leaked key is revoked by whoever manages keys.
      expect((await call('POST', `/admin/keys/${idOf(payroll)}/revoke`, {}, clerk)).status).toBe(200);
    });

    it('a revoked or expired key keeps its account from others', async () => {
      const gone = await apiKey(server, { account: 'gone' });
      await call('POST', `/admin/keys/${idOf(gone)}/revoke`);
      const clerk = await apiKey(server, { account: 'clerk', scopes: SCOPES });
      expect((await call('POST', '/admin/keys', { account: 'gone' }, clerk)).status).toBe(403);
    });

    it.each([['users:*'], ['users:service:*'], ['users:service:payroll']])(
      'a caller with %s may have them made and rotated',
      async (scope) => {
        const payroll = await apiKey(server, { account: 'payroll' });
        const keeper = await apiKey(server, { account: 'keeper', scopes: [...SCOPES, scope] });
        expect((await call('POST', '/admin/keys', { account: 'payroll' }, keeper)).status).toBe(201);
        expect((await call('POST', `/admin/keys/${idOf(payroll)}/rotate`, {}, keeper)).status).toBe(201);
      },
    );

    it('an account has keys of its own made and rotated', async () => {
      const own = await apiKey(server, { account: 'self', scopes: SCOPES });
      const { status, body } = await call('POST', '/admin/keys', { account: 'self' }, own);
      expect(status).toBe(201);
      expect((await call('POST', `/admin/keys/${String(body['id'])}/rotate`, {}, own)).status).toBe(201);
      expect((await call('POST', `/admin/keys/${idOf(own)}/rotate`, {}, own)).status).toBe(201);
    });

    it('whoever makes the first key of a new account goes on to manage it, also after a rotation of its own key', async () => {
      const first = await apiKey(server, { account: 'founder', scopes: SCOPES });
      const made = await call('POST', '/admin/keys', { account: 'founded' }, first);
      expect(made.status).toBe(201);
      const successor = String((await call('POST', `/admin/keys/${idOf(first)}/rotate`, {}, first)).body['secret']);
      const rotated = await call('POST', `/admin/keys/${String(made.body['id'])}/rotate`, {}, successor);
      expect(rotated.status).toBe(201);
      const other = await apiKey(server, { account: 'other', scopes: SCOPES });
      expect((await call('POST', '/admin/keys', { account: 'founded' }, other)).status).toBe(403);
      // A key that somebody else made: the secrets are no longer the founder's alone.
      expect((await call('POST', '/admin/keys', { account: 'founded' })).status).toBe(201);
      expect((await call('POST', '/admin/keys', { account: 'founded' }, successor)).status).toBe(403);
    });
  });

  it.each([
    ['an unknown field', { account: 'x', scope: ['runs:read'] }, 'PARAMETER_VALIDATION'],
    ['no account', {}, 'PARAMETER_VALIDATION'],
    ['an invalid account', { account: 'A B' }, 'INVALID_PARAMETER'],
    ['an unknown scope', { account: 'x', scopes: ['runs'] }, 'INVALID_PARAMETER'],
    ['no scope', { account: 'x', scopes: [] }, 'INVALID_PARAMETER'],
    ['scopes that are no list', { account: 'x', scopes: 'runs:read' }, 'PARAMETER_VALIDATION'],
    ['an invalid network', { account: 'x', networks: ['10.0.0.0/33'] }, 'INVALID_PARAMETER'],
    ['an invalid expiry', { account: 'x', expires: '3651d' }, 'INVALID_PARAMETER'],
    ['a user of an account', { account: 'x', user: 'service:y' }, 'INVALID_PARAMETER'],
    ['a list', [], 'PARAMETER_VALIDATION'],
  ])('a body with %s is refused', async (_, body, code) => {
    expect(await call('POST', '/admin/keys', body)).toMatchObject({ status: 400, body: { code } });
  });

  it('a key of another tenant is answered like one that does not exist', async () => {
    const foreign = (await apiKey(server, { tenant: 'other' })).slice(10, 22);
    const routes = [
      ['GET', ''],
      ['PATCH', '', { name: 'mine' }],
      ['POST', '/rotate'],
      ['POST', '/revoke'],
    ] as const;
    for (const [method, action, body] of routes) {
      const [one, none] = await Promise.all(
        [foreign, 'x'.repeat(12)].map((id) => call(method, `/admin/keys/${id}${action}`, body)),
      );
      expect({ status: one?.status, body: one?.body }).toEqual({ status: 404, body: none?.body });
    }
    const listed = (await call('GET', '/admin/keys?limit=100')).body['data'] as { id: string }[];
    expect(listed.map(({ id }) => id)).not.toContain(foreign);
    expect((await server.get(ApiKeys).find({ of: 'installation' }, foreign)).revokedAt).toBeNull();
  });

  it('the routes need their scopes', async () => {
    const plain = await apiKey(server);
    expect(await call('GET', '/admin/keys', undefined, plain)).toMatchObject({
      status: 403,
      body: { code: 'PERMISSION_DENIED', message: 'The scope admin:keys is required' },
    });
    expect((await call('GET', '/admin/tenants')).status).toBe(403);
    expect((await call('POST', '/admin/tenants', { id: 'mine' })).status).toBe(403);
  });

  it('an operator creates, lists, suspends and resumes tenants', async () => {
    const operator = await apiKey(server, { account: 'operator', scopes: ['admin:tenants'] });
    const as = (method: string, path: string, body?: unknown): Promise<Answer> => call(method, path, body, operator);
    expect(await as('POST', '/admin/tenants', { id: 'acme', name: 'Acme Inc.' })).toMatchObject({
      status: 201,
      body: { id: 'acme', name: 'Acme Inc.', status: 'active', settings: {} },
    });
    expect(await as('POST', '/admin/tenants', { id: 'acme' })).toMatchObject({
      status: 409,
      body: { code: 'TENANT_EXISTS' },
    });
    expect(await as('POST', '/admin/tenants', { id: 'A B' })).toMatchObject({ status: 400 });
    const key = await apiKey(server, { tenant: 'acme' });
    expect(await works(key)).toBe(200);
    expect((await as('POST', '/admin/tenants/acme/suspend')).body).toMatchObject({ status: 'suspended' });
    expect(await works(key)).toBe(401);
    expect((await as('POST', '/admin/tenants/acme/resume')).body).toMatchObject({ status: 'active' });
    expect(await works(key)).toBe(200);
    const { data } = (await as('GET', '/admin/tenants')).body as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toEqual(['acme', 'default', 'other']);
    expect(await as('POST', '/admin/tenants/nobody/suspend')).toMatchObject({ status: 404 });
  });
});

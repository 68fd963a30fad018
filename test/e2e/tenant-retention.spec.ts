import { Tenants } from '../../src/access/index.js';
import { SERVER_ORIGIN } from '../../src/common/index.js';
import { describeOnDatabases } from '../support/databases.js';
import { apiKey, bearer } from '../support/keys.js';
import { nextId } from '../support/ledger.js';
import { startServer, type TestServer } from '../support/server.js';

const DEFAULTS = { events: '7d', conversations: '90d', uploads: '1d', usage: '400d', audit: '400d' };

describeOnDatabases('/admin/tenants/{id}/retention', (open) => {
  let server: TestServer;
  let operator: string;

  beforeAll(async () => {
    server = await startServer({ database: open, env: { AUTH: 'keys', CONVERSATION_RETENTION: '90d' } });
    await server.get(Tenants).create('acme', SERVER_ORIGIN);
  });
  // An account of its own for each test: administration is limited for each.
  beforeEach(async () => {
    operator = await apiKey(server, { account: nextId('operator'), scopes: ['admin:tenants'] });
  });
  afterAll(() => server.close());

  async function call(method: string, tenant: string, body?: unknown, key = operator) {
    const response = await fetch(`${server.url}/admin/tenants/${tenant}/retention`, {
      method,
      headers: { ...bearer(key), ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as { readonly code?: string } };
  }

  it('shows what holds, and replaces what differs from the settings', async () => {
    expect(await call('GET', 'acme')).toEqual({ status: 200, body: { retention: DEFAULTS, overrides: {} } });
    const overrides = { events: '36h', conversations: 'off', audit: '90d' };
    const changed = { retention: { ...DEFAULTS, ...overrides }, overrides };
    expect(await call('PUT', 'acme', overrides)).toEqual({ status: 200, body: changed });
    expect(await call('GET', 'acme')).toEqual({ status: 200, body: changed });
    expect(await call('GET', 'default')).toEqual({ status: 200, body: { retention: DEFAULTS, overrides: {} } });
    expect((await server.get(Tenants).find('acme')).settings).toEqual({ retention: overrides });
    expect(await call('PUT', 'acme', { uploads: '10m' })).toMatchObject({ body: { overrides: { uploads: '10m' } } });
    expect(await call('PUT', 'acme', {})).toMatchObject({ status: 200, body: { retention: DEFAULTS, overrides: {} } });
  });

  it('a change is a line of the audit trail of the tenant', async () => {
    const auditor = await apiKey(server, { tenant: 'acme', account: 'auditor', scopes: ['audit:read'] });
    await call('PUT', 'acme', { usage: '50d' });
    const response = await fetch(`${server.url}/audit?action=tenant.changed&limit=1`, { headers: bearer(auditor) });
    expect(await response.json()).toMatchObject({
      data: [{ line: { subject: { kind: 'tenant', id: 'acme' }, details: { retention: { usage: '50d' } } } }],
    });
  });

  it.each([
    [{ events: '59m' }, 'events'],
    [{ events: 'off' }, 'events'],
    [{ audit: '89d' }, 'audit'],
    [{ usage: 400 }, 'usage'],
    [{ conversations: '' }, 'conversations'],
    [{ event: '7d' }, 'event'],
    [[], ''],
    ['7d', ''],
  ])('%j is refused with 400, and changes nothing', async (body, named) => {
    const before = await call('GET', 'acme');
    const refused = await call('PUT', 'acme', body);
    expect(refused).toMatchObject({ status: 400, body: { code: 'INVALID_PARAMETER' } });
    expect(JSON.stringify(refused.body)).toContain(named);
    expect(await call('GET', 'acme')).toEqual(before);
  });

  it('an unknown tenant is 404, and who does not administer tenants is refused', async () => {
    expect(await call('GET', 'nobody')).toMatchObject({ status: 404, body: { code: 'TENANT_NOT_FOUND' } });
    expect(await call('PUT', 'nobody', {})).toMatchObject({ status: 404 });
    expect(await call('GET', '%00')).toMatchObject({ status: 404 });
    expect(await call('PUT', '%00', {})).toMatchObject({ status: 404 });
    const other = await apiKey(server, { account: 'other', scopes: ['admin:data', 'admin:budgets', 'admin:keys'] });
    expect(await call('GET', 'default', undefined, other)).toMatchObject({ status: 403 });
    expect(await call('PUT', 'default', { events: '1h' }, other)).toMatchObject({ status: 403 });
  });
});

import { Tenants } from '../../src/access/index.js';
import { SERVER_ORIGIN } from '../../src/common/index.js';
import { sqliteDatabase, type TestDatabase } from '../support/databases.js';
import { as, startWithCallers } from '../support/known-callers.js';
import type { TestServer } from '../support/server.js';
import { until } from '../support/until.js';

const TIGHT = { user: { requests: { perMinute: 90, burst: 70 } } };

describe('PUT /admin/limits', () => {
  let database: TestDatabase;
  let servers: TestServer[];

  beforeAll(async () => {
    database = await sqliteDatabase();
    servers = [await startWithCallers({ database }), await startWithCallers({ database })];
    for (const id of ['acme', 'other']) await servers[0]?.get(Tenants).create(id, SERVER_ORIGIN);
  });

  afterAll(async () => {
    for (const server of servers) await server.close();
    await database.drop();
  });

  function url(index: number): string {
    return `${servers[index]?.url}/admin/limits`;
  }

  async function policy(index: number, token: string): Promise<string | null> {
    const response = await fetch(`${servers[index]?.url}/v1/models`, { headers: as(token) });
    await response.text();
    return response.headers.get('ratelimit-policy');
  }

  function replace(body: unknown): Promise<Response> {
    const headers = { ...as('acme.admin'), 'content-type': 'application/json' };
    return fetch(url(0), { method: 'PUT', headers, body: JSON.stringify(body) });
  }

  it('changes the limits of the own tenant at once, and on another server within 5 s', async () => {
    expect(await policy(1, 'acme.alice')).toContain('"user";q=100;');
    const response = await replace(TIGHT);
    expect(await response.json()).toMatchObject({
      overrides: TIGHT,
      limits: { ...TIGHT, tenant: { activeRuns: 500 } },
    });
    expect(await policy(0, 'acme.alice')).toContain('"user";q=70;');
    const start = Date.now();
    await until(async () => (await policy(1, 'acme.bob'))?.includes('"user";q=70;') ?? false);
    expect(Date.now() - start).toBeLessThan(5500);
    expect(await policy(0, 'other.alice')).toContain('"user";q=100;');
  });

  it.each([{ user: { requests: { perMinute: 0, burst: 1 } } }, { users: {} }, [], { user: { activeRuns: '5' } }])(
    'refuses %j and changes nothing',
    async (body) => {
      const before: unknown = await (await fetch(url(0), { headers: as('acme.admin') })).json();
      const response = await replace(body);
      expect(response.status).toBe(400);
      expect(await (await fetch(url(0), { headers: as('acme.admin') })).json()).toEqual(before);
    },
  );
});

import { AccessCache } from '../../src/access/cache/access-cache.js';
import { TypeOrmTenantStore } from '../../src/access/adapters/typeorm-tenant-store.js';
import { Tenants } from '../../src/access/index.js';
import { AuditSealer, AuditTrail, AuditVerification } from '../../src/audit/index.js';
import { commandOrigin, SystemClock } from '../../src/common/index.js';
import { Database } from '../../src/database/index.js';
import { describeOnDatabases } from '../support/databases.js';
import { apiKey } from '../support/keys.js';
import { startServer, type TestServer } from '../support/server.js';

const BY = commandOrigin('test');
const OWNED = `SELECT COUNT(*) AS n FROM`;

describeOnDatabases('Tenants', (open) => {
  let server: TestServer;
  let database: Database;
  let tenants: Tenants;
  beforeEach(async () => {
    server = await startServer({ database: open });
    database = server.get(Database);
    tenants = server.get(Tenants);
  });
  afterEach(() => server.close());

  /** A run of alice with a question, her settings, and a calendar event of the samples. */
  async function fill(): Promise<void> {
    await fetch(`${server.url}/process`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        stream: false,
        user_id: 'alice',
        session_id: 's1',
        input: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
      }),
    }).then((answer) => answer.text());
    await fetch(`${server.url}/api/v1/users/me/settings?user_id=alice`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ timezone: 'Europe/Berlin' }),
    });
    await apiKey(server);
    await server.get(AuditSealer).seal();
  }

  async function tenantTables(): Promise<readonly string[]> {
    const tables = database.read.manager.connection.entityMetadatas;
    return tables
      .filter(({ columns }) => columns.some((column) => column.databaseName === 'tenant_id'))
      .map((table) => table.tableName);
  }

  async function counts(tenant: string): Promise<Record<string, number>> {
    const found: [string, number][] = [];
    for (const table of await tenantTables()) {
      const [row] = await database.read.all<{ n: number }>(`${OWNED} ${table} WHERE tenant_id = ?`, [tenant]);
      found.push([table, Number(row?.n)]);
    }
    return Object.fromEntries(found.filter(([, count]) => count > 0));
  }

  const refused = async (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'nothing',
      (error: unknown) => String((error as { code?: string }).code ?? error),
    );

  it('the tenant default exists in a new database', async () => {
    expect(await tenants.list()).toMatchObject([{ id: 'default', name: 'Default', status: 'active', settings: {} }]);
    expect(await tenants.isActive('default')).toBe(true);
    expect(await tenants.isActive('nobody')).toBe(false);
  });

  it('rename moves the rows of all tables, and there is an empty tenant default again', async () => {
    await fill();
    const before = await counts('default');
    expect(Object.keys(before).sort()).toEqual([
      'api_keys',
      'audit_chains',
      'audit_lines',
      'runs',
      'sessions',
      'user_settings',
    ]);
    const { movedRows } = await tenants.rename('default', 'acme', BY);
    expect(movedRows).toBe(Object.values(before).reduce((sum, count) => sum + count, 0));
    // The rename is a line of the tenant.
    await server.get(AuditSealer).seal();
    expect(await counts('acme')).toEqual({ ...before, audit_lines: (before['audit_lines'] ?? 0) + 1 });
    expect(await server.get(AuditVerification).tenant('acme')).toMatchObject({ firstBreak: null, unsealed: 0 });
    expect(await counts('default')).toEqual({});
    expect((await tenants.list()).map(({ id }) => id)).toEqual(['acme', 'default']);
  });

  it('the audit trail stays append-only after rename', async () => {
    await fill();
    await tenants.rename('default', 'acme', BY);
    const change = (sql: string): Promise<string> => refused(database.write((tx) => tx.run(sql)));
    expect(await change(`UPDATE audit_lines SET tenant_id = 'other'`)).not.toBe('nothing');
    expect(await change('DELETE FROM audit_lines')).not.toBe('nothing');
    expect((await counts('acme'))['audit_lines']).toBeGreaterThan(1);
  });

  it('a tenant is not renamed while one of its runs waits, to a taken id, or if it does not exist', async () => {
    await fill();
    await tenants.create('taken', BY);
    expect(await refused(tenants.rename('default', 'taken', BY))).toBe('TENANT_EXISTS');
    expect(await refused(tenants.rename('nobody', 'acme', BY))).toBe('TENANT_NOT_FOUND');
    expect(await refused(tenants.rename('default', 'A B', BY))).toBe('INVALID_PARAMETER');
    await database.write((tx) => tx.run(`UPDATE runs SET status = 'queued'`));
    expect(await refused(tenants.rename('default', 'acme', BY))).toBe('TENANT_BUSY');
    expect(await counts('acme')).toEqual({});
    expect((await tenants.list()).map(({ id }) => id)).toEqual(['default', 'taken']);
  });

  it('a suspension is seen at once by its own process, and within 5 s by others', async () => {
    let now = Date.now();
    const clock = Object.assign(new SystemClock(), { now: () => now });
    const store = new TypeOrmTenantStore(database);
    const other = new Tenants(store, database, new AccessCache(clock), server.get(AuditTrail), clock);
    await tenants.create('acme', BY);
    expect([await tenants.isActive('acme'), await other.isActive('acme')]).toEqual([true, true]);
    await tenants.suspend('acme', BY);
    expect(await tenants.isActive('acme')).toBe(false);
    expect(other.isActive('acme')).toBe(true);
    now += 5000;
    expect(await other.isActive('acme')).toBe(false);
  });

  it('an id is given to one tenant by whoever creates it first', async () => {
    const created = await Promise.all([1, 2, 3].map(() => refused(tenants.create('acme', BY))));
    expect(created.sort()).toEqual(['TENANT_EXISTS', 'TENANT_EXISTS', 'nothing']);
    expect(new SystemClock().now() - (await tenants.find('acme')).createdAt).toBeLessThan(60_000);
  });
});

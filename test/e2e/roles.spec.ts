import { routesOf } from '../../src/access/index.js';
import { postgresDatabase, type TestDatabase } from '../support/databases.js';
import { ScriptedMcp } from '../support/mcp-servers.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

jest.setTimeout(120_000);

const POSTGRES = process.env.TEST_DATABASE_URL ?? '';

(POSTGRES ? describe : describe.skip)(`processes with a role${POSTGRES ? '' : ' (skipped: no PostgreSQL)'}`, () => {
  let database: TestDatabase;
  let mcp: ScriptedMcp;
  let server: TestServer | undefined;

  beforeAll(async () => {
    database = await postgresDatabase(POSTGRES);
    mcp = await new ScriptedMcp().start();
    mcp.tools = [{ name: 'look', inputSchema: { type: 'object' } }];
  });
  afterEach(() => server?.close());
  afterAll(async () => {
    await mcp.stop();
    await database.drop();
  });

  async function start(role: string): Promise<TestServer> {
    const env = { ROLE: role, MCP_SERVERS: JSON.stringify({ files: { url: mcp.url, required: true } }) };
    return (server = await startServer({ database, env }));
  }

  it('ROLE=web connects to no MCP server, and is ready without the required ones', async () => {
    const { url } = await start('web');
    const ready = await fetch(`${url}/readiness`);
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready' }]);
    const tools = (await (await fetch(`${url}/api/v1/tools`)).json()) as { data: { name: string }[] };
    expect(tools.data.map(({ name }) => name)).not.toContain('look');
    expect([mcp.listings, mcp.headers.length]).toEqual([0, 0]);
  });

  it('ROLE=worker connects to them, and serves health pages and nothing for clients', async () => {
    const { url, app } = await start('worker');
    await until(async () => (await fetch(`${url}/readiness`)).status === 200, 'the MCP server');
    expect(mcp.listings).toBeGreaterThan(0);
    for (const path of ['/docs', '/openapi.json', '/console', '/console/', '/process', '/whoami', '/api/v1/tools']) {
      expect([path, (await fetch(url + path)).status]).toEqual([path, 404]);
    }
    const paths = routesOf(app.getHttpAdapter().getInstance()).map((route) => route.url);
    expect([...new Set(paths)].filter((path) => path !== '*').sort()).toEqual([
      '/',
      '/health',
      '/liveness',
      '/readiness',
    ]);
  });
});

import { ScriptedMcp } from '../support/mcp-servers.js';
import { until } from '../support/until.js';
import { ProcessClient } from '../support/process-client.js';
import { startServer, type TestServer } from '../support/server.js';

/** A port that nobody listens at. */
const NOBODY = 'http://127.0.0.1:9/mcp';

describe('GET /readiness of a server with MCP servers', () => {
  let mcp: ScriptedMcp;
  let app: TestServer | undefined;

  beforeEach(async () => {
    mcp = await new ScriptedMcp().start();
    mcp.tools = [{ name: 'look', inputSchema: { type: 'object' } }];
  });
  afterEach(async () => {
    await app?.close();
    await mcp.stop();
  });

  async function boot(servers: object): Promise<TestServer> {
    return (app = await startServer({ env: { MCP_SERVERS: JSON.stringify(servers), MCP_LIST_WAIT_MS: '20000' } }));
  }

  async function ready({ url }: TestServer): Promise<[number, unknown]> {
    const answer = await fetch(`${url}/readiness`);
    return [answer.status, await answer.json()];
  }

  it('the server is ready without optional MCP servers and shows the state of each', async () => {
    const server = await boot({ tickets: { url: mcp.url }, gone: { url: NOBODY } });
    const standing = (tickets: string, gone: string): [number, unknown] => [
      200,
      {
        status: 'ready',
        mcp_servers: [
          { label: 'tickets', state: tickets, required: false },
          { label: 'gone', state: gone, required: false },
        ],
      },
    ];
    expect(await ready(server)).toEqual(standing('idle', 'idle'));
    await new ProcessClient(server.url).ask('hello');
    expect(await ready(server)).toEqual(standing('up', 'down'));
    await mcp.stop();
    await until(async () => expect(await ready(server)).toEqual(standing('down', 'down')));
  });

  it('the server is ready only while a required MCP server is available', async () => {
    const server = await boot({ tickets: { url: mcp.url, required: true } });
    const up = [200, { status: 'ready', mcp_servers: [{ label: 'tickets', state: 'up', required: true }] }];
    const down = [503, expect.objectContaining({ code: 'NOT_READY' })];
    await until(async () => expect(await ready(server)).toEqual(up));
    await mcp.stop();
    await until(async () => expect(await ready(server)).toEqual(down));
    expect((await fetch(`${server.url}/liveness`)).status).toBe(200);
    await mcp.start();
    await until(async () => expect(await ready(server)).toEqual(up));
  });
});

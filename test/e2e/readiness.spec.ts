import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { freePort } from '../support/free-port.js';
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

describe('GET /readiness of a server with remote agents', () => {
  it('the server is ready only while a required one answers', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/v1`;
    const listen = async (): Promise<Server> => {
      const upstream = createServer((request, response) => {
        if (request.method === 'HEAD') response.writeHead(405).end();
        else request.socket.destroy();
      }).listen(port, '127.0.0.1');
      await once(upstream, 'listening');
      return upstream;
    };
    const agents = { needed: { type: 'ag-ui', url, required: true }, spare: { type: 'ag-ui', url } };
    const server = await startServer({ env: { REMOTE_AGENTS: JSON.stringify({ agents }) } });
    const ready = async (): Promise<[number, unknown]> => {
      const answer = await fetch(`${server.url}/readiness`);
      return [answer.status, await answer.json()];
    };
    const standing = { name: 'spare', state: 'idle', required: false };
    const up = [200, { status: 'ready', remote_agents: [{ name: 'needed', state: 'up', required: true }, standing] }];
    const down = [503, expect.objectContaining({ code: 'NOT_READY' })];
    try {
      expect(await ready()).toEqual(down);
      let upstream = await listen();
      await until(async () => expect(await ready()).toEqual(up));
      upstream.closeAllConnections();
      upstream.close();
      await once(upstream, 'close');
      // A run that does not reach it shows it at once.
      await fetch(`${server.url}/v1/responses`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'needed', input: 'hi' }),
      });
      await until(async () => expect(await ready()).toEqual(down));
      upstream = await listen();
      await until(async () => expect(await ready()).toEqual(up));
      upstream.closeAllConnections();
      upstream.close();
    } finally {
      await server.close();
    }
  });
});

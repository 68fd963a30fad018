import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { McpClient, type ShownResult } from '../support/mcp.js';
import { counted } from '../support/process-client.js';
import { ServerProcess } from '../support/server-process.js';

/** Kills of one run of this spec, for each point. `KILLS=25` makes 125. */
const KILLS = Number(process.env.KILLS ?? 2);
const COUNT = 30;
/** Clients come back twice by default; a busy machine starts slowly, and the time between is that of the server. */
const PATIENT = {
  maxRetries: 100,
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 500,
  reconnectionDelayGrowFactor: 1,
};
const POINTS = ['at the beginning', 'while a form is open', 'after the answer'] as const;

jest.setTimeout(600_000 + KILLS * 60_000);

/** The promise of a stock client is kept, whatever happens to the server meanwhile (contract mcp-server, section 3). */
describeOnDatabases('a call of MCP whose server is killed', (openDatabase) => {
  let database: TestDatabase;
  let server: ServerProcess;

  beforeAll(async () => {
    database = await openDatabase();
    server = await ServerProcess.start(database, {
      LEASE_MS: '1500',
      SWEEP_INTERVAL_MS: '100',
      MCP_RETRY_MS: '500',
      MCP_SERVER_TOOLS: 'calendar_list',
    });
  });
  afterAll(async () => {
    await server?.stop();
    await database.drop();
  });

  let isBack = Promise.resolve();

  function killed(): Promise<void> {
    return (isBack = server.kill().then(() => server.restart()));
  }

  /** A client that kills the server at a point of its call. */
  async function clientFor(point: (typeof POINTS)[number] | 'while it waits' | undefined): Promise<Client> {
    const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, async () => {
      // A client that cannot send an answer does not try again.
      await isBack;
      if (point === 'while a form is open') await killed();
      return { action: 'accept' as const, content: { approve: true } };
    });
    const noticing = async (url: string | URL, init?: RequestInit): Promise<Response> => {
      const response = await fetch(url, init);
      const isAnswer = typeof init?.body === 'string' && init.body.includes('"action":"accept"');
      if (isAnswer && point === 'after the answer') void killed();
      const isWait = typeof init?.body === 'string' && init.body.includes('"get_answer"');
      if (isWait && point === 'while it waits') setTimeout(() => void killed(), 50 + Math.random() * 500);
      return response;
    };
    const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
      fetch: noticing,
      reconnectionOptions: PATIENT,
    });
    await client.connect(transport);
    return client;
  }

  it.each(POINTS)(`is answered once, with an approval in it: killed %s (${KILLS} times)`, async (point) => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      const client = await clientFor(point);
      let isKilled = false;
      const onprogress = (): void => {
        if (isKilled || point !== 'at the beginning') return;
        isKilled = true;
        void killed();
      };
      const title = `Talk ${point.length}-${kill}-${Date.now()}`;
      const call = { name: 'ask_worker', arguments: { message: `Schedule a meeting with ${title} tomorrow at 3pm` } };
      const result = (await client.callTool(call, undefined, {
        onprogress,
        timeout: 55_000,
      })) as unknown as ShownResult;
      if (result.isError === true) {
        // The server was killed while it wrote into the calendar, which is never done twice.
        expect(result.content?.[0]?.text).toContain('was not repeated');
        await client.close();
        continue;
      }
      expect(result.structuredContent?.status).toBe('completed');
      const { run_id } = result.structuredContent ?? {};
      const again = new McpClient(server);
      await again.initialize();
      const same = await again.tool('get_answer', { run_id });
      expect(same.structuredContent).toEqual(result.structuredContent);
      await client.close();
    }
  });

  it('has its whole answer, also where it is killed in the middle of it', async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      const client = await clientFor(undefined);
      let isKilled = false;
      const onprogress = (): void => {
        if (!isKilled) setTimeout(() => void killed(), 50 + Math.random() * 500);
        isKilled = true;
      };
      const call = { name: 'ask_worker', arguments: { message: `count to ${COUNT} slowly` } };
      const result = (await client.callTool(call, undefined, {
        onprogress,
        timeout: 55_000,
      })) as unknown as ShownResult;
      expect(result.structuredContent?.answer).toBe(counted(COUNT));
      await client.close();
    }
  });

  it('has it, also where it is killed while the client waits with get_answer', async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      const client = await clientFor('while it waits');
      const other = new McpClient(server);
      await other.initialize();
      const params = {
        name: 'ask_worker',
        arguments: { message: `count to ${COUNT} slowly` },
        _meta: { progressToken: 1 },
      };
      const asked = await other.request('tools/call', params);
      const run_id = asked.headers.get('x-run-id') ?? '';
      await asked.body?.cancel();
      const waiting = client.callTool({ name: 'get_answer', arguments: { run_id } }, undefined, {
        onprogress: () => undefined,
        timeout: 55_000,
      });
      const result = (await waiting) as unknown as ShownResult;
      expect(result.structuredContent?.answer).toBe(counted(COUNT));
      await client.close();
      await isBack;
    }
  });
});

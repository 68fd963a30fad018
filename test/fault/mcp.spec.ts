import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LLMock } from '@copilotkit/aimock';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { ScriptedMcp } from '../support/mcp-servers.js';
import { type Frame, type FrameMessage, ProcessClient } from '../support/process-client.js';
import { ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

jest.setTimeout(120_000);

const SCHEMA = { type: 'object' };
const TOOLS = [
  { name: 'read', inputSchema: SCHEMA, annotations: { readOnlyHint: true } },
  { name: 'put', inputSchema: SCHEMA, annotations: { idempotentHint: true } },
  { name: 'post', inputSchema: SCHEMA },
];
const DONE = { content: [{ type: 'text', text: 'done' }] };

describeOnDatabases('a server that is killed during a call of an MCP tool', (openDatabase) => {
  let database: TestDatabase;
  let upstream: LLMock;
  let mcp: ScriptedMcp;
  let server: ServerProcess;
  let client: ProcessClient;

  beforeAll(async () => {
    upstream = new LLMock({ port: 0 });
    for (const { name } of TOOLS) {
      const toolCalls = [{ name, arguments: '{}', id: `call_${name}` }];
      upstream.on({ userMessage: `do ${name}`, hasToolResult: false }, { toolCalls });
      upstream.on({ userMessage: `do ${name}`, hasToolResult: true }, { content: 'I know what came of it.' });
    }
    await upstream.start();
    database = await openDatabase();
    mcp = await new ScriptedMcp().start();
    mcp.tools = TOOLS;
    const policy = join(database.env.DATA_DIR, 'policy.json');
    writeFileSync(policy, JSON.stringify({ rules: [{ tool: '*', effect: 'allow' }] }));
    const env = {
      LLM_BASE_URL: `${upstream.url}/v1`,
      LLM_API_KEY: 'k',
      TOOL_POLICY_FILE: policy,
      MCP_LIST_WAIT_MS: '30000',
      MCP_SERVERS: JSON.stringify({ files: { url: mcp.url } }),
    };
    server = await ServerProcess.start(database, env);
    client = new ProcessClient(server.url);
  });
  beforeEach(() => {
    mcp.calls.length = 0;
    upstream.clearRequests();
  });
  afterAll(async () => {
    await server.stop();
    await Promise.all([mcp.stop(), upstream.stop()]);
    await database.drop();
  });

  /** Kills the server while the MCP server has the call of a tool and does not answer; returns the run's id. */
  async function killedIn(tool: string): Promise<string> {
    mcp.call = () => new Promise(() => undefined);
    const stream = await client.say(`do ${tool}`);
    await stream.until(({ frames }) => frames.length > 0);
    void stream.all();
    await until(() => expect(mcp.calls).toHaveLength(1));
    await server.kill();
    mcp.call = () => Promise.resolve(DONE);
    return stream.frames[0]?.id ?? '';
  }

  const outputOf = ({ output }: Frame): FrameMessage | undefined =>
    (output ?? []).find(({ type }) => type.endsWith('_call_output'));

  it.each(['read', 'put'])(
    'a call that may be repeated is made again with the same idempotency key: %s',
    async (tool) => {
      const id = await killedIn(tool);
      await server.restart();
      const last = await client.ended(id);
      expect(last.status).toBe('completed');
      expect(outputOf(last)).toMatchObject({ type: 'mcp_call_output', content: [{ data: { output: 'done' } }] });
      expect(mcp.calls).toHaveLength(2);
      expect(new Set(mcp.calls.map(({ meta }) => (meta as Record<string, string>)['idempotencyKey'])).size).toBe(1);
    },
  );

  it('an unsafe call is not repeated, and its result says that the outcome is unknown', async () => {
    const id = await killedIn('post');
    await server.restart();
    const last = await client.ended(id);
    expect(last).toMatchObject({ status: 'failed', error: { code: 'TOOL_IN_DOUBT' } });
    expect(outputOf(last)).toMatchObject({ type: 'mcp_call_output', metadata: { is_error: true, in_doubt: true } });
    expect(mcp.calls).toHaveLength(1);
  });

  it('the model is told that the outcome is unknown when the MCP server is gone too', async () => {
    const id = await killedIn('post');
    await mcp.stop();
    await server.restart();
    const last = await client.ended(id);
    expect(last.status).toBe('completed');
    expect(outputOf(last)).toMatchObject({ type: 'mcp_call_output', metadata: { is_error: true, in_doubt: true } });
    expect(JSON.stringify(upstream.getRequests().at(-1)?.body)).toContain('may have taken effect');
    await mcp.start();
    expect(mcp.calls).toHaveLength(1);
  });
});

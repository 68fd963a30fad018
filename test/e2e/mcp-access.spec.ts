import { apiKey } from '../support/keys.js';
import { answerIn, McpClient, type ShownMessage } from '../support/mcp.js';
import { startServer, type TestServer } from '../support/server.js';

const CALENDAR = 'Schedule a meeting with Ana tomorrow at 3pm';
const TASKS = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };

/** Who may do what at `/mcp` (contract mcp-server, section 7.4). */
describe('MCP with API keys', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ env: { AUTH: 'keys', MCP_RESOURCES: 'true', MCP_TASK_AFTER_MS: '0' } });
  });
  afterAll(() => server.close());

  const clientOf = async (options: Parameters<typeof apiKey>[1] = {}): Promise<McpClient> => {
    const key = await apiKey(server, options);
    return new McpClient(server, { authorization: `Bearer ${key}` });
  };

  it('a request without a key is refused, and is told of no provider', async () => {
    const response = await new McpClient(server).post({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="parley"');
    expect(await answerIn(response)).toMatchObject({
      id: null,
      error: { code: -32000, data: { code: 'AUTH_FAILED' } },
    });
    for (const path of ['', '/mcp']) {
      const known = await fetch(`${server.url}/.well-known/oauth-protected-resource${path}`);
      expect(known.status).toBe(404);
    }
  });

  it('a key that may only read lists tools, and calls none', async () => {
    const client = await clientOf({ scopes: ['runs:read'] });
    expect((await answerIn(await client.modern('tools/list'))).result?.tools?.length).toBe(3);
    const response = await client.modern('tools/call', { name: 'ask_worker', arguments: { message: 'Hi' } });
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toContain('error="insufficient_scope", scope="runs:write"');
  });

  it('a key that may not decide is asked nothing', async () => {
    const client = await clientOf({ scopes: ['runs:read', 'runs:write'] });
    const waiting = await client.modernTool(
      'ask_worker',
      { message: CALENDAR },
      {},
      { capabilities: { elicitation: {} } },
    );
    expect(waiting).toMatchObject({ resultType: 'complete', structuredContent: { status: 'waiting' } });
  });

  it('what another caller has begun does not exist', async () => {
    const [owner, other] = [await clientOf({ account: 'one' }), await clientOf({ account: 'two' })];
    await owner.initialize({ elicitation: {} });
    const { structuredContent } = await owner.tool('ask_worker', { message: 'Who are you?' });
    const { run_id = '', session_id = '' } = structuredContent ?? {};
    const task = await owner.modernTool('ask_worker', { message: CALENDAR }, {}, { capabilities: TASKS });
    const { taskId = '' } = task;
    expect(taskId).not.toBe('');
    await other.initialize({ elicitation: {} });
    for (const name of ['get_answer', 'stop_run'])
      expect(await other.tool(name, { run_id })).toMatchObject({ isError: true });
    expect(await other.tool('ask_worker', { message: 'x', session_id })).toMatchObject({ isError: true });
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const answer = await answerIn(
        await other.modern(method, { taskId, inputResponses: {} }, { capabilities: TASKS }),
      );
      expect(answer.error?.code).toBe(-32602);
    }
    for (const uri of [`parley://sessions/${session_id}`, `parley://runs/${run_id}`, 'parley://runs/none']) {
      const { error } = await other.call('resources/read', { uri });
      expect(error).toMatchObject({ code: -32602, data: { uri } });
      expect((await owner.call('resources/read', { uri })).error === undefined).toBe(!uri.endsWith('none'));
    }
    expect((await other.resume(`${run_id}.1`)).status).toBe(400);
    const { session } = owner;
    const stolen = new McpClient(server, { authorization: `Bearer ${await apiKey(server, { account: 'three' })}` });
    stolen.session = session;
    expect((await stolen.request('ping')).status).toBe(404);
  });

  it('the answer to a question of another session decides nothing', async () => {
    const [owner, other] = [await clientOf({ account: 'four' }), await clientOf({ account: 'four' })];
    await owner.initialize();
    await other.initialize({ elicitation: {} });
    const waiting = await owner.tool('ask_worker', { message: CALENDAR });
    const [asked] = waiting.structuredContent?.waiting_for ?? [];
    const answer = { jsonrpc: '2.0', id: asked?.id, result: { action: 'accept', content: { approve: true } } };
    const response = await other.post(answer, other.sessionHeaders);
    expect([response.status, ((await response.json()) as ShownMessage).error?.code]).toEqual([400, -32602]);
    const { run_id } = waiting.structuredContent ?? {};
    const still = await owner.tool('get_answer', { run_id, wait_seconds: 0 });
    expect(still.structuredContent?.status).toBe('waiting');
  });
});

describe('MCP with an OpenID provider', () => {
  let server: TestServer;
  beforeAll(async () => {
    const issuer = { alias: 'own', issuer: 'https://id.example.org', audience: 'parley', tenant: { fixed: 'default' } };
    server = await startServer({
      env: { AUTH: 'oidc,keys', OIDC_ISSUERS: JSON.stringify([issuer]), PUBLIC_BASE_URL: 'https://agents.example.org' },
    });
  });
  afterAll(() => server.close());
  const host = { host: 'agents.example.org' };

  it('a request without a token is told where to get one', async () => {
    const { statusCode, headers } = await server.app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { ...host, 'content-type': 'application/json' },
      payload: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    });
    expect(statusCode).toBe(401);
    const metadata = 'resource_metadata="https://agents.example.org/.well-known/oauth-protected-resource/mcp"';
    expect(headers['www-authenticate']).toBe(`Bearer realm="parley", ${metadata}, scope="runs:write"`);
  });

  it.each(['', '/mcp'])('the metadata at …/oauth-protected-resource%s names the provider', async (path) => {
    const url = `/.well-known/oauth-protected-resource${path}`;
    const response = await server.app.inject({ method: 'GET', url, headers: host });
    expect(response.json()).toMatchObject({
      resource: 'https://agents.example.org/mcp',
      authorization_servers: ['https://id.example.org'],
      bearer_methods_supported: ['header'],
    });
    const foreign = await server.app.inject({
      method: 'GET',
      url,
      headers: { ...host, origin: 'https://evil.example' },
    });
    expect(foreign.statusCode).toBe(403);
  });
});

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { responseEvents, stream, UpstreamDouble } from '../../src/agent/adapters/testing/responses-double.js';
import { Database } from '../../src/database/index.js';
import { Door } from '../support/door.js';
import { startServer, type TestServer } from '../support/server.js';
import { WIRES } from '../support/wires.js';
import { until } from '../support/until.js';

async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  const all = { 'content-type': 'application/json', ...headers };
  return fetch(url, { method: 'POST', headers: all, body: JSON.stringify(body) });
}

const BEHIND_ITSELF = 'The remote agent is behind itself: agents call each other in a loop';

const env = (agents: object, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  AUTH: 'none',
  REMOTE_AGENTS: JSON.stringify({ agents }),
  ...more,
});

describe('remote agents that call each other', () => {
  const door = new Door();
  const hops: string[] = [];
  let server: TestServer;

  beforeAll(async () => {
    const url = await door.open();
    const agents = {
      responses: { type: 'responses', url: `${url}/compatible-mode/v1`, model: 'responses' },
      a2a: { type: 'a2a', url: `${url}/a2a/agents/a2a` },
      'ag-ui': { type: 'ag-ui', url: `${url}/ag-ui` },
      'agent-api': { type: 'agent-api', url: `${url}/process` },
    };
    server = await startServer({ env: env(agents, { DEFAULT_AGENT: 'ag-ui', PUBLIC_BASE_URL: url }) });
    door.target = server.port;
    server.app.getHttpServer().on('request', ({ headers, method }: IncomingMessage) => {
      const count = headers['x-parley-hops'];
      if (typeof count === 'string' && method === 'POST') hops.push(count);
    });
  });
  beforeEach(() => hops.splice(0));
  afterAll(async () => {
    await server.close();
    door.close();
  });

  const runs = async (query = ''): Promise<readonly { readonly status: string; readonly error: object | null }[]> =>
    ((await (await fetch(`${server.url}/api/v1/runs${query}`)).json()) as { data: [] }).data;

  it('are listed without a model: none of this server answers', async () => {
    const { data } = (await (await fetch(`${server.url}/api/v1/agents`)).json()) as { data: Record<string, unknown>[] };
    const remote = data.filter((one) => 'remote' in one).map(({ name, model }) => [name, model]);
    expect(remote.sort()).toEqual(['a2a', 'ag-ui', 'agent-api', 'responses'].map((name) => [name, null]));
    expect(data.filter((one) => !('remote' in one)).every(({ model }) => typeof model === 'string')).toBe(true);
  });

  // The agent of the Agent API asks the default agent, which is the one of AG-UI.
  it.each(['responses', 'a2a', 'ag-ui', 'agent-api'])(
    'a loop that begins at %s ends with the sixth request',
    async (model) => {
      const answer = await post(`${server.url}/v1/responses`, { model, input: 'hi' });
      expect(await answer.json()).toMatchObject({
        status: 'failed',
        error: { message: expect.stringContaining(BEHIND_ITSELF) },
      });
      expect(hops).toEqual(['1', '2', '3', '4', '5', '6']);
      const all = await runs();
      expect(all[0]).toMatchObject({ status: 'failed', error: { code: 'UPSTREAM_FAILED' } });
      expect(all.filter(({ status }) => status === 'running')).toEqual([]);
    },
  );

  const rpc = { jsonrpc: '2.0', id: 1, error: { message: expect.stringContaining('too many servers') } };
  const common = { code: 'LOOP_DETECTED', message: expect.any(String), requestId: expect.any(String) };
  const openAi = { error: { type: 'server_error', code: 'loop_detected', param: null, message: expect.any(String) } };
  const bodies = new Map(WIRES.map((wire) => [wire.name, wire.say({ sessionId: 'hops', words: 'hi', turn: 1 })]));
  const input = { threadId: 'hops', runId: 'hops', messages: [{ id: 'm', role: 'user', content: 'hi' }] };
  const said = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] };

  it.each([
    ['agent-api', common],
    ['responses', openAi],
    ['chat-completions', openAi],
    ['ag-ui', common],
    ['ag-kit', common],
    ['runs', { code: 'loop_detected', message: expect.any(String), requestId: expect.any(String) }],
    ['ai-sdk', common],
    ['copilotkit', { error: expect.any(String), code: 'LOOP_DETECTED', requestId: expect.any(String) }],
    ['a2a', { ...rpc, id: null }],
    ['mcp', { ...rpc, id: null }],
  ])('a request with more than five hops gets 508 on %s, in the shape of its errors', async (wire, shape) => {
    const before = (await runs()).length;
    const others: Record<string, { path: string; body: object }> = {
      copilotkit: { path: '/copilotkit/agent/default/run', body: input },
      a2a: { path: '/a2a', body: { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message: said } } },
      mcp: { path: '/mcp', body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
    };
    const { path, body } = bodies.get(wire) ?? others[wire] ?? { path: '', body: {} };
    const answer = await post(server.url + path, body, { 'x-parley-hops': '6' });
    expect([wire, answer.status]).toEqual([wire, 508]);
    expect(await answer.json()).toMatchObject(shape);
    const odd = await post(server.url + path, body, { 'x-parley-hops': '-1' });
    // An error of JSON-RPC.
    expect([wire, odd.status]).toEqual([wire, wire === 'a2a' ? 200 : 400]);
    expect(await odd.text()).toContain('x-parley-hops');
    expect((await runs()).length).toBe(before);
  });
});

describe('headers of clients', () => {
  let upstream: UpstreamDouble;
  let folder: string;
  let server: TestServer;
  const agents = (): object => ({
    travel: {
      type: 'responses',
      url: upstream.url,
      background: false,
      headers: { authorization: 'Bearer of-the-server' },
      forwardHeaders: ['x-department', 'accept-language'],
    },
    other: { type: 'responses', url: upstream.url, background: false },
  });
  const approval = { id: 'mcpr_1', type: 'mcp_approval_request', name: 'pay', arguments: '{}', server_label: 'bank' };
  const base = { id: 'resp_1', object: 'response', model: 'm' };
  const asking = [
    { type: 'response.created', response: { ...base, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: approval },
    { type: 'response.output_item.done', output_index: 0, item: approval },
    { type: 'response.completed', response: { ...base, status: 'completed', output: [approval] } },
  ].map((event, index) => ({ ...event, sequence_number: index }));

  const start = async (): Promise<void> => {
    server = await startServer({ env: env(agents(), { DATA_DIR: folder }) });
  };
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parley-headers-'));
    upstream = await UpstreamDouble.start((response) => stream(response, responseEvents('resp_1', [['Hello']])));
    await start();
  });
  beforeEach(() => {
    upstream.seen.length = 0;
    upstream.answers((response) => stream(response, responseEvents('resp_1', [['Hello']])));
  });
  afterAll(async () => {
    await server.close();
    await upstream.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const SENT = {
    'x-department': 'sales',
    'accept-language': 'de',
    'x-secret-of-client': 'hush',
    'x-user-id': 'alice',
    cookie: 'session=1',
  };
  const ask = (model: string, headers: Record<string, string> = SENT): Promise<Response> =>
    post(`${server.url}/v1/responses`, { model, input: 'hi' }, headers);
  const seen = (at: number): IncomingHttpHeaders => upstream.seen[at]?.headers ?? {};

  it('only the headers of the list reach the agent, and never a credential of the client', async () => {
    expect((await ask('travel')).status).toBe(200);
    expect((await ask('other')).status).toBe(200);
    const fixed = [
      'accept',
      'accept-encoding',
      'authorization',
      'connection',
      'content-length',
      'content-type',
      'host',
    ];
    const names = [...fixed, 'transfer-encoding', 'user-agent', 'x-parley-hops', 'idempotency-key'];
    const extra = (at: number): string[] => Object.keys(seen(at)).filter((name) => !names.includes(name));
    expect(extra(0).sort()).toEqual(['accept-language', 'x-department']);
    expect(seen(0)).toMatchObject({
      'x-department': 'sales',
      'accept-language': 'de',
      authorization: 'Bearer of-the-server',
      'x-parley-hops': '1',
    });
    expect(extra(1)).toEqual([]);
    expect(seen(1).authorization).toBeUndefined();
  });

  it('each wire sends them on', async () => {
    await server.close();
    server = await startServer({ env: env(agents(), { DATA_DIR: folder, DEFAULT_AGENT: 'travel' }) });
    for (const wire of WIRES) {
      const { path, body } = wire.say({ sessionId: randomUUID(), words: 'hi', turn: 1 });
      const named = 'model' in body ? { model: 'travel', conversation: undefined } : {};
      const props = 'forwardedProps' in body ? { forwardedProps: { agent_type: 'travel' } } : {};
      const answer = await post(server.url + path, { ...body, ...named, ...props }, { 'x-department': wire.name });
      expect([wire.name, answer.ok ? '' : await answer.text()]).toEqual([wire.name, '']);
      await answer.text();
    }
    expect(upstream.seen.map(({ headers }) => headers['x-department'])).toEqual(WIRES.map(({ name }) => name));
  });

  it('one that is too long is refused, and nothing is sent', async () => {
    const answer = await ask('travel', { 'x-department': 'x'.repeat(257) });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code: 'invalid_value', param: 'x-department' } });
    expect(upstream.seen).toEqual([]);
  });

  it('a run that goes on after a restart sends those of the request that began it, not those of the answer', async () => {
    upstream.answers((response, { body }) => {
      const isAnswer = JSON.stringify(body['input']).includes('mcp_approval_response');
      stream(response, isAnswer ? responseEvents('resp_2', [['Paid']]) : asking);
    });
    const asked = (await (await ask('travel')).json()) as { output: { type: string; id: string }[] };
    const open = asked.output.find(({ type }) => type === 'mcp_approval_request');
    await server.close();
    await start();
    const decided = await post(
      `${server.url}/approvals/${open?.id ?? ''}`,
      { approve: true },
      { 'x-department': 'audit', 'x-user-id': 'alice' },
    );
    expect(decided.status).toBe(200);
    await until(() => upstream.seen.length > 1, 'the request with the decision');
    expect(seen(1)).toMatchObject({ 'x-department': 'sales', 'accept-language': 'de', 'x-parley-hops': '1' });
  });

  it('without names nothing of them is kept', async () => {
    await server.close();
    const travel = { type: 'responses', url: upstream.url, background: false };
    server = await startServer({ env: env({ travel }, { DATA_DIR: folder }) });
    await ask('travel');
    const [row] = await server
      .get(Database)
      .read.all<{ request: string }>('SELECT request FROM runs ORDER BY no DESC LIMIT 1');
    expect(row?.request).not.toMatch(/sales|hush|carried/);
  });
});

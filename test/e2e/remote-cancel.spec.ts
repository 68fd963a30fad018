import type { ServerResponse } from 'node:http';
import { AgentScopeDouble, replyOf, textEvents } from '../../src/agent/adapters/testing/agentscope-double.js';
import {
  framed,
  openStream,
  responseEvents,
  type SeenRequest,
  UpstreamDouble,
} from '../../src/agent/adapters/testing/responses-double.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

/** The first events of an answer of each kind, which then says nothing more. */
const BEGINNINGS: Readonly<Record<string, object[]>> = {
  '/responses': responseEvents('resp_1', [['Hello ', 'there.']]).slice(0, 4),
  '/ag-ui': [
    { type: 'RUN_STARTED', threadId: 't', runId: 'r' },
    { type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'assistant' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'Hello ' },
  ],
  '/process': [
    { object: 'response', id: 'r', status: 'created', sequence_number: 0 },
    { object: 'message', id: 'm', type: 'message', role: 'assistant', status: 'in_progress', sequence_number: 1 },
    { object: 'content', msg_id: 'm', type: 'text', delta: true, text: 'Hello ', sequence_number: 2 },
  ],
  '/a2a': [
    {
      jsonrpc: '2.0',
      id: 1,
      result: { task: { id: 'task-1', contextId: 'c', status: { state: 'TASK_STATE_WORKING' }, artifacts: [] } },
    },
    {
      jsonrpc: '2.0',
      id: 1,
      result: {
        artifactUpdate: {
          taskId: 'task-1',
          contextId: 'c',
          artifact: { artifactId: 'a', parts: [{ text: 'Hello ' }] },
        },
      },
    },
  ],
};

describe('a run of a remote agent that is canceled', () => {
  let upstream: UpstreamDouble;
  let scope: AgentScopeDouble;
  let server: TestServer;
  const closed: string[] = [];

  function answer(response: ServerResponse, { path, method, body }: SeenRequest): void {
    const json = (value: object): void =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (method === 'GET') {
      const interfaces = [{ url: `${upstream.url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }];
      return json({ name: 'a', supportedInterfaces: interfaces, capabilities: { streaming: true }, skills: [] });
    }
    const isBeginning = path !== '/a2a' || body['method'] === 'SendStreamingMessage';
    const events = isBeginning ? BEGINNINGS[path] : undefined;
    if (!events) return json({ jsonrpc: '2.0', id: 1, result: {} });
    openStream(response);
    response.write(framed(events));
    response.on('close', () => closed.push(path));
  }

  beforeAll(async () => {
    upstream = await UpstreamDouble.start(answer);
    scope = await AgentScopeDouble.start();
    scope.script = () => replyOf('r', textEvents('r', 'b', ['Hello ', 'there.']));
    scope.onEvent = (_, index) => (index === 4 ? new Promise(() => undefined) : undefined);
    const agents = {
      responses: { type: 'responses', url: upstream.url, background: true },
      foreground: { type: 'responses', url: upstream.url, background: false },
      'ag-ui': { type: 'ag-ui', url: `${upstream.url}/ag-ui`, stopUrl: `${upstream.url}/ag-ui-stop` },
      plain: { type: 'ag-ui', url: `${upstream.url}/ag-ui` },
      'agent-api': { type: 'agent-api', url: `${upstream.url}/process`, stopUrl: `${upstream.url}/stop` },
      a2a: { type: 'a2a', url: `${upstream.url}/a2a` },
      'agentscope-2': { type: 'agentscope-2', url: scope.url, agentId: 'friend' },
    };
    server = await startServer({ env: { AUTH: 'none', REMOTE_AGENTS: JSON.stringify({ agents }) } });
  });
  beforeEach(() => {
    upstream.seen.length = 0;
    closed.length = 0;
  });
  afterAll(async () => {
    await server.close();
    await upstream.close();
    await scope.close();
  });

  const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const headers = { 'content-type': 'application/json' };
    const sent = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await sent.json()) as Record<string, unknown>;
  };
  const asked = (path: string, method?: string) => (): boolean =>
    upstream.seen.some((one) => one.path === path && (method === undefined || one.body['method'] === method));

  it.each([
    ['responses', asked('/responses/resp_1/cancel')],
    ['foreground', () => closed.includes('/responses')],
    ['ag-ui', asked('/ag-ui-stop')],
    ['plain', () => closed.includes('/ag-ui')],
    // AgentScope Runtime requires `input` there, too.
    ['agent-api', () => upstream.seen.some(({ path, body }) => path === '/stop' && Array.isArray(body['input']))],
    ['a2a', asked('/a2a', 'CancelTask')],
    ['agentscope-2', () => scope.seen.some((one) => one.endsWith('/interrupt'))],
  ])('stops the upstream within a second: %s', async (model, isStopped) => {
    const { id } = await post('/v1/responses', { model, input: 'hi', background: true });
    const read = async (): Promise<{ readonly status: string; readonly output: object[] }> =>
      (await (await fetch(`${server.url}/v1/responses/${String(id)}`)).json()) as never;
    await until(async () => (await read()).output.length > 0, 'the beginning of the answer');
    expect(isStopped()).toBe(false);
    const canceledAt = performance.now();
    await post(`/v1/responses/${String(id)}/cancel`, {});
    await until(isStopped, 'the upstream to be stopped');
    expect(performance.now() - canceledAt).toBeLessThan(1000);
    await until(async () => (await read()).status === 'cancelled', 'the end of the run');
  });
});

import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { AgentScopeDouble, replyOf, textEvents } from '../../src/agent/adapters/testing/agentscope-double.js';
import {
  responseEvents,
  type SeenRequest,
  stream,
  UpstreamDouble,
} from '../../src/agent/adapters/testing/responses-double.js';
import { startServer, type TestServer } from '../support/server.js';

/** Nothing that an upstream or a client says makes the server connect to another address (contract gateway, section D). */
describe('outgoing connections of remote agents', () => {
  let upstream: UpstreamDouble;
  let scope: AgentScopeDouble;
  let server: TestServer;
  /** Requests at an address that is in bodies and headers, and in no configuration. */
  const trapped: string[] = [];
  const trap = createServer((request, response) => {
    trapped.push(`${request.method} ${request.url}`);
    response.end('{}');
  });
  let lure = '';

  const part = (): object[] => [
    { type: 'text', text: `See ${lure}/text` },
    { type: 'image', image_url: `${lure}/image.png`, index: 1 },
    { type: 'file', file_url: `${lure}/file`, index: 2 },
  ];
  const streams = (): Record<string, object[]> => {
    const annotation = { type: 'url_citation', url: `${lure}/cited`, title: 'T', start_index: 0, end_index: 3 };
    const item = {
      id: 'm',
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: `See ${lure}`, annotations: [annotation] }],
    };
    const [created = {}] = responseEvents('resp_1', []);
    const response = { id: 'resp_1', status: 'completed', output: [item], next: `${lure}/next` };
    const own = `${upstream.url}/a2a`;
    return {
      '/responses': [created, { type: 'response.completed', sequence_number: 1, response }],
      '/ag-ui': [
        { type: 'RUN_STARTED', threadId: 't', runId: 'r', eventsUrl: lure, stopUrl: lure },
        { type: 'TEXT_MESSAGE_CHUNK', messageId: 'm', delta: `See ${lure}` },
        { type: 'CUSTOM', name: 'open_url', value: { url: `${lure}/custom` } },
        { type: 'RUN_FINISHED', threadId: 't', runId: 'r' },
      ],
      '/process': [
        { object: 'response', id: 'r', status: 'created' },
        { object: 'message', id: 'm', type: 'message', role: 'assistant', status: 'completed', content: part() },
        { object: 'response', id: 'r', status: 'completed', output: [] },
      ],
      '/a2a': [
        {
          jsonrpc: '2.0',
          id: 1,
          result: {
            task: {
              id: '../../t',
              contextId: 'c',
              status: { state: 'TASK_STATE_COMPLETED' },
              artifacts: [{ artifactId: 'a', parts: [{ text: own }, { url: `${lure}/artifact`, filename: 'f' }] }],
            },
          },
        },
      ],
    };
  };

  function answer(response: ServerResponse, { path, method }: SeenRequest): void {
    if (path === '/redirect') return void response.writeHead(307, { location: `${lure}/redirected` }).end();
    if (method === 'GET') {
      const own = { url: `${upstream.url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' };
      const foreign = { url: `${lure}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' };
      const supportedInterfaces = path.startsWith('/elsewhere') ? [foreign] : [own];
      const links = {
        iconUrl: `${lure}/icon`,
        documentationUrl: `${lure}/docs`,
        provider: { url: `${lure}/provider` },
      };
      const card = { name: 'a', supportedInterfaces, capabilities: { streaming: true }, skills: [], ...links };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(card));
      return;
    }
    response.setHeader('location', `${lure}/location`);
    response.setHeader('link', `<${lure}/link>; rel="next"`);
    response.setHeader('x-run-id', '..');
    stream(response, streams()[path] ?? []);
  }

  beforeAll(async () => {
    trap.listen(0, '127.0.0.1');
    await once(trap, 'listening');
    lure = `http://127.0.0.1:${(trap.address() as AddressInfo).port}`;
    upstream = await UpstreamDouble.start(answer);
    scope = await AgentScopeDouble.start();
    scope.script = () => replyOf('r', textEvents('r', 'b', [`See ${lure}`]));
    const { url } = upstream;
    const agents = {
      responses: { type: 'responses', url, background: true },
      'ag-ui': { type: 'ag-ui', url: `${url}/ag-ui`, reattach: 'parley', eventsUrl: `${url}/runs` },
      'agent-api': { type: 'agent-api', url: `${url}/process` },
      a2a: { type: 'a2a', url: `${url}/a2a` },
      'agentscope-2': { type: 'agentscope-2', url: scope.url, agentId: 'friend' },
      elsewhere: { type: 'a2a', url: `${url}/elsewhere` },
      redirect: { type: 'ag-ui', url: `${url}/redirect` },
    };
    server = await startServer({ env: { AUTH: 'none', REMOTE_AGENTS: JSON.stringify({ agents }) } });
  });
  beforeEach(() => trapped.splice(0));
  afterAll(async () => {
    await server.close();
    await upstream.close();
    await scope.close();
    trap.close();
  });

  it.each([
    ['responses', 'completed'],
    ['ag-ui', 'completed'],
    ['agent-api', 'completed'],
    ['a2a', 'completed'],
    ['agentscope-2', 'completed'],
    ['elsewhere', 'failed'],
    ['redirect', 'failed'],
  ])('are those of the configuration alone: %s', async (model, status) => {
    const headers = {
      'content-type': 'application/json',
      'x-forwarded-host': new URL(lure).host,
      forwarded: `host=${new URL(lure).host}`,
    };
    const metadata = { url: lure, callback: lure };
    const body = JSON.stringify({ model, input: `Open ${lure}/client`, metadata });
    const sent = await fetch(`${server.url}/v1/responses`, { method: 'POST', headers, body });
    expect(await sent.json()).toMatchObject({ status });
    expect(trapped).toEqual([]);
  });
});

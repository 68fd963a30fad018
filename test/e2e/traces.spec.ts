import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentTool } from '../../src/agent/tools/index.js';
import { describeOnDatabases } from '../support/databases.js';
import { OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.js';
import { ResponsesDriver } from '../support/responses-driver.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

class Adder {
  static seen: (string | undefined)[] = [];

  @AgentTool({ name: 'add', description: 'Adds', parameters: { type: 'object' }, effects: 'none' })
  async add(_args: unknown, context: { readonly traceparent?: string }): Promise<string> {
    Adder.seen.push(context.traceparent);
    return 'secret sum';
  }

  @AgentTool({ name: 'remove', description: 'Removes', parameters: { type: 'object' }, effects: 'unsafe' })
  async remove(): Promise<string> {
    return 'removed';
  }
}

/** The removal asks for approval. */
function policyFile(): { readonly file: string; readonly drop: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'parley-policy-'));
  const file = join(folder, 'policy.json');
  writeFileSync(file, JSON.stringify({ rules: [{ tool: 'remove', effect: 'ask' }] }));
  return { file, drop: () => rmSync(folder, { recursive: true, force: true }) };
}

async function ask(server: TestServer, text: string, headers: Record<string, string> = {}): Promise<string> {
  const body = { session_id: `s-${text}`, input: [{ role: 'user', content: [{ type: 'text', text }] }] };
  const response = await fetch(`${server.url}/process`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return response.text();
}

describeOnDatabases('traces', (openDatabase) => {
  let receiver: OtlpReceiver;
  let server: TestServer;
  const policy = policyFile();

  beforeAll(async () => {
    receiver = await OtlpReceiver.start();
    server = await startServer({
      database: openDatabase,
      providers: [Adder],
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-api=a%20b',
        TOOL_POLICY_FILE: policy.file,
      },
      model: (upstream) => {
        upstream.on(
          { predicate: ({ messages }) => messages.some(({ role }) => role === 'tool') },
          { content: 'It is 2' },
        );
        upstream.onMessage('add', { toolCalls: [{ name: 'add', arguments: '{}' }] });
        upstream.onMessage('remove', { toolCalls: [{ name: 'remove', arguments: '{}' }] });
        upstream.onMessage('break', { error: { message: 'no', type: 'server_error' }, status: 500 });
        upstream.onMessage(/.*/, { content: 'Hello' });
      },
    });
  });
  afterAll(async () => {
    await server.close();
    await receiver.close();
    policy.drop();
  });

  const traced = async (name: string, traceId: string): Promise<ReceivedSpan> => {
    const find = (): ReceivedSpan | undefined => receiver.named(name).find((span) => span.traceId === traceId);
    await until(() => find() !== undefined, `the span ${name}; ${receiver.problems.join()}`);
    return find() as ReceivedSpan;
  };

  it('a request, its run, its model calls and its tool calls are one trace, which continues that of the client', async () => {
    await ask(server, 'add', { traceparent: `00-${TRACE}-${PARENT}-01` });
    const request = await traced('POST /process', TRACE);
    const run = await traced('invoke_agent worker', TRACE);
    const tool = await traced('execute_tool add', TRACE);
    const chats = receiver.named('chat ').filter(({ traceId }) => traceId === TRACE);
    expect(request).toMatchObject({ kind: 2, parentSpanId: PARENT, isError: false });
    expect(request.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/process',
      'http.response.status_code': 200,
    });
    expect(run).toMatchObject({ kind: 1, parentSpanId: request.spanId, links: [] });
    expect(run.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'worker',
      'gen_ai.conversation.id': 's-add',
      'parley.run.outcome': 'completed',
    });
    expect(tool.parentSpanId).toBe(run.spanId);
    expect(tool.attributes).toMatchObject({ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'add' });
    expect(chats).toHaveLength(2);
    for (const chat of chats) {
      expect(chat).toMatchObject({ kind: 3, parentSpanId: run.spanId });
      expect(chat.attributes).toMatchObject({
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': expect.any(String),
        'gen_ai.request.model': expect.any(String),
        'gen_ai.response.finish_reasons': expect.any(Array),
      });
    }
    expect(run.resource).toMatchObject({ 'service.name': 'parley' });
    expect(Adder.seen.at(-1)).toBe(`00-${TRACE}-${tool.spanId}-01`);
    const sent = server.modelServer.getRequests().map(({ headers }) => headers['traceparent']);
    for (const chat of chats) expect(sent).toContain(`00-${TRACE}-${chat.spanId}-01`);
    expect(receiver.problems).toEqual([]);
    expect(receiver.headers[0]).toMatchObject({ 'x-api': 'a b' });
  });

  it('spans hold no contents', () => {
    expect(JSON.stringify(receiver.spans)).not.toMatch(/secret sum|It is 2/);
  });

  it('a request without traceparent, or with an invalid one, begins a trace', async () => {
    await ask(server, 'hello', { traceparent: `00-${'0'.repeat(32)}-${PARENT}-01` });
    const find = (): ReceivedSpan | undefined =>
      receiver.named('POST /process').find(({ traceId }) => traceId !== TRACE);
    await until(() => find() !== undefined, 'the span of the request');
    expect(find()?.parentSpanId).toBeUndefined();
  });

  it('a trace that its client does not sample is not exported', async () => {
    const unsampled = 'c'.repeat(32);
    await ask(server, 'quiet', { traceparent: `00-${unsampled}-${PARENT}-00` });
    const sampled = 'd'.repeat(32);
    await ask(server, 'loud', { traceparent: `00-${sampled}-${PARENT}-01` });
    await traced('POST /process', sampled);
    expect(receiver.spans.filter(({ traceId }) => traceId === unsampled)).toEqual([]);
  });

  it('a run that an approval continues belongs to the trace of the answer, with a link to the request before', async () => {
    const [asking, answering] = ['e'.repeat(32), 'f'.repeat(32)];
    const stream = await ask(server, 'remove', { traceparent: `00-${asking}-${PARENT}-01` });
    const asked = await traced('POST /process', asking);
    expect(stream).toContain('mcp_approval_request');
    const listed = await fetch(`${server.url}/approvals?status=pending&user_id=s-remove`);
    const { data } = (await listed.json()) as { data: readonly { id: string; sessionId: string }[] };
    const pending = data.find(({ sessionId }) => sessionId === 's-remove');
    const decided = await fetch(`${server.url}/approvals/${pending?.id}?user_id=s-remove`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', traceparent: `00-${answering}-${PARENT}-01` },
      body: JSON.stringify({ approve: true }),
    });
    expect(decided.status).toBe(200);
    const run = await traced('invoke_agent worker', answering);
    expect((await traced('execute_tool remove', answering)).parentSpanId).toBe(run.spanId);
    expect(run.links).toEqual([expect.objectContaining({ traceId: asking, spanId: asked.spanId })]);
  });
});

describeOnDatabases('traces of the Responses WebSocket', (openDatabase) => {
  const OTHER_TRACE = /^(?!0af7651916cd43dd8448eb211c80319c)[0-9a-f]{32}$/;
  let receiver: OtlpReceiver;
  let driver: ResponsesDriver;

  beforeAll(async () => {
    receiver = await OtlpReceiver.start();
    driver = await ResponsesDriver.start({
      database: openDatabase,
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, JSON_DEPTH_LIMIT: '32' },
    });
  });
  afterAll(async () => {
    await driver.server.close();
    await receiver.close();
  });

  const spans = async (name: string, count: number): Promise<readonly ReceivedSpan[]> => {
    await until(() => receiver.named(name).length >= count, `${count} of ${name}; ${receiver.problems.join()}`);
    return receiver.named(name);
  };

  it('each request of a socket has a span like one over HTTP, with its run and its model call below', async () => {
    const socket = await driver.connect({ traceparent: `00-${TRACE}-${PARENT}-01` });
    if (typeof socket === 'number') throw new Error(`Refused with ${socket}`);
    socket.create({ input: 'Hello.' });
    socket.create({ input: 'break' });
    socket.create({ input: 7 });
    await socket.until('error');
    socket.raw.close();
    const requests = await spans('GET /v1/responses', 3);
    const runs = await spans('invoke_agent', 2);
    const chats = await spans('chat ', 2);
    expect(requests).toHaveLength(3);
    for (const request of requests) {
      expect(request).toMatchObject({ kind: 2, traceId: TRACE, parentSpanId: PARENT, isError: false });
      expect(request.attributes).toMatchObject({
        'http.request.method': 'GET',
        'http.route': '/v1/responses',
        'url.path': '/v1/responses',
        'network.protocol.name': 'websocket',
      });
    }
    expect(requests.map(({ attributes }) => attributes['http.response.status_code'])).toEqual([200, 200, 400]);
    const ids = socket.ids;
    for (const [index, outcome] of ['completed', 'failed'].entries()) {
      const run = runs.find(({ attributes }) => attributes['parley.run.id'] === ids[index]);
      expect(run).toMatchObject({ kind: 1, traceId: TRACE, parentSpanId: requests[index]?.spanId });
      expect(run?.attributes['parley.run.outcome']).toBe(outcome);
      expect(chats.filter(({ parentSpanId }) => parentSpanId === run?.spanId)).toHaveLength(1);
    }
    expect(receiver.problems).toEqual([]);
  });

  it('without a traceparent each request of a socket begins a trace of its own', async () => {
    receiver.spans.length = 0;
    const socket = await driver.socket();
    socket.create({ input: 'Hello.' });
    socket.create({ input: 'Hello again.' });
    await socket.until('response.completed', 2);
    socket.raw.close();
    const requests = await spans('GET /v1/responses', 2);
    const runs = await spans('invoke_agent', 2);
    expect(new Set(requests.map(({ traceId }) => traceId)).size).toBe(2);
    for (const [index, request] of requests.entries()) {
      expect(request.parentSpanId).toBeUndefined();
      expect(request.traceId).toMatch(OTHER_TRACE);
      expect(runs.find(({ traceId }) => traceId === request.traceId)?.parentSpanId).toBe(request.spanId);
      expect(runs.some(({ attributes }) => attributes['parley.run.id'] === socket.ids[index])).toBe(true);
    }
  });

  it('a socket whose client does not sample its trace is not exported', async () => {
    receiver.spans.length = 0;
    const quiet = await driver.connect({ traceparent: `00-${'c'.repeat(32)}-${PARENT}-00` });
    if (typeof quiet === 'number') throw new Error(`Refused with ${quiet}`);
    quiet.create({ input: 'Hello.' });
    await quiet.until('response.completed');
    quiet.raw.close();
    const loud = await driver.socket();
    loud.create({ input: 'Hello.' });
    await loud.until('response.completed');
    loud.raw.close();
    await spans('GET /v1/responses', 1);
    expect(receiver.spans.filter(({ traceId }) => traceId === 'c'.repeat(32))).toEqual([]);
  });
});

describe('OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT', () => {
  it('adds prompts, answers, arguments and results to the spans', async () => {
    const receiver = await OtlpReceiver.start();
    const server = await startServer({
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/`,
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
      },
      model: (upstream) => upstream.onMessage(/.*/, { content: 'Hello' }),
    });
    await ask(server, 'content');
    await server.close();
    const [chat] = receiver.named('chat ');
    expect(chat?.attributes['gen_ai.input.messages']).toContain('content');
    expect(chat?.attributes['gen_ai.output.messages']).toContain('Hello');
    expect(receiver.problems).toEqual([]);
    await receiver.close();
  });
});

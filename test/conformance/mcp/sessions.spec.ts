import { describeOnDatabases } from '../../support/databases.js';
import { answerIn, framesIn, McpClient } from '../../support/mcp.js';
import { startServer, type TestServer } from '../../support/server.js';
import { until } from '../../support/until.js';

const CALENDAR = 'Schedule a meeting with Ana tomorrow at 3pm';
const FORMS = { elicitation: {} };

/** The events of a response so far, read on in the background. */
class Reading {
  text = '';
  isOver = false;
  readonly done: Promise<void>;

  constructor(response: Response) {
    this.done = this.read(response);
  }

  get frames() {
    return framesIn(this.text.slice(0, this.text.lastIndexOf('\n\n') + 2));
  }

  private async read(response: Response): Promise<void> {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
      this.text += Buffer.from(chunk).toString();
    this.isOver = true;
  }
}

describeOnDatabases('sessions of MCP', (openDatabase) => {
  let server: TestServer;
  let client: McpClient;

  beforeAll(async () => {
    server = await startServer({ database: openDatabase, env: { MCP_RESOURCES: 'true' } });
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    client = new McpClient(server);
    await client.initialize(FORMS);
  });

  it('begin with the revision of the client, and end', async () => {
    expect((await client.initialize({}, '2025-06-18')).result).toMatchObject({ protocolVersion: '2025-06-18' });
    expect((await client.initialize({}, '2020-01-01')).result).toMatchObject({ protocolVersion: '2025-11-25' });
    client.version = '2025-11-25';
    expect(client.session).toMatch(/^[\x21-\x7e]{1,512}$/);
    expect((await client.request('ping')).status).toBe(200);
    const ended = await fetch(`${server.url}/mcp`, { method: 'DELETE', headers: client.sessionHeaders });
    expect(ended.status).toBe(200);
    expect((await client.request('ping')).status).toBe(404);
  });

  it('list tools, prompts and resources', async () => {
    const { result } = await client.call('tools/list');
    expect(result?.tools?.map(({ name }) => name)).toEqual(['ask_worker', 'get_answer', 'stop_run']);
    expect((await client.call('prompts/list')).result).toEqual({ prompts: [] });
    expect((await client.call('resources/templates/list')).result?.['resourceTemplates']).toHaveLength(2);
  });

  it('ask an agent twice in one conversation, as JSON', async () => {
    const response = await client.request('tools/call', {
      name: 'ask_worker',
      arguments: { message: 'My name is Ida.' },
    });
    expect(response.headers.get('content-type')).toContain('application/json');
    const first = await answerIn(response);
    expect(first.result?.structuredContent).toMatchObject({ status: 'completed' });
    const { session_id = '' } = first.result?.structuredContent ?? {};
    const second = await client.tool('ask_worker', { message: 'Who are you?', session_id });
    expect(second.content?.[0]?.text).toContain('Friday');
    expect(second.structuredContent?.session_id).toBe(session_id);
    const uri = `parley://sessions/${session_id}`;
    const read = await client.call('resources/read', { uri });
    expect(JSON.stringify(read.result)).toContain('My name is Ida.');
    expect(await client.tool('ask_worker', { message: 'x', session_id: 'made-up' })).toMatchObject({ isError: true });
  });

  it('tell progress, ask for an approval on the stream, and go on with the answer', async () => {
    const params = { name: 'ask_worker', arguments: { message: CALENDAR }, _meta: { progressToken: 'p' } };
    const reading = new Reading(await client.request('tools/call', params, 7));
    await until(() => reading.frames.some(({ message }) => message?.method === 'elicitation/create'));
    const [primer] = reading.frames;
    expect(primer).toMatchObject({ retry: '3000', message: undefined });
    const asked = reading.frames.at(-1)?.message;
    expect(asked?.params).toMatchObject({ mode: 'form', requestedSchema: { required: ['approve'] } });
    const answer = { jsonrpc: '2.0', id: asked?.id, result: { action: 'accept', content: { approve: true } } };
    expect((await client.post(answer, client.sessionHeaders)).status).toBe(202);
    await reading.done;
    const last = reading.frames.at(-1)?.message;
    expect(last).toMatchObject({ id: 7, result: { structuredContent: { status: 'completed' } } });
    const progress = reading.frames.flatMap(({ message }) =>
      message?.method === 'notifications/progress' ? [message.params] : [],
    );
    expect(progress.map((one) => one?.['progressToken'])).toEqual(progress.map(() => 'p'));
    const numbers = progress.map((one) => Number(one?.['progress']));
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(progress.map((one) => one?.['message'])).toEqual(
      expect.arrayContaining(['started', 'calls calendar_write', 'goes on', 'calendar_write done']),
    );
    // From every event on, the rest is what it was.
    for (const [index, { id = '' }] of reading.frames.entries()) {
      const rest = await client.resume(id);
      const isLast = index === reading.frames.length - 1;
      expect(rest.status).toBe(isLast ? 204 : 200);
      const messages = framesIn(await rest.text()).filter(({ message }) => message);
      expect(messages).toEqual(reading.frames.slice(index + 1).filter(({ message }) => message));
    }
  });

  it.each([
    ['decline', undefined, 'completed'],
    ['accept', { approve: false, reason: 'no' }, 'completed'],
    ['cancel', undefined, 'waiting'],
  ])('take %s of a form with %j as %s', async (action, content, status) => {
    const reading = new Reading(
      await client.request('tools/call', { name: 'ask_worker', arguments: { message: CALENDAR } }),
    );
    await until(() => reading.frames.some(({ message }) => message?.method === 'elicitation/create'));
    const id = reading.frames.at(-1)?.message?.id;
    await client.post({ jsonrpc: '2.0', id, result: { action, ...(content && { content }) } }, client.sessionHeaders);
    await reading.done;
    expect(reading.frames.at(-1)?.message?.result?.structuredContent?.status).toBe(status);
  });

  it('cancel a call by its id, and no call whose line breaks', async () => {
    const params = { name: 'ask_worker', arguments: { message: 'count to 400 slowly' }, _meta: { progressToken: 1 } };
    const leaving = new AbortController();
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...client.sessionHeaders,
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 21, method: 'tools/call', params });
    const response = await fetch(`${server.url}/mcp`, { method: 'POST', headers, body, signal: leaving.signal });
    const runId = response.headers.get('x-run-id') ?? '';
    leaving.abort();
    const running = await client.tool('get_answer', { run_id: runId, wait_seconds: 1 });
    expect(running.structuredContent?.status).toBe('in_progress');
    await client.post(
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 21 } },
      client.sessionHeaders,
    );
    const stopped = await client.tool('get_answer', { run_id: runId });
    expect(stopped.structuredContent?.status).toBe('stopped');
  });

  it('stop runs, and refuse what is not there or not valid', async () => {
    const asked = new McpClient(server);
    await asked.initialize();
    const waiting = await asked.tool('ask_worker', { message: CALENDAR });
    expect(waiting.structuredContent).toMatchObject({
      status: 'waiting',
      waiting_for: [{ kind: 'approval', tool_name: 'calendar_write' }],
    });
    const { run_id = '', session_id = '' } = waiting.structuredContent ?? {};
    expect((await asked.tool('stop_run', { run_id })).structuredContent).toMatchObject({
      status: 'stopped',
      session_id,
    });
    expect(await client.tool('get_answer', { run_id: 'none' })).toMatchObject({ isError: true });
    expect(await client.tool('ask_worker', { text: 'x' })).toMatchObject({ isError: true });
    expect((await client.call('tools/call', { name: 'ask_nobody' })).error).toMatchObject({ code: -32602 });
    expect((await client.call('unknown/method')).error?.code).toBe(-32601);
  });
});

describe('refusals of MCP', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ env: { MCP_CALL_WAIT_MS: '500' } });
  });
  afterAll(() => server.close());

  it.each([
    ['{', 400, -32700],
    ['[]', 400, -32600],
    ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400, -32600],
    ['{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32600],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/list"}', 400, -32602],
    ['{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}', 400, -32600],
    ['"x"', 400, -32600],
  ])('the body %s has the status %d and the code %d', async (body, status, code) => {
    const response = await new McpClient(server).post(body);
    expect([response.status, ((await response.json()) as { error: { code: number } }).error.code]).toEqual([
      status,
      code,
    ]);
  });

  it('foreign pages and hosts are refused for every method', async () => {
    for (const method of ['POST', 'GET', 'DELETE']) {
      for (const origin of ['https://evil.example', 'null']) {
        const response = await fetch(`${server.url}/mcp`, { method, headers: { origin } });
        expect(response.status).toBe(403);
      }
    }
    const known = await fetch(`${server.url}/.well-known/oauth-protected-resource/mcp`, {
      headers: { origin: 'https://evil.example' },
    });
    expect(known.status).toBe(403);
    expect((await fetch(`${server.url}/mcp`)).status).toBe(405);
  });

  it('forged sessions do not exist', async () => {
    const client = new McpClient(server);
    await client.initialize();
    const { session = '' } = client;
    for (let at = 0; at < session.length; at += 7) {
      client.session = session.slice(0, at) + (session[at] === 'A' ? 'B' : 'A') + session.slice(at + 1);
      expect((await client.request('ping')).status).toBe(404);
    }
    client.session = session;
    expect(
      (
        await new McpClient(server, { 'x-user-id': 'other' }).post(
          { jsonrpc: '2.0', id: 1, method: 'ping' },
          client.sessionHeaders,
        )
      ).status,
    ).toBe(404);
    expect(
      (
        await new McpClient(server).post(
          { jsonrpc: '2.0', id: 1, method: 'ping' },
          { 'mcp-protocol-version': '2025-06-18' },
        )
      ).status,
    ).toBe(400);
  });

  it('a call that takes long is answered early, and asked for later', async () => {
    const client = new McpClient(server);
    await client.initialize();
    const early = await client.tool('ask_worker', { message: 'count to 60 slowly' });
    expect(early.structuredContent?.status).toBe('in_progress');
    const { run_id = '' } = early.structuredContent ?? {};
    const late = await client.tool('get_answer', { run_id });
    expect(late.structuredContent?.status).toBe('completed');
    expect(late.structuredContent?.answer).toContain('60');
    expect(late.structuredContent?.answer.startsWith(early.structuredContent?.answer ?? '-')).toBe(true);
  });

  it('the stream of get_answer goes on where it broke, and only for who has begun it', async () => {
    const client = new McpClient(server);
    await client.initialize();
    const early = await client.tool('ask_worker', { message: 'count to 60 slowly' });
    const { run_id = '' } = early.structuredContent ?? {};
    const params = { name: 'get_answer', arguments: { run_id }, _meta: { progressToken: 'p' } };
    const broken = await client.request('tools/call', params, 'again');
    const reader = broken.body?.getReader();
    const begun = new TextDecoder().decode((await reader?.read())?.value);
    await reader?.cancel();
    const [primer] = framesIn(begun);
    expect(primer).toMatchObject({ retry: '3000', message: undefined });
    const rest = framesIn(await (await client.resume(primer?.id ?? '')).text());
    const [last] = rest.filter(({ message }) => message);
    expect(last?.message).toMatchObject({
      id: 'again',
      result: { structuredContent: { status: 'completed', run_id } },
    });
    expect((await client.resume(last?.id ?? '')).status).toBe(204);

    const stranger = new McpClient(server, { 'x-user-id': 'other' });
    await stranger.initialize();
    expect((await stranger.resume(primer?.id ?? '')).status).toBe(400);
    for (const forged of [`none.answer.WyJhIiwxXQ`, `${run_id}.answer.e30`, `${run_id}.answer.WyJhIl0`])
      expect((await client.resume(forged)).status).toBe(400);
    const old = new McpClient(server);
    await old.initialize({}, '2025-06-18');
    const parts = framesIn(await (await old.request('tools/call', params, 9)).text());
    expect(parts).toMatchObject([{ id: `${run_id}.answered`, message: { id: 9 } }]);
  });
});

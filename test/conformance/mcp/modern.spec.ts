import { describeOnDatabases } from '../../support/databases.js';
import { answerIn, envelope, framesIn, McpClient, MODERN, resultOf, type ShownResult } from '../../support/mcp.js';
import { FailingAgent, OpenTools, SeatAgent } from '../../support/mcp-agents.js';
import { startServer, type TestServer } from '../../support/server.js';
import { until } from '../../support/until.js';

const CALENDAR = 'Schedule a meeting with Ana tomorrow at 3pm';
const FORMS = { capabilities: { elicitation: {} } };
const TASKS = { 'io.modelcontextprotocol/tasks': {} };

describeOnDatabases('the modern revision of MCP', (openDatabase) => {
  let server: TestServer;
  let client: McpClient;

  beforeAll(async () => {
    server = await startServer({
      database: openDatabase,
      providers: [SeatAgent, FailingAgent, OpenTools],
      env: { MCP_SERVER_TOOLS: 'add_*,open_door', MCP_TASK_AFTER_MS: '200' },
    });
    client = new McpClient(server);
  });
  afterAll(() => server.close());

  it('describes itself, and what may be kept', async () => {
    const { result } = await answerIn(await client.modern('server/discover'));
    expect(result).toMatchObject({
      resultType: 'complete',
      supportedVersions: [MODERN, '2025-11-25', '2025-06-18', '2025-03-26'],
      capabilities: { tools: {}, extensions: TASKS },
      ttlMs: 60_000,
      cacheScope: 'public',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'parley' } },
    });
    const { result: list } = await answerIn(await client.modern('tools/list'));
    const names = [
      'add_numbers',
      'ask_failing',
      'ask_seat-finder',
      'ask_worker',
      'get_answer',
      'open_door',
      'stop_run',
    ];
    expect(list?.tools?.map(({ name }) => name)).toEqual(names);
    expect(list).toMatchObject({ cacheScope: 'private' });
  });

  it.each(['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'unknown/method'])(
    'has no method %s',
    async (method) => {
      const response = await client.modern(method);
      expect([response.status, (await answerIn(response)).error?.code]).toEqual([404, -32601]);
    },
  );

  it.each([
    [{ 'mcp-method': 'tools/list' }, -32020],
    [{ 'mcp-name': 'ask_other' }, -32020],
    [{ 'mcp-name': '=?base64?YXNrX3dvcmtlcg==?=' }, undefined],
    [{ 'mcp-protocol-version': '2025-11-25' }, -32020],
  ])('compares the headers %j with the body', async (headers, code) => {
    const response = await client.modern(
      'tools/call',
      { name: 'ask_worker', arguments: { message: 'Hi' } },
      { headers },
    );
    expect(response.status).toBe(code === undefined ? 200 : 400);
    expect((await answerIn(response)).error?.code).toBe(code);
  });

  it('names the revisions that it serves', async () => {
    const params = { _meta: { ...envelope(), 'io.modelcontextprotocol/protocolVersion': '2031-01-01' } };
    const response = await client.post(
      { jsonrpc: '2.0', id: 1, method: 'tools/list', params },
      { 'mcp-protocol-version': '2031-01-01', 'mcp-method': 'tools/list' },
    );
    expect(response.status).toBe(400);
    expect((await answerIn(response)).error).toMatchObject({ code: -32022, data: { requested: '2031-01-01' } });
  });

  it('asks for an approval as a result, and goes on with the same call', async () => {
    const args = { message: CALENDAR };
    const asked = await client.modernTool('ask_worker', args, {}, FORMS);
    expect(asked.resultType).toBe('input_required');
    const [id = ''] = Object.keys(asked.inputRequests ?? {});
    const { requestState } = asked;
    const again = await client.modernTool(
      'ask_worker',
      args,
      { requestState, inputResponses: { [id]: { action: 'accept' }, other: 1 } },
      FORMS,
    );
    expect(again).toMatchObject({ resultType: 'input_required' });
    const inputResponses = { [id]: { action: 'accept', content: { approve: true } } };
    const done = await client.modernTool('ask_worker', args, { requestState, inputResponses }, FORMS);
    expect(done).toMatchObject({ resultType: 'complete', structuredContent: { status: 'completed' } });
    const joined = await client.modernTool('ask_worker', args, { requestState, inputResponses }, FORMS);
    expect(joined.structuredContent).toEqual(done.structuredContent);
  });

  it('asks questions as forms, and believes no state but its own', async () => {
    const asked = await client.modernTool('ask_seat-finder', { message: 'x' }, {}, FORMS);
    const [[id = '', form] = []] = Object.entries(asked.inputRequests ?? {});
    expect(form?.params).toMatchObject({ message: 'Which seat?', requestedSchema: { required: ['seat'] } });
    const inputResponses = { [id]: { action: 'accept', content: { seat: 'aisle' } } };
    const requestState = asked.requestState ?? '';
    const call = (
      params: Readonly<Record<string, unknown>>,
      args: object = { message: 'x' },
      other = client,
    ): Promise<Response> =>
      other.modern('tools/call', { name: 'ask_seat-finder', arguments: args, inputResponses, ...params }, FORMS);
    for (let at = 0; at < requestState.length; at += 11) {
      const forged = requestState.slice(0, at) + (requestState[at] === 'A' ? 'B' : 'A') + requestState.slice(at + 1);
      expect((await answerIn(await call({ requestState: forged }))).error?.code).toBe(-32602);
    }
    expect((await answerIn(await call({ requestState }, { message: 'y' }))).error?.code).toBe(-32602);
    const other = new McpClient(server, { 'x-user-id': 'somebody' });
    expect((await answerIn(await call({ requestState }, { message: 'x' }, other))).error?.code).toBe(-32602);
    const wrong = { [id]: { action: 'accept', content: { seat: 'roof' } } };
    expect(resultOf(await answerIn(await call({ requestState, inputResponses: wrong }))).resultType).toBe(
      'input_required',
    );
    expect(resultOf(await answerIn(await call({ requestState }))).content?.[0]?.text).toBe('The seat is at the aisle.');
  });

  it('tells clients without forms who decides', async () => {
    const waiting = await client.modernTool('ask_worker', { message: CALENDAR });
    expect(waiting).toMatchObject({ resultType: 'complete', structuredContent: { status: 'waiting' } });
    expect(waiting.content?.at(-1)?.text).toContain('A person has to decide');
  });

  it('tells progress on a stream without ids', async () => {
    const response = await client.modern(
      'tools/call',
      { name: 'ask_worker', arguments: { message: 'What is the weather in Paris?' } },
      { meta: { progressToken: 5 } },
    );
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const frames = framesIn(await response.text());
    expect(frames.every(({ id }) => id === undefined)).toBe(true);
    expect(frames[0]?.message).toMatchObject({
      method: 'notifications/progress',
      params: { progressToken: 5, message: 'started' },
    });
    expect(frames.at(-1)?.message?.result?.structuredContent?.status).toBe('completed');
  });

  it('cancels a call whose stream is closed', async () => {
    const leaving = new AbortController();
    const name = 'ask_worker';
    const response = await fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': MODERN,
        'mcp-method': 'tools/call',
        'mcp-name': name,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: { message: 'count to 400 slowly' }, _meta: envelope({}, { progressToken: 1 }) },
      }),
      signal: leaving.signal,
    });
    const runId = response.headers.get('x-run-id') ?? '';
    leaving.abort();
    await until(async () => {
      const { structuredContent } = await client.modernTool('get_answer', { run_id: runId, wait_seconds: 1 });
      return structuredContent?.status === 'stopped';
    });
  });

  it('calls tools of the server without a model, and asks where the policy does', async () => {
    expect(await client.modernTool('add_numbers', { a: 2, b: 3 })).toMatchObject({
      content: [{ type: 'text', text: '5' }],
    });
    expect(await client.modernTool('add_numbers', { a: 'x' })).toMatchObject({ isError: true });
    const asked = await client.modernTool('open_door', { door: 'green' }, {}, FORMS);
    const [id = ''] = Object.keys(asked.inputRequests ?? {});
    OpenTools.opened.length = 0;
    const params = {
      requestState: asked.requestState,
      inputResponses: { [id]: { action: 'accept', content: { approve: true } } },
    };
    const done = await client.modernTool('open_door', { door: 'green' }, params, FORMS);
    expect(done.content).toEqual([{ type: 'text', text: 'The door green is open.' }]);
    expect(OpenTools.opened).toEqual(['green']);
  });

  it('answers what an agent could not do as a result', async () => {
    const failed = await client.modernTool('ask_failing', { message: 'x' });
    expect(failed).toMatchObject({ isError: true });
    expect(failed.structuredContent).toBeUndefined();
    expect(failed.content?.[0]?.text).toMatch(/^The agent failed: .* \(run .+\)$/);
  });

  describe('tasks', () => {
    const declared = { capabilities: { elicitation: {}, extensions: TASKS } };
    const task = async (method: string, params: Readonly<Record<string, unknown>>): Promise<ShownResult> =>
      resultOf(await answerIn(await client.modern(method, params, declared)));

    it('take the place of results that take long, and outlive their line', async () => {
      const made = await client.modernTool('ask_worker', { message: 'count to 30 slowly' }, {}, declared);
      expect(made).toMatchObject({ resultType: 'task', status: 'working', pollIntervalMs: 1000 });
      const { taskId = '' } = made;
      const done = await until(async () => {
        const found = await task('tasks/get', { taskId });
        return found.status === 'completed' && found;
      });
      expect(done.result?.structuredContent?.answer).toContain('30');
    });

    it('ask, take answers, and are canceled', async () => {
      const { taskId = '' } = await client.modernTool('ask_worker', { message: CALENDAR }, {}, declared);
      const asked = await until(async () => {
        const found = await task('tasks/get', { taskId });
        return found.status === 'input_required' && found;
      });
      const [id = ''] = Object.keys(asked.inputRequests ?? {});
      const inputResponses = { [id]: { action: 'accept', content: { approve: true } } };
      expect(await task('tasks/update', { taskId, inputResponses })).toMatchObject({ resultType: 'complete' });
      await until(async () => (await task('tasks/get', { taskId })).status === 'completed');
      const other = await client.modernTool('ask_worker', { message: CALENDAR }, {}, declared);
      await task('tasks/cancel', { taskId: other.taskId });
      await until(async () => (await task('tasks/get', { taskId: other.taskId })).status === 'cancelled');
    });

    it('are those of their caller, who has declared them', async () => {
      const { taskId = '' } = await client.modernTool('ask_worker', { message: CALENDAR }, {}, declared);
      const stranger = new McpClient(server, { 'x-user-id': 'somebody' });
      expect((await answerIn(await stranger.modern('tasks/get', { taskId }, declared))).error?.code).toBe(-32602);
      const response = await client.modern('tasks/get', { taskId });
      expect([response.status, (await answerIn(response)).error?.code]).toEqual([400, -32021]);
      expect((await client.modern('tasks/list', {}, declared)).status).toBe(404);
    });
  });
});

import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { startServer, type TestServer } from '../support/server.js';
import { jsonFrames } from '../support/sse.js';
import { BROWSE, ThinkingServer } from '../support/thinking-server.js';

type Json = Record<string, unknown>;
/** An item of the Responses API. */
interface Item extends Json {
  readonly type: string;
  readonly call_id?: string;
  readonly output?: string;
}
interface ResponseBody {
  readonly id: string;
  readonly status: string;
  readonly output: readonly Item[];
}

describeOnDatabases('what a model server wants back', (openDatabase) => {
  let database: TestDatabase;
  let model: ThinkingServer;
  let server: TestServer;
  let sessions = 0;

  beforeAll(async () => {
    database = await openDatabase();
    model = await new ThinkingServer().listen();
    server = await startServer({ database, env: model.env });
  });
  afterAll(async () => {
    await server.close();
    await model.close();
    await database.drop();
  });
  beforeEach(() => model.refusals.splice(0));
  afterEach(() => expect(model.refusals).toEqual([]));

  const newSession = (): string => `session-${(sessions += 1)}`;

  async function post(path: string, body: object): Promise<string> {
    const answer = await fetch(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return answer.text();
  }
  const respond = async (body: object): Promise<ResponseBody> =>
    JSON.parse(await post('/v1/responses', { model: 'default', ...body })) as ResponseBody;
  const process = (sessionId: string, words: string): Promise<string> =>
    post('/process', { session_id: sessionId, input: [{ role: 'user', content: [{ type: 'text', text: words }] }] });
  const agUi = (threadId: string, run: number, messages: readonly object[], more: object = {}): Promise<string> =>
    post('/ag-ui', { threadId, runId: `${threadId}-${run}`, messages, ...more });
  const said = (id: string, content: string): object => ({ id, role: 'user', content });

  async function restart(): Promise<void> {
    await server.close();
    server = await startServer({ database, env: model.env });
  }

  it('comes back in later turns of the Agent API', async () => {
    const session = newSession();
    await process(session, 'Look');
    await process(session, 'And now?');
    expect(model.roles).toBe('suatau');
    expect(model.returned).toEqual([expect.stringContaining('Thoughts before')]);
  });

  it('comes back after a restart, over previous_response_id, and in a fork', async () => {
    const first = await respond({ input: 'Look' });
    await restart();
    const second = await respond({ input: 'Look again', previous_response_id: first.id });
    expect(second.status).toBe('completed');
    expect(model.returned).toHaveLength(2);
    const third = await respond({ input: 'Well?', previous_response_id: second.id });
    expect(third.status).toBe('completed');
    expect(model.returned).toHaveLength(2);
    const fork = await respond({ input: 'Or else?', previous_response_id: first.id });
    expect([fork.status, model.returned.length]).toEqual(['completed', 1]);
  });

  it('comes back in a session that continues on another wire', async () => {
    const session = newSession();
    await agUi(session, 1, [said('u1', 'Look')]);
    await process(session, 'Look');
    expect(model.returned).toHaveLength(2);
    const after = await respond({ input: 'Well?', conversation: session });
    expect([after.status, model.returned.length]).toEqual(['completed', 2]);
    await agUi(session, 2, [said('u9', 'Last')]);
    expect(model.returned).toHaveLength(2);
  });

  it('comes back with the results of client tools, and in the turns after them', async () => {
    const tools = [{ type: 'function', ...BROWSE }];
    const first = await respond({ input: 'Browse', tools });
    const call = first.output.find(({ type }) => type === 'function_call');
    await restart();
    const result = { type: 'function_call_output', call_id: call?.call_id, output: 'A page' };
    const second = await respond({ input: [result], previous_response_id: first.id, tools });
    expect([second.status, model.returned.length]).toEqual(['completed', 1]);
    const third = await respond({ input: 'Well?', previous_response_id: second.id, tools });
    expect([third.status, model.returned.length]).toEqual(['completed', 1]);
  });

  describe.each([
    ['stored', true],
    ['not stored', false],
  ])('with responses that are %s, in a history that the client keeps', (_, store) => {
    it('it is found by the ids of items', async () => {
      const user = { role: 'user', content: 'Look' };
      const first = await respond({ input: [user], store });
      const history = [user, ...first.output, { role: 'user', content: 'Well?' }];
      const second = await respond({ input: history, store });
      expect([second.status, model.returned.length]).toEqual(['completed', 1]);
    });

    it('it is found by what calls say', async () => {
      const tools = [{ type: 'function', ...BROWSE }];
      const user = { role: 'user', content: 'Browse' };
      const first = await respond({ input: [user], store, tools });
      const call = first.output.find(({ type }) => type === 'function_call');
      // Another client prints arguments in its own way.
      const copy = { type: 'function_call', call_id: call?.call_id, name: 'browse', arguments: '{"page":1}' };
      const result = { type: 'function_call_output', call_id: call?.call_id, output: 'A page' };
      const second = await respond({ input: [user, copy, result], store, tools });
      expect([second.status, model.returned.length]).toEqual(['completed', 1]);
      // The copy has it now.
      const third = await respond({
        input: [user, copy, result, { role: 'assistant', content: 'Answer.' }, { role: 'user', content: 'Well?' }],
        store,
        tools,
      });
      expect([third.status, model.returned.length]).toEqual(['completed', 1]);
    });
  });

  it('is found in messages that an AG-UI client sends in a new thread', async () => {
    const first = newSession();
    const more = { tools: [BROWSE], forwardedProps: { user_id: 'ann' } };
    const frames = jsonFrames(await agUi(first, 1, [said('u1', 'Browse')], more)) as Json[];
    const start = frames.find(({ type }) => type === 'TOOL_CALL_START');
    const [id, callId] = [String(start?.['parentMessageId']), String(start?.['toolCallId'])];
    const call = { id: callId, type: 'function', function: { name: 'browse', arguments: '{"page": 1}' } };
    await agUi(
      newSession(),
      1,
      [
        said('u1', 'Browse'),
        { id, role: 'assistant', toolCalls: [call] },
        { id: 't1', role: 'tool', toolCallId: callId, content: 'A page' },
      ],
      more,
    );
    expect(model.returned).toEqual([`Thoughts before ${callId}`]);
  });

  it('is in nothing that clients read, and nothing remains of it when the session is removed', async () => {
    const session = newSession();
    const stream = await process(session, 'Look');
    const { id } = jsonFrames(stream).find(({ object }) => object === 'response') as { id: string };
    const paths = [
      `/process/${id}`,
      `/api/v1/sessions/${session}/messages`,
      `/api/v1/sessions/${session}`,
      `/api/v1/runs/${id}`,
      `/api/v1/runs/${id}/events`,
      `/api/v1/runs/${id}/timeline`,
      `/v1/conversations/${session}/items`,
    ];
    for (const path of paths) {
      const answer = await fetch(server.url + path);
      const text = await answer.text();
      expect([path, answer.status]).toEqual([path, 200]);
      expect(text).not.toMatch(/reasoning_content|provider_state|replay|chat[_-]completions/);
    }
  });

  it('a run that was stopped after a result is followed by another message', async () => {
    const session = newSession();
    await agUi(session, 1, [said('u1', 'Browse')], { tools: [BROWSE] });
    await agUi(session, 2, [said('u2', 'Never mind')]);
    expect(model.roles).toBe('suatau');
  });

  it('system texts at odd places are one message of the system and marked texts of the user', async () => {
    const odd = await respond({
      input: [
        { role: 'user', content: 'One' },
        { role: 'assistant', content: 'Two' },
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', content: 'Three' },
      ],
    });
    expect([odd.status, model.roles]).toEqual(['completed', 'suau']);
    expect(model.seen.at(-1)?.at(-1)?.content).toEqual([
      { type: 'text', text: 'Instruction of the application:\nBe brief.' },
      { type: 'text', text: 'Three' },
    ]);
    await agUi(newSession(), 1, [{ id: 's1', role: 'system', content: 'Be kind.' }, said('u1', 'Hello')]);
    expect(model.roles).toBe('su');
    expect(model.seen.at(-1)?.[0]?.content).toContain('Be kind.');
  });
});

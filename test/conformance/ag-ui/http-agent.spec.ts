import { CLIENTS, type ClientVersion, httpAgent, runAgent, type Seen, typesOf } from '../../support/ag-ui-clients.js';
import { agUiOptions, openedWindows, SHOW_MAP } from '../../support/ag-ui-options.js';
import { startServer, type TestServer } from '../../support/server.js';
import { describeOnDatabases } from '../../support/databases.js';
import { behaviour, say } from '../../support/code-agents.js';

type Agent = ReturnType<typeof httpAgent>;

let threads = 0;

function texts(seen: Seen): string {
  return seen.events.map(({ type, delta }) => (type === 'TEXT_MESSAGE_CONTENT' ? String(delta) : '')).join('');
}

function last(seen: Seen): Seen['events'][number] {
  return seen.events.at(-1) as Seen['events'][number];
}

const user = (id: string, content: unknown) => ({ id, role: 'user', content }) as never;

describeOnDatabases('AG-UI', (open) => {
  describe.each(CLIENTS)('@ag-ui/client %s', (version: ClientVersion) => {
    const isV1 = version === '1.0.0';
    const success = { type: 'success' };
    let server: TestServer;

    beforeAll(async () => (server = await startServer(agUiOptions({ database: open }))));
    afterAll(() => server.close());
    afterEach(() => jest.restoreAllMocks());

    function agent(path = '/ag-ui', fields: object = {}): Agent {
      return httpAgent(version, {
        url: `${server.url}${path}`,
        threadId: `thread-${version}-${(threads += 1)}`,
        ...fields,
      });
    }

    async function ask(client: Agent, text: string, fields: object = {}): Promise<Seen> {
      client.addMessage(user(`u${client.messages.length}`, text));
      return runAgent(client, fields);
    }

    it('a conversation is stored once although the client sends its history again', async () => {
      const client = agent();
      const seen = await ask(client, 'plain text');
      expect(typesOf(seen)).toEqual([
        'RUN_STARTED',
        'TEXT_MESSAGE_START',
        'TEXT_MESSAGE_CONTENT',
        'TEXT_MESSAGE_END',
        'RUN_FINISHED',
      ]);
      expect(texts(seen)).toBe('The sky is blue today.');
      expect(last(seen)).toMatchObject({ threadId: client.threadId, outcome: success });
      expect((last(seen)['usage'] as readonly object[])[0]).toMatchObject({ outputTokens: expect.any(Number) });
      expect('protocolVersion' in (seen.events[0] as object)).toBe(isV1);
      await ask(client, 'and then');
      const upstream = server.modelServer.getLastRequest()?.body as { messages: { role: string; content: unknown }[] };
      expect(upstream.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
      expect(client.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    });

    it('the reasoning arrives before the answer', async () => {
      const client = agent();
      const seen = await ask(client, 'reasoned text');
      expect(typesOf(seen).slice(1, 7)).toEqual([
        'REASONING_START',
        'REASONING_MESSAGE_START',
        'REASONING_MESSAGE_CONTENT',
        'REASONING_MESSAGE_END',
        'REASONING_END',
        'TEXT_MESSAGE_START',
      ]);
      expect(client.messages.map(({ role, content }) => [role, content]).slice(1)).toEqual([
        ['reasoning', 'Let me think.'],
        ['assistant', 'So it is.'],
      ]);
    });

    it.each([
      ['one tool', ['call_a']],
      ['two tools', ['call_b', 'call_c']],
    ])('the calls and results of the server’s tools arrive: %s', async (text, calls) => {
      const client = agent();
      const seen = await ask(client, text);
      const results = seen.events.filter(({ type }) => type === 'TOOL_CALL_RESULT');
      expect(results.map(({ toolCallId }) => toolCallId).sort()).toEqual(calls);
      const [, assistant, ...rest] = client.messages as unknown as { role: string; toolCalls?: { id: string }[] }[];
      expect(assistant?.toolCalls?.map(({ id }) => id)).toEqual(calls);
      expect(rest.map(({ role }) => role)).toEqual([...calls.map(() => 'tool'), 'assistant']);
      await ask(client, 'and then');
      const { messages } = server.modelServer.getLastRequest()?.body as { messages: { role: string }[] };
      const expected = ['system', 'user', 'assistant', ...calls.map(() => 'tool'), 'assistant', 'user'];
      expect(messages.map(({ role }) => role)).toEqual(expected);
    });

    it.each([
      ['show the map', 'call_m', 0],
      ['both sides', 'call_n', 1],
    ])('the client runs its own tool: %s', async (text, callId, serverResults) => {
      const client = agent();
      const seen = await ask(client, text, { tools: [SHOW_MAP] });
      expect(seen.events.filter(({ type }) => type === 'TOOL_CALL_RESULT')).toHaveLength(serverResults);
      expect(last(seen)['outcome']).toEqual(isV1 ? { ...success, pendingToolCallIds: [callId] } : success);
      client.addMessage({ id: `result-${callId}`, role: 'tool', toolCallId: callId, content: 'shown' } as never);
      const next = await runAgent(client, { tools: [SHOW_MAP] });
      expect(typesOf(next)).not.toContain('TOOL_CALL_START');
      expect(texts(next)).toMatch(/There it is|Seen and measured/);
      await ask(client, 'and then');
      const { messages } = server.modelServer.getLastRequest()?.body as { messages: { role: string }[] };
      expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(serverResults + 1);
    });

    it('the model is told that a skipped tool call has no result', async () => {
      const client = agent();
      await ask(client, 'show the map', { tools: [SHOW_MAP] });
      const seen = await ask(client, 'and then', { tools: [SHOW_MAP] });
      expect(texts(seen)).toBe('Then it rains.');
      const { messages } = server.modelServer.getLastRequest()?.body as {
        messages: { role: string; content: string }[];
      };
      expect(messages.find(({ role }) => role === 'tool')?.content).toMatch(/cancelled/);
    });

    it('a tool that needs approval runs once it is approved', async () => {
      const client = agent();
      const seen = await ask(client, 'open the window');
      const types = typesOf(seen);
      expect(types.slice(-3)).toEqual(['STATE_SNAPSHOT', 'MESSAGES_SNAPSHOT', 'RUN_FINISHED']);
      const [interrupt] = client.pendingInterrupts;
      expect(interrupt).toMatchObject({ reason: 'tool_call', toolCallId: 'call_w', expiresAt: expect.any(String) });
      const before = openedWindows.length;
      const resume = [{ interruptId: interrupt?.id ?? '', status: 'resolved' as const, payload: { approved: true } }];
      const next = await runAgent(client, { resume });
      expect(openedWindows.slice(before)).toEqual(['kitchen']);
      expect(typesOf(next)).not.toContain('TOOL_CALL_START');
      expect(next.events.find(({ type }) => type === 'TOOL_CALL_RESULT')).toMatchObject({ toolCallId: 'call_w' });
      expect(texts(next)).toBe('Fresh air.');
      expect(client.pendingInterrupts).toEqual([]);
      expect(client.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    });

    it('a tool does not run if its approval is denied or cancelled', async () => {
      const before = openedWindows.length;
      for (const answer of [
        { status: 'resolved' as const, payload: { approved: false } },
        { status: 'cancelled' as const },
      ]) {
        const client = agent();
        await ask(client, 'open the window');
        const [interrupt] = client.pendingInterrupts;
        const seen = await runAgent(client, { resume: [{ interruptId: interrupt?.id ?? '', ...answer }] });
        expect(seen.events.find(({ type }) => type === 'TOOL_CALL_RESULT')).toMatchObject({ toolCallId: 'call_w' });
        expect(last(seen).type).toBe('RUN_FINISHED');
      }
      expect(openedWindows).toHaveLength(before);
    });

    it('a resume must answer all open interrupts and no others', async () => {
      const client = agent();
      await ask(client, 'open both windows');
      const ids = client.pendingInterrupts.map(({ id }) => id);
      expect(ids).toHaveLength(2);
      const answer = (interruptId: string, payload: unknown = { approved: true }) => ({
        interruptId,
        status: 'resolved',
        payload,
      });
      const refused = async (resume: readonly object[] | undefined): Promise<unknown> => {
        const again = agent('/ag-ui', { threadId: client.threadId, initialMessages: client.messages });
        const seen = await runAgent(again, { ...(resume && { resume }) } as never);
        expect(seen.events.map(({ type }) => type)).toEqual(['RUN_ERROR']);
        return last(seen)['code'];
      };
      expect(await refused(undefined)).toBe('INTERRUPT_PENDING');
      expect(await refused([answer(ids[0] ?? '')])).toBe('INTERRUPT_PENDING');
      expect(await refused([...ids.map((id) => answer(id)), answer('nobody')])).toBe('INTERRUPT_NOT_FOUND');
      expect(await refused(ids.map((id) => answer(id, {})))).toBe('INVALID_PARAMETER');
      const resume = ids.map((id) => answer(id)) as never;
      const runId = `resume-${version}`;
      const seen = await runAgent(client, { resume, runId });
      expect(texts(seen)).toBe('A breeze.');
      const count = openedWindows.length;
      const replay = agent('/ag-ui', { threadId: client.threadId });
      replay.setMessages(client.messages.slice(0, 2));
      const replayed = await runAgent(replay, { resume, runId });
      expect(texts(replayed)).toBe('A breeze.');
      expect(openedWindows).toHaveLength(count);
    });

    it('the client and the agent share a state that is stored with the thread', async () => {
      behaviour.current = async function* (context) {
        yield say(context, 'Writing');
        const { title } = context.state.get();
        context.state.patch([{ op: 'add', path: '/lines', value: [`About ${title as string}`] }]);
        context.state.patch([{ op: 'add', path: '/lines/-', value: 'The end' }]);
      };
      const client = agent('/ag-ui/code-fail', { initialState: { title: 'Rain' } });
      const seen = await ask(client, 'write');
      expect(seen.events.map(({ type }) => type).filter((type) => type.startsWith('STATE'))).toEqual([
        'STATE_SNAPSHOT',
        'STATE_DELTA',
        'STATE_DELTA',
      ]);
      const state = { title: 'Rain', lines: ['About Rain', 'The end'] };
      expect(client.state).toEqual(state);
      behaviour.current = async function* (context) {
        yield say(context, JSON.stringify(context.state.get()));
      };
      const other = agent('/ag-ui/code-fail', { threadId: client.threadId });
      expect(JSON.parse(texts(await ask(other, 'read')))).toEqual(state);
      expect(other.state).toEqual(state);
    });

    it('steps, activities and custom events arrive', async () => {
      behaviour.current = async function* (context) {
        context.emit({ object: 'step', name: 'plan', status: 'started' });
        const activity = { object: 'activity', id: 'plan-1', activity_type: 'PLAN' } as const;
        context.emit({ ...activity, kind: 'snapshot', content: { steps: [] } });
        context.emit({ ...activity, kind: 'delta', patch: [{ op: 'add', path: '/steps/-', value: 'look' }] });
        context.emit({ object: 'custom', name: 'mood', value: null });
        yield say(context, 'Done');
        context.emit({ object: 'step', name: 'left open', status: 'started' });
      };
      const client = agent('/ag-ui/code-fail');
      const seen = await ask(client, 'plan');
      expect(typesOf(seen)).toEqual([
        'RUN_STARTED',
        'STEP_STARTED',
        'ACTIVITY_SNAPSHOT',
        'ACTIVITY_DELTA',
        'CUSTOM',
        'TEXT_MESSAGE_START',
        'TEXT_MESSAGE_CONTENT',
        'TEXT_MESSAGE_END',
        'STEP_STARTED',
        'STEP_FINISHED',
        'RUN_FINISHED',
      ]);
      const shown = client.messages.find(({ role }) => role === 'activity');
      expect(shown).toMatchObject({ id: 'plan-1', activityType: 'PLAN', content: { steps: ['look'] } });
      expect((await ask(client, 'again')).events.at(-1)?.type).toBe('RUN_FINISHED');
    });

    it.each([
      ['server error', false],
      ['breaks off', true],
    ])('a failure of the model arrives as RUN_ERROR: %s', async (text, afterText) => {
      const seen = await ask(agent(), text);
      expect(last(seen)).toMatchObject({ type: 'RUN_ERROR', code: expect.stringMatching(/^MODEL_/) });
      expect(JSON.stringify(seen.events)).not.toContain('secret');
      expect(typesOf(seen).includes('TEXT_MESSAGE_CONTENT')).toBe(afterText);
    });

    it('an invalid request is refused with an HTTP status', async () => {
      jest.spyOn(console, 'error').mockImplementation(() => undefined);
      await expect(ask(agent('/ag-ui/nobody'), 'plain text')).rejects.toMatchObject({ status: 404 });
      await expect(ask(agent('/ag-ui/memory'), 'plain text')).rejects.toMatchObject({ status: 404 });
      const client = agent();
      client.addMessage(user('u0', [{ type: 'image', source: { type: 'data', value: 'AAAA' } }]));
      await expect(runAgent(client)).rejects.toThrow(/400|mimeType|invalid/i);
    });

    it('pictures and files reach the model', async () => {
      const client = agent();
      const source = { type: 'data', value: 'AAAA', mimeType: 'image/png' };
      client.addMessage(
        user('u0', [
          { type: 'text', text: 'plain text' },
          { type: 'image', source },
        ]),
      );
      expect(texts(await runAgent(client))).toBe('The sky is blue today.');
      const { messages } = server.modelServer.getLastRequest()?.body as { messages: { content: unknown }[] };
      expect(JSON.stringify(messages.at(-1)?.content)).toContain('data:image/png;base64,AAAA');
    });

    it('a run continues after its client disconnects, until the next message supersedes it', async () => {
      const client = agent();
      client.addMessage(user('u0', 'a long story'));
      const started = new Promise<void>((resolve) => {
        void runAgent(client, {}, { onTextMessageContentEvent: () => resolve() });
      });
      await started;
      client.abortRun();
      const other = agent('/ag-ui', { threadId: client.threadId });
      expect(texts(await ask(other, 'and then'))).toBe('Then it rains.');
    });
  });
});

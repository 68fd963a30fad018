import { CopilotKitCore } from '@copilotkit/core';
import { z } from 'zod';
import { bootAgUi, openedWindows, SHOW_MAP, type AgUiServer } from '../../support/ag-ui-server.js';
import { describeOnDatabases } from '../../support/databases.js';
import { until } from '../../support/wire-app.js';

type Agent = NonNullable<ReturnType<CopilotKitCore['getAgent']>>;

let threads = 0;

const roles = (agent: Agent): string[] => agent.messages.map(({ role }) => role);
const words = (agent: Agent): unknown => agent.messages.at(-1)?.content;

describeOnDatabases('CopilotKit', (open) => {
  describe.each(['rest', 'single'] as const)('@copilotkit/core on the native routes (%s)', (runtimeTransport) => {
    let server: AgUiServer;
    const cores: CopilotKitCore[] = [];

    beforeAll(async () => {
      server = await bootAgUi({}, open);
      // The client asks for a runtime in a page only.
      Object.assign(globalThis, { window: { location: { origin: server.url } } });
    });
    afterAll(async () => {
      Reflect.deleteProperty(globalThis, 'window');
      await server.close();
    });
    afterEach(() => {
      for (const core of cores.splice(0)) core.setRuntimeUrl(undefined);
    });

    /** A page of a browser that opens a thread. */
    async function openPage(
      threadId = `copilot-${runtimeTransport}-${(threads += 1)}`,
    ): Promise<{ core: CopilotKitCore; agent: Agent; errors: unknown[] }> {
      const core = new CopilotKitCore({ runtimeUrl: `${server.url}/copilotkit`, runtimeTransport });
      cores.push(core);
      const errors: unknown[] = [];
      core.subscribe({ onError: (event: unknown) => void errors.push(event) });
      await until(() => core.getAgent('default') !== undefined, 'the list of agents');
      const agent = core.getAgent('default') as Agent;
      agent.threadId = threadId;
      return { core, agent, errors };
    }

    async function ask({ core, agent }: { core: CopilotKitCore; agent: Agent }, text: string): Promise<void> {
      agent.addMessage({ id: `u-${agent.messages.length}`, role: 'user', content: text });
      await core.runAgent({ agent });
    }

    it('chats, and finds the conversation again on another page', async () => {
      const page = await openPage();
      await ask(page, 'plain text');
      expect(words(page.agent)).toBe('The sky is blue today.');
      await ask(page, 'one tool');
      const other = await openPage(page.agent.threadId);
      await other.core.connectAgent({ agent: other.agent });
      expect(roles(other.agent)).toEqual(['user', 'assistant', 'user', 'assistant', 'tool', 'assistant']);
      expect(other.agent.messages).toEqual(page.agent.messages);
      await ask(other, 'and then');
      const { messages } = server.upstream.getLastRequest()?.body as { messages: { role: string }[] };
      expect(messages.filter(({ role }) => role === 'user')).toHaveLength(3);
      expect([...page.errors, ...other.errors]).toEqual([]);
    });

    it('shows nothing for a thread that nobody knows', async () => {
      const page = await openPage();
      await page.core.connectAgent({ agent: page.agent });
      expect([page.agent.messages, page.errors]).toEqual([[], []]);
    });

    it('lets the page run its own tool', async () => {
      const page = await openPage();
      const places: string[] = [];
      page.core.addTool({
        name: SHOW_MAP.name,
        description: SHOW_MAP.description,
        parameters: z.object({ place: z.string() }),
        handler: async ({ place }: { place: string }) => {
          places.push(place);
          return 'shown';
        },
      } as never);
      await ask(page, 'show the map');
      expect(places).toEqual(['Paris']);
      expect(roles(page.agent)).toEqual(['user', 'assistant', 'tool', 'assistant']);
      expect(words(page.agent)).toBe('There it is.');
      const other = await openPage(page.agent.threadId);
      await other.core.connectAgent({ agent: other.agent });
      expect(roles(other.agent)).toEqual(roles(page.agent));
      expect([...page.errors, ...other.errors]).toEqual([]);
    });

    it('asks for a permission; another page finds the question and answers it', async () => {
      const page = await openPage();
      await ask(page, 'open the window');
      const other = await openPage(page.agent.threadId);
      await other.core.connectAgent({ agent: other.agent });
      const [interrupt] = other.agent.pendingInterrupts;
      expect(interrupt).toMatchObject({ id: page.agent.pendingInterrupts[0]?.id, toolCallId: 'call_w' });
      const before = openedWindows.length;
      const resume = [{ interruptId: interrupt?.id ?? '', status: 'resolved' as const, payload: { approved: true } }];
      await other.core.runAgent({ agent: other.agent, resume });
      expect(openedWindows.slice(before)).toEqual(['kitchen']);
      expect(words(other.agent)).toBe('Fresh air.');
      expect([...page.errors, ...other.errors]).toEqual([]);
    });

    it('follows a run that another page has started, and stops it', async () => {
      const page = await openPage();
      const run = ask(page, 'a long story');
      await until(() => String(words(page.agent)).startsWith('Once'), 'the beginning of the story');
      const other = await openPage(page.agent.threadId);
      const connected = other.core.connectAgent({ agent: other.agent });
      await until(() => String(words(other.agent)).startsWith('Once'), 'the story on the other page');
      page.core.stopAgent({ agent: page.agent });
      await Promise.all([run, connected]);
      expect(String(words(other.agent)).length).toBeLessThan('Once upon a time. '.length * 60);
      await ask(other, 'and then');
      expect(words(other.agent)).toBe('Then it rains.');
    });
  });
});

describeOnDatabases('CopilotKit', (open) => {
  describe("CopilotKit's threads", () => {
    let server: AgUiServer;
    const headers = { 'content-type': 'application/json', 'x-user-id': 'alice' };

    beforeAll(async () => (server = await bootAgUi({}, open)));
    afterAll(() => server.close());

    const call = async (method: string, path: string, body?: object, own: object = headers) => {
      const init = { method, headers: own as Record<string, string>, ...(body && { body: JSON.stringify(body) }) };
      const answer = await fetch(`${server.url}/copilotkit${path}`, init);
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };

    const run = (threadId: string, own: object = headers) =>
      fetch(`${server.url}/copilotkit/agent/default/run`, {
        method: 'POST',
        headers: own as Record<string, string>,
        body: JSON.stringify({ threadId, runId: 'r1', messages: [{ id: 'u1', role: 'user', content: 'plain text' }] }),
      }).then((answer) => answer.text());

    it('are listed, inspected, renamed, archived and removed, each by its user', async () => {
      await run('t1');
      await run('t2');
      await run('t3', { 'content-type': 'application/json' });
      const ids = async (path: string, own: object = headers): Promise<unknown> =>
        ((await call('GET', path, undefined, own)).body['threads'] as { id: string }[]).map(({ id }) => id);
      expect(await ids('/threads?agentId=default')).toEqual(['t2', 't1']);
      expect(await ids('/threads?agentId=default', {})).toEqual(['t3']);
      expect(await ids('/threads?agentId=memory')).toEqual([]);
      const { messages } = (await call('GET', '/threads/t1/messages')).body;
      expect(messages).toMatchObject([{ role: 'user' }, { role: 'assistant', content: 'The sky is blue today.' }]);
      const { events } = (await call('GET', '/threads/t1/events')).body as { events: { type: string }[] };
      expect(events.map(({ type }) => type)).toEqual([
        'RUN_STARTED',
        'TEXT_MESSAGE_START',
        'TEXT_MESSAGE_CONTENT',
        'TEXT_MESSAGE_END',
        'RUN_FINISHED',
      ]);
      expect((await call('GET', '/threads/t1/state')).body).toEqual({ state: {} });
      expect((await call('PATCH', '/threads/t1', { name: 'Sky' })).body).toMatchObject({ id: 't1', name: 'Sky' });
      expect((await call('POST', '/threads/t1/archive', {})).body).toMatchObject({ archived: true, name: 'Sky' });
      expect(await ids('/threads?agentId=default')).toEqual(['t2']);
      expect(await ids('/threads?agentId=default&includeArchived=true')).toEqual(['t1', 't2']);
      expect(await call('DELETE', '/threads/t3', {})).toMatchObject({
        status: 404,
        body: { error: 'Thread not found' },
      });
      expect((await call('DELETE', '/threads/t1', {})).status).toBe(200);
      expect((await call('GET', '/threads/t1/messages')).status).toBe(404);
      expect((await call('POST', '/threads/clear', {})).body).toEqual({ deleted: 1 });
    });

    it('answer mistakes in words that the client understands', async () => {
      expect(await call('POST', '/agent/nobody/run', { threadId: 't', runId: 'r', messages: [] })).toMatchObject({
        status: 404,
        body: { error: 'Agent not found', message: 'There is no agent nobody' },
      });
      expect(await call('POST', '/agent/default/run', { runId: 'r', messages: [] })).toMatchObject({
        status: 400,
        body: { error: 'Invalid request body', details: [{ path: 'threadId' }] },
      });
      expect(await call('POST', '/agent/default/stop/nowhere')).toEqual({
        status: 200,
        body: { stopped: false, message: 'No run of this thread is in progress' },
      });
      expect(await call('POST', '', { method: 'dance' })).toMatchObject({ status: 400 });
    });
  });
});

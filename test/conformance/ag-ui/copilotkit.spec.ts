import { CopilotKitCore } from '@copilotkit/core';
import { z } from 'zod';
import { agUiOptions, openedWindows, SHOW_MAP } from '../../support/ag-ui-options.js';
import { startServer, type TestServer } from '../../support/server.js';
import { describeOnDatabases } from '../../support/databases.js';
import { until } from '../../support/until.js';

type Agent = NonNullable<ReturnType<CopilotKitCore['getAgent']>>;

let threads = 0;

const roles = (agent: Agent): string[] => agent.messages.map(({ role }) => role);
const words = (agent: Agent): unknown => agent.messages.at(-1)?.content;

describeOnDatabases('CopilotKit', (open) => {
  describe.each(['rest', 'single'] as const)('@copilotkit/core on the native routes (%s)', (runtimeTransport) => {
    let server: TestServer;
    const cores: CopilotKitCore[] = [];

    beforeAll(async () => {
      server = await startServer(agUiOptions({ database: open }));
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

    it('a chat works, and another page finds the conversation', async () => {
      const page = await openPage();
      await ask(page, 'plain text');
      expect(words(page.agent)).toBe('The sky is blue today.');
      await ask(page, 'one tool');
      const other = await openPage(page.agent.threadId);
      await other.core.connectAgent({ agent: other.agent });
      expect(roles(other.agent)).toEqual(['user', 'assistant', 'user', 'assistant', 'tool', 'assistant']);
      expect(other.agent.messages).toEqual(page.agent.messages);
      await ask(other, 'and then');
      const { messages } = server.modelServer.getLastRequest()?.body as { messages: { role: string }[] };
      expect(messages.filter(({ role }) => role === 'user')).toHaveLength(3);
      expect([...page.errors, ...other.errors]).toEqual([]);
    });

    it('an unknown thread is shown as empty', async () => {
      const page = await openPage();
      await page.core.connectAgent({ agent: page.agent });
      expect([page.agent.messages, page.errors]).toEqual([[], []]);
    });

    it('the page runs its own tool', async () => {
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

    it('an approval can be given on another page', async () => {
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

    it('another page follows a run and stops it', async () => {
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

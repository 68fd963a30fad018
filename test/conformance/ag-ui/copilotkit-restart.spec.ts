import { CopilotKitCore } from '@copilotkit/core';
import { agUiOptions, openedWindows, SHOW_MAP } from '../../support/ag-ui-options.js';
import { startServer, type TestServer } from '../../support/server.js';
import { behaviour, mutter, say, stopped } from '../../support/code-agents.js';
import { describeOnDatabases, type TestDatabase } from '../../support/databases.js';
import { until } from '../../support/until.js';

type Agent = NonNullable<ReturnType<CopilotKitCore['getAgent']>>;

/** A page of a browser that has opened a thread. */
interface Page {
  readonly core: CopilotKitCore;
  readonly agent: Agent;
}

describeOnDatabases('CopilotKit', (open) => {
  describe('@copilotkit/core after a restart of the server', () => {
    const cores: CopilotKitCore[] = [];
    let database: TestDatabase;
    let server: TestServer;

    const boot = () => startServer(agUiOptions({ database, env: { SHUTDOWN_GRACE_MS: '50' } }));

    beforeAll(async () => {
      database = await open();
      server = await boot();
      // The client asks for a runtime in a page only.
      Object.assign(globalThis, { window: { location: { origin: server.url } } });
    });
    afterAll(async () => {
      Reflect.deleteProperty(globalThis, 'window');
      await server.close();
      await database.drop();
    });
    afterEach(() => {
      for (const core of cores.splice(0)) core.setRuntimeUrl(undefined);
    });

    async function openPage(threadId: string, agentId = 'default'): Promise<Page> {
      const core = new CopilotKitCore({ runtimeUrl: `${server.url}/copilotkit` });
      cores.push(core);
      await until(() => core.getAgent(agentId) !== undefined, 'the list of agents');
      const agent = core.getAgent(agentId) as Agent;
      agent.threadId = threadId;
      return { core, agent };
    }

    async function reopened(threadId: string, agentId?: string): Promise<Page> {
      const page = await openPage(threadId, agentId);
      await page.core.connectAgent({ agent: page.agent });
      return page;
    }

    async function ask({ core, agent }: Page, content: string): Promise<void> {
      agent.addMessage({ id: `u-${agent.messages.length}`, role: 'user', content });
      await core.runAgent({ agent });
    }

    async function restart(): Promise<void> {
      await server.close();
      server = await boot();
    }

    const texts = ({ agent }: Page): unknown[] => agent.messages.map(({ content }) => content);

    it('two tabs get the same conversation, however often they connect', async () => {
      const page = await openPage('again-1');
      await ask(page, 'one tool');
      await restart();
      const [one, two] = [await reopened('again-1'), await reopened('again-1')];
      await one.core.connectAgent({ agent: one.agent });
      expect(one.agent.messages).toEqual(page.agent.messages);
      expect(two.agent.messages).toEqual(page.agent.messages);
      await ask(two, 'and then');
      await one.core.connectAgent({ agent: one.agent });
      expect(texts(one)).toEqual(texts(two));
      expect(texts(one).at(-1)).toBe('Then it rains.');
    });

    it('an interrupt from before the restart can be answered', async () => {
      await ask(await openPage('again-2'), 'open the window');
      await restart();
      const page = await reopened('again-2');
      const before = openedWindows.length;
      const resume = page.agent.pendingInterrupts.map(({ id: interruptId }) => ({
        interruptId,
        status: 'resolved' as const,
        payload: { approved: true },
      }));
      expect(resume).toHaveLength(1);
      await page.core.runAgent({ agent: page.agent, resume });
      expect(openedWindows.slice(before)).toEqual(['kitchen']);
      expect(texts(page).at(-1)).toBe('Fresh air.');
      expect((await reopened('again-2')).agent.pendingInterrupts).toEqual([]);
    });

    it('the page can return the result of a tool call from before the restart', async () => {
      const before = await openPage('again-3');
      before.agent.addMessage({ id: 'u-0', role: 'user', content: 'show the map' });
      await before.agent.runAgent({ tools: [SHOW_MAP] });
      await restart();
      const page = await reopened('again-3');
      expect(page.agent.messages).toEqual(before.agent.messages);
      page.agent.addMessage({ id: 't-0', role: 'tool', toolCallId: 'call_m', content: 'shown' });
      await page.core.runAgent({ agent: page.agent });
      expect(texts(page).at(-1)).toBe('There it is.');
    });

    it('a page follows a run that continues after the restart to its end', async () => {
      let executions = 0;
      behaviour.current = async function* (context) {
        executions += 1;
        if (executions > 1) {
          yield say(context, 'Here I am again.');
          return;
        }
        yield mutter(context, 'I will be ba');
        await stopped(context);
      };
      const page = await openPage('again-4', 'code-journal');
      const codes: unknown[] = [];
      page.agent.subscribe({ onRunErrorEvent: ({ event }) => void codes.push(event.code) });
      const running = ask(page, 'talk').catch(() => undefined);
      await until(() => texts(page).at(-1) === 'I will be ba', 'the beginning');
      await restart();
      await running;
      expect(codes).toEqual(['SHUTTING_DOWN']);
      const other = await reopened('again-4', 'code-journal');
      expect(texts(other)).toEqual(['talk', 'Here I am again.']);
      // A page that still shows what the cut stream had said.
      const { agent } = await openPage('again-4', 'code-journal');
      agent.setMessages(page.agent.messages);
      await agent.connectAgent({});
      expect(agent.messages.map(({ content }) => content)).toEqual(['talk', 'Here I am again.']);
    });
  });
});

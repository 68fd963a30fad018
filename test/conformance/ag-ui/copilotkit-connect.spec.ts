import { HttpAgent } from '@ag-ui/client';
import { RemovalTransaction } from '../../../src/run/end/remove-runs.js';
import { RunPruning } from '../../../src/run/end/prune-runs.js';
import { RunLedger } from '../../../src/run/run-ledger.js';
import { runAgent } from '../../support/ag-ui-clients.js';
import { agUiOptions, openedWindows, SHOW_MAP } from '../../support/ag-ui-options.js';
import { startServer, type TestServer } from '../../support/server.js';
import { behaviour, say } from '../../support/code-agents.js';
import { describeOnDatabases } from '../../support/databases.js';
import { pruneRuns } from '../../support/ledger.js';

type Event = Record<string, unknown> & { readonly type: string };

const JSON_BODY = { 'content-type': 'application/json' };

/** The events that the text of a stream holds. */
function eventsOf(text: string): Event[] {
  return text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6)) as Event] : []));
}

describeOnDatabases('CopilotKit', (open) => {
  describe('a CopilotKit thread whose events were removed', () => {
    let server: TestServer;

    beforeAll(async () => (server = await startServer(agUiOptions({ database: open }))));
    afterAll(() => server.close());

    const connect = async (body: object): Promise<Event[]> => {
      const init = { method: 'POST', headers: JSON_BODY, body: JSON.stringify(body) };
      const answer = await fetch(`${server.url}/copilotkit/agent/default/connect`, init);
      expect(answer.status).toBe(200);
      return eventsOf(await answer.text());
    };

    /** Runs a text in a thread and forgets the events of all runs. */
    async function pruned(threadId: string, texts: readonly string[], initialState?: object): Promise<HttpAgent> {
      const client = new HttpAgent({ url: `${server.url}/ag-ui`, threadId, ...(initialState && { initialState }) });
      for (const [index, content] of texts.entries()) {
        client.addMessage({ id: `u${index}`, role: 'user', content });
        await runAgent(client);
      }
      await prune();
      return client;
    }

    async function prune(): Promise<void> {
      await pruneRuns(server.get(RunLedger), server.get(RemovalTransaction));
    }

    /** What a page shows that opens the thread. */
    async function opened(threadId: string): Promise<HttpAgent> {
      const page = new HttpAgent({ url: `${server.url}/copilotkit/agent/default/connect`, threadId });
      await runAgent(page);
      return page;
    }

    it('a page gets the messages under their original ids', async () => {
      const { messages } = await pruned('pruned-1', ['one tool', 'plain text']);
      expect((await opened('pruned-1')).messages).toEqual(messages);
      const events = await connect({ threadId: 'pruned-1' });
      expect(events.map(({ type }) => type)).toEqual(['RUN_STARTED', 'RUN_FINISHED', 'RUN_STARTED', 'RUN_FINISHED']);
    });

    it('a page gets the current shared state', async () => {
      await pruned('pruned-2', ['plain text'], { title: 'Rain' });
      expect((await opened('pruned-2')).state).toEqual({ title: 'Rain' });
    });

    it('a page that connects during a run gets the run from its beginning, even if it already has a part', async () => {
      let goOn: () => void = () => undefined;
      const gate = new Promise<void>((resolve) => (goOn = resolve));
      behaviour.current = async function* (context) {
        const text = context.response.createMessageBuilder().createContentBuilder();
        yield text.addTextDelta('One, ');
        await gate;
        yield text.addTextDelta('two.');
      };
      const threadId = 'live-1';
      const client = new HttpAgent({ url: `${server.url}/ag-ui/code-fail`, threadId });
      client.addMessage({ id: 'u1', role: 'user', content: 'count' });
      let run: Promise<unknown> = Promise.resolve();
      await new Promise<void>((begun) => {
        run = runAgent(client, {}, { onTextMessageContentEvent: () => begun() });
      });
      const url = `${server.url}/copilotkit/agent/default/connect`;
      const mine = { id: 'draft', role: 'user', content: 'not sent yet' } as const;
      const page = new HttpAgent({ url, threadId, initialMessages: [...structuredClone(client.messages), mine] });
      await runAgent(page, {}, { onTextMessageContentEvent: () => goOn() });
      await run;
      expect(page.messages.map(({ content }) => content).sort()).toEqual(['One, two.', 'count', 'not sent yet']);
      expect(client.messages.map(({ content }) => content)).toEqual(['count', 'One, two.']);
    });

    it('the connect stream holds the state after each run', async () => {
      behaviour.current = async function* (context) {
        context.state.patch([{ op: 'add', path: '/count', value: Number(context.state.get()['count'] ?? 0) + 1 }]);
        yield say(context, 'Counted.');
      };
      const client = new HttpAgent({ url: `${server.url}/ag-ui/code-fail`, threadId: 'pruned-7' });
      for (const id of ['u1', 'u2']) {
        client.addMessage({ id, role: 'user', content: 'count' });
        await runAgent(client);
      }
      await server.get(RunPruning).prune(Date.now() + 1, 100);
      const states = (await connect({ threadId: 'pruned-7' })).flatMap(({ type, snapshot }) =>
        type === 'STATE_SNAPSHOT' ? [snapshot] : [],
      );
      expect(states).toEqual([{ count: 1 }, { count: 2 }]);
    });

    it('the open interrupts of the last run are shown and can be answered', async () => {
      await pruned('pruned-5', ['plain text', 'open both windows'], { title: 'Rain' });
      const page = await opened('pruned-5');
      expect(page.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
      expect(page.state).toEqual({ title: 'Rain' });
      expect(page.pendingInterrupts).toMatchObject([
        { reason: 'tool_call', toolCallId: 'call_x', responseSchema: {}, expiresAt: expect.any(String) },
        { reason: 'tool_call', toolCallId: 'call_y' },
      ]);
      const events = (await connect({ threadId: 'pruned-5', protocolVersion: '1.0' })).map(({ type }) => type);
      expect(events.slice(-4)).toEqual(['RUN_STARTED', 'STATE_SNAPSHOT', 'MESSAGES_SNAPSHOT', 'RUN_FINISHED']);
      const before = openedWindows.length;
      const client = new HttpAgent({ url: `${server.url}/ag-ui`, threadId: 'pruned-5' });
      const resume = page.pendingInterrupts.map(({ id: interruptId }) => ({
        interruptId,
        status: 'resolved' as const,
        payload: { approved: true },
      }));
      await runAgent(client, { resume });
      expect(openedWindows.slice(before).sort()).toEqual(['attic', 'kitchen']);
      expect((await opened('pruned-5')).pendingInterrupts).toEqual([]);
    });

    it('a pending tool call of the page is shown and can be answered', async () => {
      const threadId = 'pruned-6';
      const client = new HttpAgent({ url: `${server.url}/ag-ui`, threadId });
      client.addMessage({ id: 'u0', role: 'user', content: 'show the map' });
      await runAgent(client, { tools: [SHOW_MAP] });
      await prune();
      const events = await connect({ threadId, protocolVersion: '1.0' });
      expect(events.at(-1)).toMatchObject({ outcome: { type: 'success', pendingToolCallIds: ['call_m'] } });
      const page = await opened(threadId);
      expect(page.messages).toEqual(client.messages);
      page.addMessage({ id: 't1', role: 'tool', toolCallId: 'call_m', content: 'shown' });
      const next = new HttpAgent({ url: `${server.url}/ag-ui`, threadId, initialMessages: page.messages });
      await runAgent(next, { tools: [SHOW_MAP] });
      expect(next.messages.at(-1)).toMatchObject({ content: 'There it is.' });
    });

    it('the failure of the last run is shown', async () => {
      await pruned('pruned-4', ['server error']);
      const events = await connect({ threadId: 'pruned-4', runId: null, messages: null });
      expect(events.map(({ type, code }) => [type, code])).toEqual([
        ['RUN_STARTED', undefined],
        ['RUN_ERROR', expect.stringMatching(/^MODEL_/)],
      ]);
    });
  });
});

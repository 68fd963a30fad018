import { HttpAgent } from '@ag-ui/client';
import { RunRemover } from '../../../src/run/ports/run-remover.js';
import { runAgent } from '../../support/ag-ui-clients.js';
import { bootAgUi, type AgUiServer } from '../../support/ag-ui-server.js';
import { describeOnDatabases } from '../../support/databases.js';
import { pruneRuns } from '../../support/ledger.js';

type Event = Record<string, unknown> & { readonly type: string };

const JSON_BODY = { 'content-type': 'application/json' };

/** The events that the text of a stream holds. */
function eventsOf(text: string): Event[] {
  return text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6)) as Event] : []));
}

describeOnDatabases('CopilotKit', (open) => {
  describe('a thread of which no events are kept', () => {
    let server: AgUiServer;

    beforeAll(async () => (server = await bootAgUi({}, open)));
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
      await pruneRuns(server.app.app.get(RunRemover, { strict: false }), Date.now() + 1, Date.now(), 100);
      return client;
    }

    /** What a page shows that opens the thread. */
    async function opened(threadId: string): Promise<HttpAgent> {
      const page = new HttpAgent({ url: `${server.url}/copilotkit/agent/default/connect`, threadId });
      await runAgent(page);
      return page;
    }

    it('shows its messages, under the ids they had', async () => {
      const { messages } = await pruned('pruned-1', ['one tool', 'plain text']);
      expect((await opened('pruned-1')).messages).toEqual(messages);
      const events = await connect({ threadId: 'pruned-1' });
      expect(events.map(({ type }) => type)).toEqual(['RUN_STARTED', 'RUN_FINISHED', 'RUN_STARTED', 'RUN_FINISHED']);
    });

    it('shows the shared state as it is', async () => {
      await pruned('pruned-2', ['plain text'], { title: 'Rain' });
      expect((await opened('pruned-2')).state).toEqual({ title: 'Rain' });
    });

    it('shows how its last run failed', async () => {
      await pruned('pruned-4', ['server error']);
      const events = await connect({ threadId: 'pruned-4', runId: null, messages: null });
      expect(events.map(({ type, code }) => [type, code])).toEqual([
        ['RUN_STARTED', undefined],
        ['RUN_ERROR', expect.stringMatching(/^MODEL_/)],
      ]);
    });
  });
});

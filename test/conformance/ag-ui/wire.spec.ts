import { BinaryAgent, PROTO } from '../../support/ag-ui-clients.js';
import { agUiOptions } from '../../support/ag-ui-options.js';
import { startServer, type TestServer } from '../../support/server.js';
import { describeOnDatabases } from '../../support/databases.js';

describeOnDatabases('AG-UI', (open) => {
  describe('POST /ag-ui', () => {
    let server: TestServer;
    let threads = 0;

    beforeAll(async () => (server = await startServer(agUiOptions({ database: open }))));
    afterAll(() => server.close());

    const post = (fields: object = {}, headers: Record<string, string> = {}, query = '') => {
      const messages = [{ id: 'u1', role: 'user', content: 'plain text' }];
      return fetch(`${server.url}/ag-ui${query}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ threadId: `wire-${(threads += 1)}`, runId: 'r1', messages, ...fields }),
      });
    };

    it.each([
      ['a client of before 1.0 gets both', {}, '', true, true],
      ['a 1.0 client gets camelCase', { protocolVersion: '1.0' }, '', true, false],
      ['who asks for snake_case gets it', {}, '?key_case=snake', false, true],
    ])('keys are written as the client needs them: %s', async (_, fields, query, camel, snake) => {
      const text = await (await post(fields, {}, query)).text();
      expect([text.includes('"threadId"'), text.includes('"thread_id"')]).toEqual([camel, snake]);
      expect(text).toMatch(/^id: 1\ndata: \{"type":"RUN_STARTED"/);
      expect(text).not.toMatch(/\r|\[DONE\]|:null/);
    });

    it.each(['a\0b', 'a\ud800', 'u'.repeat(257)])(
      'a user id that a database cannot store is refused: %j',
      async (user_id) => {
        const answer = await post({ forwardedProps: { user_id } });
        expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([400, 'INVALID_PARAMETER']);
      },
    );

    it('forwardedProps.agent_type selects a public agent', async () => {
      const statusOf = async (agent_type: unknown): Promise<number> => {
        const answer = await post({ forwardedProps: { agent_type } });
        await answer.text();
        return answer.status;
      };
      for (const known of ['worker', 'code-fail', 'default', null]) expect(await statusOf(known)).toBe(200);
      for (const unknown of ['memory', 'nobody', '']) expect(await statusOf(unknown)).toBe(404);
      expect(await statusOf(5)).toBe(400);
    });

    it('the binary stream is sent only if the Accept header names it', async () => {
      const answer = await post({}, { accept: PROTO });
      expect(answer.headers.get('content-type')).toBe(PROTO);
      // Proxies neither hold it back nor change it.
      expect(answer.headers.get('x-accel-buffering')).toBe('no');
      expect(answer.headers.get('cache-control')).toBe('no-cache, no-transform');
      for (const accept of ['*/*', 'application/*', `text/event-stream, ${PROTO};q=0.5`, `${PROTO};q=0`]) {
        const text = await post({}, { accept });
        expect(text.headers.get('content-type')).toMatch(/^text\/event-stream/);
        await text.text();
      }
      await answer.arrayBuffer();
      const agent = new BinaryAgent({ url: `${server.url}/ag-ui`, threadId: 'binary' });
      agent.addMessage({ id: 'u1', role: 'user', content: 'one tool' });
      await agent.runAgent();
      expect(agent.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    });

    it('a repeated request is replayed, another request under its id is refused, and the run can be watched from any frame', async () => {
      const first = await post({ threadId: 'again' });
      const text = await first.text();
      expect(await (await post({ threadId: 'again' })).text()).toBe(text);
      const other = await post({ threadId: 'again', messages: [{ id: 'u1', role: 'user', content: 'other' }] });
      expect([other.status, ((await other.json()) as { code: string }).code]).toEqual([409, 'RUN_ID_CONFLICT']);
      const location = first.headers.get('content-location') ?? '';
      const rest = await (await fetch(`${server.url}${location}&after=2`)).text();
      expect(rest).toMatch(/^id: 3\n/);
      expect(rest).toContain('"type":"RUN_FINISHED"');
    });

    it('a second run of a busy thread is refused if the request says so', async () => {
      const threadId = 'busy';
      const messages = [{ id: 'u1', role: 'user', content: 'a long story' }];
      const first = await post({ threadId, messages });
      const reader = first.body?.getReader();
      await reader?.read();
      const second = await post({ threadId, runId: 'r2' }, {}, '?multitask=reject');
      expect([second.status, ((await second.json()) as { code: string }).code]).toEqual([409, 'SESSION_BUSY']);
      await reader?.cancel();
      await (await post({ threadId, runId: 'r3' })).text();
    });
  });
});

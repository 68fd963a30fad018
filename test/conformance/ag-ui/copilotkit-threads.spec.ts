import { Runs } from '../../../src/run/index.js';
import { itWithoutAuthentication } from '../../support/caller.js';
import { agUiOptions } from '../../support/ag-ui-options.js';
import { startServer, type TestServer } from '../../support/server.js';
import { behaviour, mutter, stopped, writes } from '../../support/code-agents.js';
import { describeOnDatabases } from '../../support/databases.js';

describeOnDatabases('CopilotKit', (open) => {
  describe('threads of CopilotKit', () => {
    let server: TestServer;
    const headers = { 'content-type': 'application/json', 'x-user-id': 'alice' };

    beforeAll(async () => (server = await startServer(agUiOptions({ database: open }))));
    afterAll(() => server.close());

    const call = async (method: string, path: string, body?: object, own: object = headers) => {
      const init = { method, headers: own as Record<string, string>, ...(body && { body: JSON.stringify(body) }) };
      const answer = await fetch(`${server.url}/copilotkit${path}`, init);
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };

    let threads = 0;

    const run = (threadId: string, own: object = headers, agentId = 'default') =>
      fetch(`${server.url}/copilotkit/agent/${agentId}/run`, {
        method: 'POST',
        headers: own as Record<string, string>,
        body: JSON.stringify({ threadId, runId: 'r1', messages: [{ id: 'u1', role: 'user', content: 'plain text' }] }),
      }).then((answer) => answer.text());

    it('a user can list, inspect, rename, archive and remove own threads only', async () => {
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
      expect((await call('DELETE', '/threads/t1')).status).toBe(200);
      expect((await call('GET', '/threads/t1/messages')).status).toBe(404);
    });

    it('pages are full whatever the filters leave out, and each of them is one query', async () => {
      const carol = { ...headers, 'x-user-id': 'carol' };
      for (const id of ['p1', 'p2', 'p3', 'p4', 'p5']) await run(id, carol);
      behaviour.current = writes('Hello');
      await run('p6', carol, 'code-fail');
      for (const id of ['p2', 'p4']) await call('POST', `/threads/${id}/archive`, undefined, carol);
      const list = jest.spyOn(server.get(Runs), 'list');
      const page = async (query: string) => {
        const { body } = await call('GET', `/threads?agentId=default&limit=2${query}`, undefined, carol);
        return [(body['threads'] as { id: string }[]).map(({ id }) => id), body['nextCursor']] as const;
      };
      const [first, cursor] = await page('');
      expect(first).toEqual(['p5', 'p3']);
      expect(cursor).toEqual(expect.any(String));
      expect(await page(`&cursor=${cursor as string}`)).toEqual([['p1'], null]);
      expect((await page('&includeArchived=true'))[0]).toEqual(['p4', 'p2']);
      expect(list).not.toHaveBeenCalled();
      list.mockRestore();
    });

    itWithoutAuthentication('clearing needs a user', async () => {
      expect(await call('POST', '/threads/clear', {}, { 'content-type': 'application/json' })).toMatchObject({
        status: 400,
        body: { error: 'Invalid request body', details: [{ path: 'X-User-Id' }] },
      });
    });

    it('clearing removes the threads of the user only, of one agent if the request names one', async () => {
      const bob = { ...headers, 'x-user-id': 'bob' };
      const nobody = { 'content-type': 'application/json' };
      behaviour.current = writes('Hello');
      for (const [threadId, own] of [
        ['c1', bob],
        ['c2', bob],
        ['c3', headers],
        ['c4', nobody],
      ] as const) {
        await run(threadId, own);
      }
      await run('c5', bob, 'code-fail');
      expect(await call('POST', '/threads/clear', { agentId: 7 }, bob)).toMatchObject({ status: 400 });
      expect(await call('POST', '/threads/clear', { agentId: 'code-fail' }, bob)).toMatchObject({
        body: { deleted: 1 },
      });
      expect(await call('POST', '/threads/clear?agentId=memory', undefined, bob)).toMatchObject({
        body: { deleted: 0 },
      });
      expect(await call('POST', '/threads/clear', undefined, bob)).toMatchObject({ status: 200, body: { deleted: 2 } });
      for (const [path, own] of [
        ['c3', headers],
        ['c4', nobody],
      ] as const) {
        expect((await call('GET', `/threads/${path}/messages`, undefined, own)).status).toBe(200);
      }
    });

    it('archiving and removing need no body, even if JSON is declared', async () => {
      await run('b1');
      expect(await call('POST', '/threads/b1/archive')).toMatchObject({ status: 200, body: { archived: true } });
      expect(await call('DELETE', '/threads/b1')).toMatchObject({ status: 200, body: { deleted: true } });
      expect(await call('DELETE', '/threads/b1')).toMatchObject({ status: 404 });
    });

    it.each([{ runId: 7 }, { run_id: 7 }, { runId: ['r1'] }, { runId: {} }, { runId: '' }, [], ['r1']])(
      'a stop request with an invalid run is refused and stops nothing: %j',
      async (body) => {
        behaviour.current = async function* (context) {
          yield mutter(context, 'Once');
          await stopped(context);
        };
        const threadId = `s-${(threads += 1)}`;
        const input = { threadId, runId: 'r1', messages: [{ id: 'u1', role: 'user', content: 'talk' }] };
        const init = { method: 'POST', headers, body: JSON.stringify(input) };
        const answer = await fetch(`${server.url}/copilotkit/agent/code-fail/run`, init);
        const stop = `/agent/code-fail/stop/${threadId}`;
        expect(await call('POST', stop, body)).toMatchObject({ status: 400, body: { error: 'Invalid request body' } });
        const single = { method: 'agent/stop', params: { agentId: 'code-fail', threadId }, body };
        expect(await call('POST', '', single)).toMatchObject({ status: 400 });
        expect((await call('POST', stop, { run_id: 'r0' })).body).toMatchObject({ stopped: false });
        expect((await call('POST', stop, { runId: 'r1' })).body).toMatchObject({ stopped: true });
        expect(await answer.text()).toContain('RUN_FINISHED');
      },
    );

    it('invalid requests are answered in the error format of the client', async () => {
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

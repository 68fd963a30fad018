import { FailingCodeAgent, JournalingCodeAgent, behaviour, mutter, say, stopped } from '../../support/code-agents.js';
import { describeOnDatabases } from '../../support/databases.js';
import { expectWhole, runInput, RunsClient, type RunState } from '../../support/runs-client.js';
import { startServer, type TestServer } from '../../support/server.js';

interface Page {
  readonly items: readonly RunState[];
  readonly nextCursor?: string;
}

describeOnDatabases('the state of a run on the Runs API', (open) => {
  let server: TestServer;
  let client: RunsClient;
  const code = { forwardedProps: { agent_type: 'code-fail' } };

  beforeAll(async () => {
    server = await startServer({ database: open, providers: [FailingCodeAgent, JournalingCodeAgent] });
    client = new RunsClient(server.url);
  });
  afterAll(() => server.close());

  function busy(): void {
    behaviour.current = async function* (context) {
      yield mutter(context, 'I am busy');
      await context.flush();
      await stopped(context);
    };
  }

  it('a run can be read by thread, by run and by task', async () => {
    const input = runInput('hello', { parentRunId: 'run-0' });
    const { taskId, threadId } = (await client.submit(input)).body;
    const view = await client.ended(threadId, 'run-1');
    const events = await (await client.events(threadId)).all();
    expect(view).toEqual({
      taskId,
      threadId,
      runId: 'run-1',
      parentRunId: 'run-0',
      agentType: 'worker',
      status: 'succeeded',
      attempt: 1,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      startedAt: expect.stringMatching(/Z$/),
      finishedAt: expect.stringMatching(/Z$/),
      lastEventId: events.last.id,
      lastSeq: events.frames.length,
      queuePosition: null,
      cancelRequestedAt: null,
      error: null,
      usage: { inputTokens: expect.any(Number), outputTokens: expect.any(Number), totalTokens: expect.any(Number) },
    });
    expect((await client.json('GET', `/tasks/${taskId}`)).body).toEqual(view);
    expect((await client.json('GET', `/runs/${threadId}`)).body).toEqual({ items: [view] });
    for (const path of ['/tasks/none', `/runs/${threadId}/none`, `/runs/${threadId}/${taskId}`]) {
      expect((await client.json('GET', path)).status).toBe(404);
    }
  });

  it('a run id may hold any characters', async () => {
    for (const runId of ['a/b?c#d e%2F', '晴'.repeat(128), '😀'.repeat(128), '..%00']) {
      const { threadId } = (await client.submit(runInput('hello', { runId }))).body;
      expect((await client.ended(threadId, runId)).runId).toBe(runId);
      const stream = await client.events(threadId, `?runId=${encodeURIComponent(runId)}`);
      await expectWhole(await stream.all());
    }
  });

  it('a failed run holds its error without secrets', async () => {
    behaviour.current = async function* (context) {
      yield say(context, 'Well.');
      throw new Error('secret');
    };
    const { threadId } = (await client.submit(runInput('x', code))).body;
    const view = await client.ended(threadId, 'run-1');
    expect(view).toMatchObject({ status: 'failed', error: { code: 'agent_error' } });
    expect(JSON.stringify(view)).not.toContain('secret');
  });

  it('a request can wait for the end of a run', async () => {
    busy();
    const { threadId } = (await client.submit(runInput('x', code))).body;
    await (await client.events(threadId)).until(({ text }) => text !== '');
    const now = await client.view(threadId, 'run-1');
    expect(now.body.status).toBe('running');
    const etag = now.headers.get('etag') ?? '';
    expect(etag).toBe(`"${now.body.lastSeq}-running"`);
    const path = `/runs/${threadId}/run-1`;
    expect((await client.json('GET', path, undefined, { 'if-none-match': etag })).status).toBe(304);
    // Another status than the one of the tag is an answer at once, the same is waited for.
    for (const tags of [`W/${etag}`, `"a", ${etag}`, '*']) {
      expect((await client.json('GET', path, undefined, { 'if-none-match': tags })).status).toBe(304);
    }
    for (const tags of ['"0-running"', 'a', '', etag.slice(1, -1)]) {
      expect((await client.json('GET', path, undefined, { 'if-none-match': tags })).status).toBe(200);
    }
    const other = await client.json<RunState>('GET', `${path}?wait=55`, undefined, { 'if-none-match': '"0-queued"' });
    expect(other.body.status).toBe('running');
    const waiting = client.json<RunState>('GET', `${path}?wait=55`, undefined, { 'if-none-match': etag });
    expect((await client.json('GET', `${path}?wait=1`, undefined, { 'if-none-match': etag })).status).toBe(304);
    await client.json('POST', `${path}/cancel`);
    expect(['cancelling', 'cancelled']).toContain((await waiting).body.status);
    expect((await client.ended(threadId, 'run-1')).status).toBe('cancelled');
    for (const wait of ['56', '-1', '1.5', 'x']) {
      expect((await client.json('GET', `${path}?wait=${wait}`)).status).toBe(400);
    }
  });

  it('runs are listed in pages, newest first, and by status', async () => {
    busy();
    const { threadId } = (await client.submit(runInput('x', code))).body;
    for (const runId of ['run-2', 'run-3', 'run-4']) await client.submit(runInput('hello', { threadId, runId }));
    await client.json('POST', `/runs/${threadId}/run-1/cancel`);
    await client.ended(threadId, 'run-4');
    const page = async (query: string) => {
      const { body } = await client.json<Page>('GET', `/runs/${threadId}${query}`);
      return { ids: body.items.map(({ runId }) => runId), next: body.nextCursor };
    };
    expect(await page('')).toEqual({ ids: ['run-4', 'run-3', 'run-2', 'run-1'], next: undefined });
    const first = await page('?limit=3');
    expect(first.ids).toEqual(['run-4', 'run-3', 'run-2']);
    expect(await page(`?limit=3&cursor=${first.next}`)).toEqual({ ids: ['run-1'], next: undefined });
    expect(await page('?status=cancelled')).toEqual({ ids: ['run-1'], next: undefined });
    const some = await page('?status=succeeded&limit=2');
    expect(some.ids).toEqual(['run-4', 'run-3']);
    expect((await page(`?status=succeeded&limit=2&cursor=${some.next}`)).ids).toEqual(['run-2']);
    expect((await page('?status=timed_out')).ids).toEqual([]);
    for (const query of ['?limit=0', '?limit=101', '?status=done', '?cursor=x']) {
      expect((await client.json('GET', `/runs/${threadId}${query}`)).status).toBe(400);
    }
  });
});

describeOnDatabases('cancelling on the Runs API', (open) => {
  let server: TestServer;
  let client: RunsClient;
  const code = { forwardedProps: { agent_type: 'code-fail' } };

  beforeAll(async () => {
    server = await startServer({ database: open, providers: [FailingCodeAgent] });
    client = new RunsClient(server.url);
    behaviour.current = async function* (context) {
      yield mutter(context, 'I am busy');
      await context.flush();
      await stopped(context);
    };
  });
  afterAll(() => server.close());

  async function running(): Promise<string> {
    const { threadId } = (await client.submit(runInput('be busy', code))).body;
    await (await client.events(threadId)).until(({ text }) => text !== '');
    return threadId;
  }

  it('a cancel stops a run once and does not change a run that has ended', async () => {
    const threadId = await running();
    const path = `/runs/${threadId}/run-1/cancel`;
    const first = await client.json<RunState>('POST', path);
    expect(first.status).toBe(202);
    expect(['cancelling', 'cancelled']).toContain(first.body.status);
    const view = await client.ended(threadId, 'run-1');
    expect(view.status).toBe('cancelled');
    const again = await client.json<RunState>('POST', path, {});
    expect([again.status, again.body]).toEqual([200, view]);
    const events = await (await client.events(threadId)).all();
    await expectWhole(events);
    expect(events.last.event).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } });
  });

  it('a cancel can wait for the end, and a queued run ends at once', async () => {
    const threadId = await running();
    await client.submit(runInput('hello', { threadId, runId: 'run-2' }));
    const queued = await client.json<RunState>('POST', `/runs/${threadId}/run-2/cancel`, { wait: true });
    expect([queued.status, queued.body.status]).toEqual([200, 'cancelled']);
    const events = await (await client.events(threadId, '?runId=run-2')).all();
    await expectWhole(events, 2);
    expect(events.events.map(({ type }) => type)).toEqual(['RUN_STARTED', 'RUN_FINISHED']);
    const first = await client.json<RunState>('POST', `/runs/${threadId}/run-1/cancel`, { wait: true });
    expect([first.status, first.body.status]).toEqual([200, 'cancelled']);
  });

  it('a cancel with rollback removes the messages of the run', async () => {
    const threadId = await running();
    await client.json('POST', `/runs/${threadId}/run-1/cancel`, { mode: 'rollback', wait: true });
    await client.submit(runInput('hello', { threadId, runId: 'run-2' }));
    await client.ended(threadId, 'run-2');
    const snapshot = await (await client.events(threadId, '?from=snapshot')).all();
    expect(JSON.stringify(snapshot.events)).not.toContain('be busy');
  });

  it('an invalid cancel is refused', async () => {
    const { threadId } = (await client.submit(runInput('hello'))).body;
    for (const body of [{ mode: 'destroy' }, { wait: 'yes' }, []]) {
      expect((await client.json('POST', `/runs/${threadId}/run-1/cancel`, body)).status).toBe(400);
    }
    expect((await client.json('POST', `/runs/${threadId}/none/cancel`)).status).toBe(404);
  });
});

describeOnDatabases('resuming on the Runs API', (open) => {
  let server: TestServer;
  let client: RunsClient;

  beforeAll(async () => {
    server = await startServer({ database: open, providers: [JournalingCodeAgent] });
    client = new RunsClient(server.url);
    behaviour.current = async function* (context) {
      const answer = await context.interrupt({
        reason: 'input_required',
        message: 'Which city?',
        responseSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      });
      yield say(context, `You said ${JSON.stringify(answer)}`);
    };
  });
  afterAll(() => server.close());

  async function interrupted(): Promise<{ threadId: string; interruptId: string }> {
    const stream = await (await client.stream(runInput('x', { forwardedProps: { agent_type: 'code-journal' } }))).all();
    await expectWhole(stream);
    const { event } = stream.last;
    const outcome = event.type === 'RUN_FINISHED' ? event.outcome : undefined;
    const [started] = stream.events;
    if (outcome?.type !== 'interrupt' || started?.type !== 'RUN_STARTED') throw new Error('not interrupted');
    return { threadId: started.threadId, interruptId: outcome.interrupts[0]?.id ?? '' };
  }

  it('an answer continues the agent in a new run', async () => {
    const { threadId, interruptId } = await interrupted();
    expect((await client.view(threadId, 'run-1')).body.status).toBe('interrupted');
    const path = `/runs/${threadId}/run-1/resume`;
    const body = { runId: 'run-2', resume: [{ interruptId, status: 'resolved', payload: { city: 'Paris' } }] };
    const bad = await client.json<{ code: string }>('POST', path, {
      resume: [{ interruptId, status: 'resolved', payload: { city: 5 } }],
    });
    expect(bad.status).toBe(400);
    const accepted = await client.json('POST', path, body);
    expect([accepted.status, accepted.body]).toEqual([
      202,
      { taskId: expect.stringMatching(/^[0-9a-f-]{14}7/), threadId, runId: 'run-2', created: false },
    ]);
    const view = await client.ended(threadId, 'run-2');
    expect(view).toMatchObject({ status: 'succeeded', parentRunId: 'run-1' });
    const stream = await (await client.events(threadId, '?runId=run-2')).all();
    await expectWhole(stream, 2);
    expect(stream.text).toContain('Paris');
    const again = await client.json('POST', path, body);
    expect([again.status, again.body, again.headers.get('idempotency-replayed')]).toEqual([202, accepted.body, 'true']);
    const late = await client.json<{ code: string }>('POST', path, { ...body, runId: 'run-3' });
    expect([late.status, late.body.code]).toEqual([409, 'interrupt_already_answered']);
  });

  it.each<[string, unknown, number, string]>([
    ['no entries', { resume: [] }, 422, 'invalid_resume'],
    ['no list', { resume: {} }, 422, 'invalid_resume'],
    ['a list', [], 422, 'invalid_resume'],
    ['an unknown status', { resume: [{ interruptId: 'i', status: 'done' }] }, 422, 'invalid_resume'],
    ['no id', { resume: [{ status: 'resolved' }] }, 422, 'invalid_resume'],
    [
      'a runId that is a number',
      { resume: [{ interruptId: 'i', status: 'resolved' }], runId: 5 },
      422,
      'invalid_resume',
    ],
    ['an unknown interrupt', { resume: [{ interruptId: 'none', status: 'resolved' }] }, 404, 'interrupt_not_found'],
  ])('a resume with %s is refused', async (_, body, status, name) => {
    const { threadId } = (await client.submit(runInput('hello'))).body;
    const answer = await client.json<{ code: string }>('POST', `/runs/${threadId}/run-1/resume`, body);
    expect([answer.status, answer.body.code]).toEqual([status, name]);
  });
});

import { randomUUID } from 'node:crypto';
import { itWithoutAuthentication } from '../../support/caller.js';
import { JournalingCodeAgent, behaviour, FailingCodeAgent, mutter, stopped } from '../../support/code-agents.js';
import { describeOnDatabases } from '../../support/databases.js';
import { expectWhole, runInput, RunsClient } from '../../support/runs-client.js';
import { startServer, type TestServer } from '../../support/server.js';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly details?: readonly object[];
  readonly requestId?: string;
  readonly detail?: string;
}

describeOnDatabases('POST /runs', (open) => {
  let server: TestServer;
  let client: RunsClient;
  const code = { forwardedProps: { agent_type: 'code-fail' } };

  beforeAll(async () => {
    server = await startServer({
      database: open,
      env: { RUN_QUEUE_LIMIT: '2', RUNS_API_DETAIL_ALIAS: 'true' },
      providers: [FailingCodeAgent, JournalingCodeAgent],
    });
    client = new RunsClient(server.url);
  });
  afterAll(() => server.close());

  /** A run that goes on until it is cancelled. */
  async function busyThread(): Promise<string> {
    behaviour.current = async function* (context) {
      yield mutter(context, 'I am busy');
      await context.flush();
      await stopped(context);
    };
    const stream = await client.stream(runInput('be busy', code));
    await stream.until(({ text }) => text !== '');
    stream.leave();
    const [event] = stream.events;
    if (event?.type !== 'RUN_STARTED') throw new Error('no run');
    return event.threadId;
  }

  async function raw(body: string | Buffer, headers: Record<string, string> = {}, query = '') {
    const answer = await fetch(`${server.url}/api/v1/agent/runs${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    });
    return { status: answer.status, body: (await answer.json()) as ErrorBody };
  }

  it('a run is accepted once it is committed, and a repeated request gets the same answer', async () => {
    const input = runInput('hello', { threadId: randomUUID().toUpperCase() });
    const first = await client.submit(input);
    const threadId = String(input['threadId']).toLowerCase();
    expect(first.status).toBe(202);
    expect(first.body).toEqual({ taskId: expect.stringMatching(UUID_V7), threadId, runId: 'run-1', created: true });
    expect(first.headers.get('location')).toBe(`/api/v1/agent/runs/${threadId}/run-1`);
    expect(first.headers.get('idempotency-replayed')).toBeNull();

    const { messages, ...rest } = input;
    const reordered = {
      messages,
      ...rest,
      state: null,
      thread_id: threadId,
      threadId,
      tools: [],
      forwarded_props: input['forwardedProps'],
    };
    const again = await client.submit(reordered);
    expect([again.status, again.body, again.headers.get('idempotency-replayed')]).toEqual([202, first.body, 'true']);
    const second = await client.submit({ ...input, runId: 'run-2' });
    expect(second.body).toMatchObject({ created: false });
    // The run's id is the client's: another thread may have one of the same name.
    expect((await client.submit(runInput('hello'))).status).toBe(202);
  });

  it.each<[string, object]>([
    ['text', { messages: [{ id: 'msg-1', role: 'user', content: 'Hello!' }] }],
    ['message id', { messages: [{ id: 'msg-2', role: 'user', content: 'hello' }] }],
    [
      'later messages',
      {
        messages: [
          { id: 'msg-1', role: 'user', content: 'hello' },
          { id: 's', role: 'system', content: '' },
        ],
      },
    ],
    ['tools', { tools: [{ name: 'f', description: '', parameters: {} }] }],
    ['context', { context: [{ description: 'a', value: 'b' }] }],
    ['state', { state: { a: 1 } }],
    ['parent', { parentRunId: 'run-0' }],
    ['agent', { forwardedProps: { agent_type: 'code-fail' } }],
  ])('the same run id with another %s is refused', async (_, change) => {
    const input = runInput('hello');
    await client.submit(input);
    const other = await client.json<ErrorBody>('POST', '/runs', { ...input, ...change });
    expect(other.status).toBe(409);
    expect(other.body).toMatchObject({
      code: 'run_id_conflict',
      message: 'runId already used with a different payload',
      detail: 'runId already used with a different payload',
      requestId: other.headers.get('x-request-id'),
    });
  });

  it('parallel duplicates are executed once', async () => {
    const input = runInput('count to 5');
    const answers = await Promise.all(Array.from({ length: 12 }, () => client.submit(input)));
    expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body])))).toEqual(
      new Set([JSON.stringify([202, answers[0]?.body])]),
    );
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
    const list = await client.json<{ items: object[] }>('GET', `/runs/${String(input['threadId'])}`);
    expect(list.body.items).toHaveLength(1);
  });

  it('invalid requests are refused with the codes of the contract and store nothing', async () => {
    const input = runInput('hello');
    const bad = await client.json<ErrorBody>('POST', '/runs', { ...input, runId: 'r'.repeat(129) });
    expect(bad.status).toBe(422);
    expect(bad.body).toEqual({
      code: 'run_id_too_long',
      message: 'runId exceeds length limit',
      detail: 'runId exceeds length limit',
      details: [{ path: 'runId', message: 'runId exceeds length limit', rule: 'max', limit: 128, actual: 129 }],
      requestId: bad.headers.get('x-request-id'),
    });
    const url = { type: 'binary', mimeType: 'image/png', url: 'https://elsewhere.example.com/a.png' };
    const image = await client.json<ErrorBody>('POST', '/runs', {
      ...input,
      messages: [{ id: 'a', role: 'user', content: [url] }],
    });
    expect([image.status, image.body]).toMatchObject([
      422,
      { code: 'attachment_url_invalid', message: 'binary content url is not a valid signed url' },
    ]);
    expect((await client.json<ErrorBody>('GET', `/runs/${String(input['threadId'])}`)).body.code).toBe(
      'thread_not_found',
    );
  });

  it('a body over the limit in bytes is refused', async () => {
    const body = (length: number): string => {
      const text = JSON.stringify(runInput('hello', { state: { pad: '晴' } }));
      return text.replace('晴', `晴${'x'.repeat(length - Buffer.byteLength(text))}`);
    };
    expect(Buffer.byteLength(body(262_144))).toBe(262_144);
    expect((await raw(body(262_144))).status).toBe(202);
    const tooLong = await raw(body(262_145));
    expect([tooLong.status, tooLong.body]).toMatchObject([
      413,
      { code: 'payload_too_large', message: 'RunAgentInput payload exceeds size limit' },
    ]);
    // The size comes before everything that is inside.
    expect((await raw(`{${'x'.repeat(300_000)}`)).status).toBe(413);
  });

  it.each<[string, string | Buffer, number, string]>([
    ['invalid JSON', '{"a":', 400, 'invalid_json'],
    ['a list', '[]', 400, 'invalid_json'],
    ['empty', '', 400, 'invalid_json'],
    ['null', 'null', 400, 'invalid_json'],
    ['broken UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 400, 'invalid_json'],
    ['__proto__', '{"state":{"__proto__":{"a":1}}}', 400, 'invalid_json'],
    ['nested 10,000 deep', `{"state":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, 400, 'invalid_json'],
    ['a huge number', '{"threadId":1e999}', 422, 'invalid_run_agent_input'],
  ])('a body that is %s is refused with its own code', async (_, body, status, name) => {
    const answer = await raw(body);
    expect([answer.status, answer.body]).toMatchObject([status, { code: name, message: 'invalid RunAgentInput' }]);
  });

  it('a body of another media type is refused', async () => {
    const answer = await raw('{}', { 'content-type': 'text/plain' });
    expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type']);
  });

  it('a submission can stream the same events that can be read later', async () => {
    const input = runInput('What is the weather in Paris?');
    const [byQuery] = [await (await client.stream(input)).all()];
    await expectWhole(byQuery);
    expect(byQuery.status).toBe(200);
    expect(byQuery.raw).toBe((await (await client.events(String(input['threadId']))).all()).raw);
    const answer = await fetch(`${server.url}/api/v1/agent/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify(input),
    });
    expect([answer.status, answer.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expect(await answer.text()).toContain(byQuery.last.raw.split('\n').at(-1));
  });

  it('a run continues after its client disconnects unless the request says otherwise', async () => {
    for (const [query, count, status] of [
      ['?prefer=stream', 15, 'succeeded'],
      ['?prefer=stream&on_disconnect=cancel', 300, 'cancelled'],
    ] as const) {
      const input = runInput(`count to ${count} slowly`);
      const stream = await client.stream(input, query);
      await stream.until(({ text }) => text.startsWith('1 2'));
      stream.leave();
      expect((await client.ended(input['threadId'], 'run-1')).status).toBe(status);
    }
  });

  it('a busy thread queues, rejects, interrupts or rolls back as the request says', async () => {
    const submit = (threadId: string, runId: string, query = '') =>
      client.json<ErrorBody>('POST', `/runs${query}`, runInput('hello', { threadId, runId }));
    const status = async (threadId: string, runId: string) => (await client.ended(threadId, runId)).status;

    const waiting = await busyThread();
    const refused = await submit(waiting, 'run-2', '?multitask=reject');
    expect([refused.status, refused.body.code]).toEqual([409, 'thread_busy']);
    for (const runId of ['run-2', 'run-3']) expect((await submit(waiting, runId)).status).toBe(202);
    const full = await submit(waiting, 'run-4');
    expect([full.status, full.body]).toMatchObject([429, { code: 'queue_full', message: 'too many queued runs' }]);
    expect(full.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await client.view(waiting, 'run-3')).body.queuePosition).toBe(2);
    await client.json('POST', `/runs/${waiting}/run-1/cancel`);
    expect(await status(waiting, 'run-3')).toBe('succeeded');
    expect((await client.view(waiting, 'run-4')).status).toBe(404);

    const interrupted = await busyThread();
    expect((await submit(interrupted, 'run-2', '?multitask=interrupt')).status).toBe(202);
    expect(await status(interrupted, 'run-2')).toBe('succeeded');
    expect(await status(interrupted, 'run-1')).toBe('cancelled');
    expect(await texts(interrupted)).toContain('be busy');

    const rolledBack = await busyThread();
    expect((await submit(rolledBack, 'run-2', '?multitask=rollback')).status).toBe(202);
    expect(await status(rolledBack, 'run-2')).toBe('succeeded');
    expect(await texts(rolledBack)).not.toContain('be busy');
    expect((await submit(rolledBack, 'run-5', '?multitask=none')).status).toBe(400);
  });

  /** What the thread holds for later runs. */
  async function texts(threadId: string): Promise<string> {
    const snapshot = await (await client.events(threadId, '?from=snapshot')).all();
    return JSON.stringify(snapshot.events.find(({ type }) => type === 'MESSAGES_SNAPSHOT'));
  }

  it('the tools of the front end are passed through and never offered to the model', async () => {
    const tool = { name: 'get_weather', description: 'Mine', parameters: { type: 'object', properties: {} } };
    const input = runInput('What is the weather in Paris?', { tools: [tool] });
    const stream = await (await client.stream(input)).all();
    await expectWhole(stream);
    expect(stream.events[0]).toMatchObject({ type: 'RUN_STARTED', input: { tools: [tool], runId: 'run-1' } });
    const result = stream.events.find(({ type }) => type === 'TOOL_CALL_RESULT');
    expect(JSON.stringify(result)).toContain('Paris');
    expect(stream.last.event).toMatchObject({ outcome: { type: 'success' } });
    const unknown = { ...tool, name: 'open_window' };
    const other = await (
      await client.stream(runInput('Please open a window with open_window', { tools: [unknown] }))
    ).all();
    expect(other.events.map(({ type }) => type)).not.toContain('TOOL_CALL_START');
  });

  // The key of TEST_CALLER=key may act for that user.
  itWithoutAuthentication('the threads and runs of another user are not found', async () => {
    const session = randomUUID();
    const theirs = await fetch(`${server.url}/process`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        id: 'theirs',
        session_id: session,
        user_id: 'bob',
        stream: false,
        input: [{ role: 'user', content: [{ type: 'text', text: 'My name is Bob.' }] }],
      }),
    });
    expect(theirs.status).toBe(200);
    const mine = await client.json<ErrorBody>('POST', '/runs', runInput('hello', { threadId: session }));
    expect([mine.status, mine.body]).toMatchObject([404, { code: 'thread_not_found', message: 'thread not found' }]);
    for (const path of [`/runs/${session}`, `/runs/${session}/theirs`, `/runs/${session}/events`, '/tasks/theirs']) {
      expect((await client.json('GET', path)).status).toBe(404);
    }
    expect((await client.json('POST', `/runs/${session}/theirs/cancel`)).status).toBe(404);
  });
});

import { type AgentContext } from '../../../src/agent/index.js';
import { behaviour, FailingCodeAgent, JournalingCodeAgent, mutter, say, stopped } from '../../support/code-agents.js';
import { replay } from '../../support/ag-ui-replay.js';
import { counted } from '../../support/process-client.js';
import { describeOnDatabases } from '../../support/databases.js';
import { expectWhole, runInput, RunsClient } from '../../support/runs-client.js';
import { startServer, type TestServer } from '../../support/server.js';

describeOnDatabases('the events of a run on the Runs API', (open) => {
  let server: TestServer;
  let client: RunsClient;
  const code = { forwardedProps: { agent_type: 'code-fail' } };

  beforeAll(async () => {
    server = await startServer({
      database: open,
      env: { KEEP_ALIVE_MS: '100' },
      providers: [FailingCodeAgent, JournalingCodeAgent],
    });
    client = new RunsClient(server.url);
  });
  afterAll(() => server.close());

  async function finished(text: string, more: object = {}): Promise<{ threadId: string; runId: string }> {
    const stream = await client.stream(runInput(text, more as never));
    await stream.all();
    const [event] = stream.events;
    if (event?.type !== 'RUN_STARTED') throw new Error('no run');
    return event;
  }

  it('a stream holds every event from the first to the terminal one', async () => {
    const accepted = await client.submit(runInput('count to 20'));
    expect(accepted.status).toBe(202);
    const { threadId } = accepted.body;
    const stream = await (await client.events(threadId)).all();
    expect(stream.status).toBe(200);
    expect(Object.fromEntries(stream.response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'content-location': `/api/v1/agent/runs/${threadId}/run-1`,
    });
    await expectWhole(stream);
    expect(stream.text).toBe(counted(20));
    expect(stream.events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
  });

  it('a stream has the same bytes from every cursor, by header and by query', async () => {
    const { threadId } = await finished('What is the weather in Paris?');
    const whole = await (await client.events(threadId)).all();
    await expectWhole(whole);
    expect(new Set(whole.events.map(({ type }) => type))).toContain('TOOL_CALL_RESULT');
    for (const [index, { id }] of whole.frames.slice(0, -1).entries()) {
      const rest =
        index % 2 === 0 ? await client.events(threadId, '', id) : await client.events(threadId, `?lastEventId=${id}`);
      expect((await rest.all()).raw).toBe(
        whole.frames
          .slice(index + 1)
          .map(({ raw }) => raw)
          .join('\n\n'),
      );
    }
    for (const beginning of ['0', '-1']) {
      expect((await (await client.events(threadId, '', beginning)).all()).raw).toBe(whole.raw);
    }
    expect((await (await client.events(threadId, `?lastEventId=${whole.last.id}`, '-1')).all()).raw).toBe(whole.raw);
  });

  it('many readers join a running stream at any cursor without gap or repeat', async () => {
    const input = runInput('count to 30 slowly');
    const live = await client.stream(input);
    const readers = [];
    for (const count of [3, 10, 20]) {
      await live.until(({ frames }) => frames.length >= count);
      readers.push(await client.events(input.threadId as string, '', live.frames[count - 2]?.id));
    }
    await live.all();
    await expectWhole(live);
    for (const reader of readers) {
      const from = live.frames.findIndex(({ id }) => id === reader.frames[0]?.id);
      await reader.all();
      expect(live.raw.endsWith(reader.raw)).toBe(true);
      expect(from).toBeLessThan(live.frames.length);
    }
  });

  it('a cursor at the terminal event gets 204, one ahead of it 409, and one of another run or of none 400', async () => {
    const { threadId } = await finished('hello');
    const { last } = await (await client.events(threadId)).all();
    expect((await client.events(threadId, '', last.id)).status).toBe(204);
    expect((await client.events(threadId, '?from=now')).status).toBe(204);
    const refusal = async (path: string, id?: string) => {
      const { status, body } = await client.json<{ code: string }>(
        'GET',
        `/runs/${threadId}/events${path}`,
        undefined,
        id === undefined ? {} : { 'last-event-id': id },
      );
      return [status, body.code];
    };
    expect(await refusal('', '1-9999')).toEqual([409, 'event_id_ahead']);
    expect(await refusal('', '2-1')).toEqual([409, 'event_id_ahead']);
    expect(await refusal('?runId=run-1', '2-1')).toEqual([400, 'invalid_last_event_id']);
    for (const id of ['x', '1', '1-', '-2', '1-1-1', '01-1', '1-1234567890123456']) {
      expect(await refusal('', id)).toEqual([400, 'invalid_last_event_id']);
    }
    for (const id of ['99999999999-1', '1-99999999999', '1-999999999999999']) {
      expect(await refusal('', id)).toEqual([409, 'event_id_ahead']);
    }
    expect(await refusal('?runId=other')).toEqual([404, 'run_not_found']);
    expect(await refusal('?from=elsewhere')).toEqual([400, 'parameter_validation']);
    const nobody = await client.json<object>('GET', '/runs/550e8400-e29b-41d4-a716-446655440000/events');
    expect([nobody.status, nobody.body]).toMatchObject([
      404,
      { code: 'thread_not_found', message: 'thread not found' },
    ]);
  });

  it('a stream of a queued run waits with keep-alive comments', async () => {
    behaviour.current = async function* (context: AgentContext) {
      await stopped(context);
      yield undefined;
    };
    const first = await client.submit(runInput('first', code));
    const { threadId } = first.body;
    await client.submit(runInput('hello', { threadId, runId: 'run-2' }));
    const stream = await client.events(threadId, '?runId=run-2');
    await stream.until(({ comments }) => comments.includes(': hb'));
    expect(stream.frames).toEqual([]);
    expect((await client.view(threadId, 'run-2')).body).toMatchObject({ status: 'queued', queuePosition: 1 });
    await client.json('POST', `/runs/${threadId}/run-1/cancel`);
    await expectWhole(await stream.all(), 2);
    await expectWhole(await (await client.events(threadId, '?runId=run-1')).all());
  });

  it('a stream from a snapshot begins with the current state, also in the middle of a message', async () => {
    const { threadId } = await finished('My name is Alice.');
    let go: () => void = () => undefined;
    const more = new Promise<void>((resolve) => (go = resolve));
    behaviour.current = async function* (context) {
      context.state.set({ mood: 'good' });
      context.state.patch([{ op: 'add', path: '/count', value: 1 }]);
      yield say(context, 'First.');
      const message = context.response.createMessageBuilder();
      const content = message.createContentBuilder();
      content.addTextDelta('Half ');
      await context.flush();
      await more;
      content.addTextDelta('and whole.');
      message.complete();
      yield undefined;
    };
    await client.submit(runInput('go on', { threadId, runId: 'run-2', ...code }));
    const live = await client.events(threadId);
    await live.until(({ text }) => text.endsWith('Half '));
    const late = await client.events(threadId, '?from=snapshot');
    await late.until(({ text }) => text.endsWith('Half '));
    expect(late.events.map(({ type }) => type)).toEqual([
      'RUN_STARTED',
      'MESSAGES_SNAPSHOT',
      'STATE_SNAPSHOT',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
    ]);
    expect(new Set(late.frames.map(({ id }) => id))).toEqual(new Set([live.last.id]));
    const now = await client.events(threadId, '?from=now');
    go();
    await Promise.all([live.all(), late.all(), now.all()]);
    const [, messages, state] = late.events;
    if (messages?.type !== 'MESSAGES_SNAPSHOT') throw new Error('no messages');
    expect(messages.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(messages.messages.at(-1)).toMatchObject({ content: 'First.' });
    expect(state).toMatchObject({ snapshot: { mood: 'good', count: 1 } });
    const tail = live.raw.slice(live.raw.indexOf('and whole.'));
    expect(late.raw.endsWith(tail) && now.raw.endsWith(tail)).toBe(true);
    expect(now.text).toBe('and whole.');
    await expectWhole(live, 2);
    const replayed = await expectTaken(late);
    expect(replayed.at(-1)).toMatchObject({ content: 'Half and whole.' });

    const after = await (await client.events(threadId, '?from=snapshot')).all();
    expect(after.events.map(({ type }) => type)).toEqual([
      'RUN_STARTED',
      'MESSAGES_SNAPSHOT',
      'STATE_SNAPSHOT',
      'RUN_FINISHED',
    ]);
    expect(await expectTaken(after)).toEqual(replayed);
  });

  it('a client sets the state, but not the key that is reserved for the server', async () => {
    const state = { title: 'Rain', __request_context__: { user: { id: 'root' } } };
    const { threadId } = (await client.submit(runInput('hello', { state }))).body;
    await (await client.events(threadId)).all();
    const { events } = await (await client.events(threadId, '?from=snapshot')).all();
    expect(events.find(({ type }) => type === 'STATE_SNAPSHOT')).toMatchObject({ snapshot: { title: 'Rain' } });
    expect(JSON.stringify(events.slice(1))).not.toContain('__request_context__');
  });

  it('a stream can follow a thread from run to run', async () => {
    const { threadId } = await finished('My name is Alice.');
    const stream = await client.events(threadId, '?follow=thread');
    const isEnd = (run: number) => () => stream.events.filter(({ type }) => type === 'RUN_FINISHED').length === run;
    await stream.until(isEnd(1));
    await client.submit(runInput('What is my name?', { threadId, runId: 'run-2' }));
    await stream.until(isEnd(2));
    await client.submit(runInput('hello', { threadId, runId: 'run-3' }));
    await stream.until(isEnd(3));
    stream.leave();
    const [one, two, three] = await Promise.all(
      ['run-1', 'run-2', 'run-3'].map(async (runId) => (await client.events(threadId, `?runId=${runId}`)).all()),
    );
    expect(stream.raw).toBe([one?.raw, two?.raw, three?.raw].join('\n\n'));

    const resumed = await client.events(threadId, '?follow=thread', one?.last.id);
    await resumed.until(({ events }) => events.filter(({ type }) => type === 'RUN_FINISHED').length === 2);
    expect(resumed.raw).toBe([two?.raw, three?.raw].join('\n\n'));
    resumed.leave();
    // Without following, the end of one run is the beginning of the next.
    expect((await (await client.events(threadId, '', one?.last.id)).all()).raw).toBe(two?.raw);
  });

  it('every kind of end is shown with its terminal event', async () => {
    const ends: Record<string, object> = {};
    behaviour.current = async function* (context) {
      yield mutter(context, 'I was about to');
      throw new Error('secret');
    };
    const failed = await (await client.stream(runInput('x', code))).all();
    ends['failed'] = failed.events.at(-1) as object;
    behaviour.current = async function* (context) {
      yield mutter(context, 'I was about to');
      await context.flush();
      await stopped(context);
    };
    const input = runInput('x', code);
    const cancelled = await client.stream(input);
    await cancelled.until(({ text }) => text !== '');
    await client.json('POST', `/runs/${String(input.threadId)}/run-1/cancel`);
    ends['cancelled'] = (await cancelled.all()).events.at(-1) as object;
    expect(ends).toMatchObject({
      failed: { type: 'RUN_ERROR', code: 'agent_error' },
      cancelled: { type: 'RUN_FINISHED', outcome: { type: 'cancelled' } },
    });
    expect(failed.raw).not.toContain('secret');
    await expectWhole(failed);
    await expectWhole(cancelled);
  });

  async function expectTaken(stream: { readonly events: readonly object[] }): Promise<readonly object[]> {
    return (await replay('v1', stream.events as never)).messages;
  }
});

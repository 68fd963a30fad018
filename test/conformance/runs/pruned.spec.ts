import { Database } from '../../../src/database/index.js';
import { RunRetention } from '../../../src/run/end/prune-runs.js';
import { checkShapes, replay } from '../../support/ag-ui-replay.js';
import { type Behaviour, behaviour, JournalingCodeAgent, say } from '../../support/code-agents.js';
import { describeOnDatabases, type TestDatabase } from '../../support/databases.js';
import { runInput, RunsClient, type RunsStream } from '../../support/runs-client.js';
import { startServer, type TestServer } from '../../support/server.js';
import { until } from '../../support/until.js';

interface Expired {
  readonly code: string;
  readonly earliestEventId: string | null;
  readonly snapshotUrl: string;
}

const asks: Behaviour = async function* (context) {
  context.state.set({ mood: 'curious' });
  yield say(context, 'A question.');
  const answer = await context.interrupt({ reason: 'input_required', message: 'Which city?' });
  yield say(context, `You said ${JSON.stringify(answer)}`);
};

describeOnDatabases('a run on the Runs API whose events were removed', (open) => {
  let database: TestDatabase;
  let server: TestServer;
  let client: RunsClient;
  const booted = () => startServer({ database, providers: [JournalingCodeAgent] });
  const code = { forwardedProps: { agent_type: 'code-journal' } };

  beforeAll(async () => {
    database = await open();
    server = await booted();
    client = new RunsClient(server.url);
  });
  afterAll(async () => {
    await server.close();
    await database.drop();
  });

  async function finished(text: string, more: object = {}): Promise<{ threadId: string; whole: RunsStream }> {
    const whole = await (await client.stream(runInput(text, more as never))).all();
    const [started] = whole.events;
    if (started?.type !== 'RUN_STARTED') throw new Error('no run');
    return { threadId: started.threadId, whole };
  }

  async function prune(): Promise<void> {
    const retention = server.get(RunRetention);
    const before = retention.pruned.runs;
    await server.get(Database).write((tx) => tx.run('UPDATE runs SET finished_at = 1 WHERE finished_at > 1'));
    // The chore may come first, and a run that the compaction has locked is left out once.
    await until(async () => {
      await retention.pruneAll();
      return retention.pruned.runs > before;
    }, 'the events are removed');
  }

  /** What a client finds after a restart: nothing is remembered that is not stored. */
  async function restart(): Promise<void> {
    await server.close();
    server = await booted();
    client = new RunsClient(server.url);
  }

  async function taken(stream: RunsStream): Promise<unknown> {
    const events = stream.events.map(({ timestamp, ...event }) => {
      expect(timestamp).toBeGreaterThan(1_700_000_000_000);
      return event;
    });
    checkShapes(events);
    return replay('v1', events);
  }

  it('its events answer 410 with the address of a snapshot that holds what is kept', async () => {
    const { threadId, whole } = await finished('What is the weather in Paris?');
    const replayed = await taken(whole);
    await prune();
    await restart();
    for (const [query, headers] of [
      ['', {}],
      ['?runId=run-1', { 'last-event-id': '1-2' }],
    ] as const) {
      const answer = await client.json<Expired>('GET', `/runs/${threadId}/events${query}`, undefined, headers);
      expect([answer.status, answer.body]).toMatchObject([
        410,
        { code: 'events_expired', earliestEventId: whole.last.id },
      ]);
      const shown = await (await client.events(threadId, answer.body.snapshotUrl.replace(/^[^?]*/, ''))).all();
      expect(shown.status).toBe(200);
      expect(shown.events.map(({ type }) => type)).toEqual([
        'RUN_STARTED',
        'MESSAGES_SNAPSHOT',
        'STATE_SNAPSHOT',
        'RUN_FINISHED',
      ]);
      const { timestamp, ...end } = whole.last.event;
      expect(shown.last.event).toEqual({ ...end, timestamp });
      expect(await taken(shown)).toEqual(replayed);
      expect(new Set(shown.frames.map(({ id }) => id))).toEqual(new Set([whole.last.id]));
      expect((await client.events(threadId, '?runId=run-1&from=snapshot', shown.last.id)).status).toBe(204);
    }
    expect((await client.events(threadId, '?from=now')).status).toBe(204);
    expect((await client.view(threadId, 'run-1')).body).toMatchObject({
      status: 'succeeded',
      lastEventId: whole.last.id,
      lastSeq: whole.frames.length,
    });
    expect((await client.events(threadId, '', whole.last.id)).status).toBe(204);
    expect((await client.events(threadId, '', `1-${whole.frames.length + 1}`)).status).toBe(409);
  });

  it('a run whose events an earlier version removed still has a snapshot', async () => {
    const { threadId, whole } = await finished('hello');
    await prune();
    await restart();
    await server.get(Database).write((tx) => tx.run('UPDATE runs SET digests = NULL'));
    const answer = await client.json<Expired>('GET', `/runs/${threadId}/events`);
    expect([answer.status, answer.body]).toMatchObject([410, { earliestEventId: null }]);
    const shown = await (await client.events(threadId, '?from=snapshot')).all();
    expect(shown.last.event).toEqual(whole.last.event);
    expect(new Set(shown.frames.map(({ id }) => id))).toEqual(new Set(['1-0']));
    expect((await client.events(threadId, '?from=snapshot', shown.last.id)).status).toBe(204);
    expect((await client.events(threadId, '?from=snapshot', '1-1')).status).toBe(200);
    const view = (await client.view(threadId, 'run-1')).body;
    expect(view).toMatchObject({ status: 'succeeded', lastEventId: null, lastSeq: null });
  });

  it('the snapshot holds the state after the run, not the current state of the thread', async () => {
    behaviour.current = async function* (context) {
      context.state.set({ ...context.state.get(), [context.inputText]: true });
      context.state.patch([{ op: 'add', path: '/last', value: context.inputText }]);
      yield say(context, 'Done.');
    };
    const { threadId } = await finished('first', { ...code, state: { given: 1 } });
    await finished('second', { ...code, threadId, runId: 'run-2' });
    await prune();
    await restart();
    const states = await Promise.all(
      ['run-1', 'run-2'].map(async (runId) => {
        const shown = await (await client.events(threadId, `?runId=${runId}&from=snapshot`)).all();
        return shown.events.find(({ type }) => type === 'STATE_SNAPSHOT');
      }),
    );
    expect(states).toMatchObject([
      { snapshot: { given: 1, first: true, last: 'first' } },
      { snapshot: { given: 1, first: true, second: true, last: 'second' } },
    ]);
    expect(states[0]).not.toHaveProperty('snapshot.second');
  });

  it('the snapshot holds the state, the open interrupts and the thread before, and the thread can be followed', async () => {
    behaviour.current = asks;
    const { threadId } = await finished('My name is Alice.');
    const { whole } = await finished('ask me', { threadId, runId: 'run-2', ...code });
    await prune();
    const shown = await (await client.events(threadId, '?from=snapshot')).all();
    const [, messages, state, end] = shown.events;
    if (messages?.type !== 'MESSAGES_SNAPSHOT') throw new Error('no messages');
    expect(messages.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(state).toMatchObject({ type: 'STATE_SNAPSHOT', snapshot: { mood: 'curious' } });
    expect(end).toEqual(whole.last.event);
    expect(end).toMatchObject({ outcome: { type: 'interrupt' } });
    await taken(shown);

    const follower = await client.events(threadId, '?from=snapshot&follow=thread');
    await follower.until(({ frames }) => frames.length === 4);
    await client.submit(runInput('hello', { threadId, runId: 'run-3' }));
    await follower.until(({ frames }) => frames.at(-1)?.id.startsWith('3-') === true);
    follower.leave();
  });

  it('the snapshot holds the error of a failed run', async () => {
    behaviour.current = async function* (context) {
      yield say(context, 'So far.');
      throw new Error('a secret');
    };
    const { threadId, whole } = await finished('fail', code);
    expect(whole.last.event.type).toBe('RUN_ERROR');
    await prune();
    const shown = await (await client.events(threadId, '?from=snapshot')).all();
    expect(shown.last.event).toEqual(whole.last.event);
    await taken(shown);
  });
});

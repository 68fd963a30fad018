import { randomUUID } from 'node:crypto';
import { Database } from '../../../src/database/index.js';
import { dataMessage, type Message, textMessage } from '../../../src/events/index.js';
import type { HistoryPage } from '../../../src/protocol/runs/history/thread-history.js';
import { Sessions } from '../../../src/agent/session/index.js';
import { UserSettings } from '../../../src/user-settings/index.js';
import { behaviour, FailingCodeAgent, JournalingCodeAgent, mutter, say, stopped } from '../../support/code-agents.js';
import { OWN_USER } from '../../support/caller.js';
import { describeOnDatabases } from '../../support/databases.js';
import { runInput, RunsClient } from '../../support/runs-client.js';
import { startServer, type TestServer } from '../../support/server.js';

describeOnDatabases('GET /history', (openDatabase) => {
  let server: TestServer;
  let client: RunsClient;
  let drop: () => Promise<void>;

  beforeAll(async () => {
    const database = await openDatabase();
    drop = () => database.drop();
    server = await startServer({ database, providers: [FailingCodeAgent, JournalingCodeAgent] });
    client = new RunsClient(server.url);
  });
  afterAll(async () => {
    await server.close();
    await drop();
  });

  const read = async (query: string) =>
    client.json<HistoryPage & { code: string; message: string }>('GET', `/history${query}`);
  const page = async (threadId: string, query = ''): Promise<HistoryPage> => {
    const { status, body } = await read(`?threadId=${threadId}${query}`);
    expect(status).toBe(200);
    return body;
  };
  const setZone = (timezone: string | null) => server.get(UserSettings).replace(OWN_USER, { timezone, locale: null });

  /** A thread of messages that were stored at given times. */
  async function thread(messages: readonly (readonly [at: string, message: Message])[]): Promise<string> {
    const threadId = randomUUID();
    const sessions = server.get(Sessions);
    await sessions.create(OWN_USER, threadId);
    const stored = await sessions.append(
      OWN_USER,
      threadId,
      messages.map(([, message]) => message),
    );
    const database = server.get(Database);
    await database.write(async (tx) => {
      for (const [index, { seq }] of stored.entries()) {
        const at = Date.parse(messages[index]?.[0] ?? '');
        await tx.run(
          'UPDATE messages SET created_at = ? WHERE seq = ? AND session_no = (SELECT no FROM sessions WHERE id = ?)',
          [at, seq, threadId],
        );
      }
    });
    return threadId;
  }
  const user = (id: string): Message => textMessage({ id, role: 'user', text: id });
  const assistant = (id: string): Message => textMessage({ id, role: 'assistant', text: id });

  it('the history holds a message as soon as it is accepted', async () => {
    expect((await read('')).body).toEqual({
      scope: 'history_day',
      threadId: null,
      day: null,
      hasMore: false,
      messages: [],
    });
    const { threadId } = (await client.submit(runInput('What is the weather in Paris?'))).body;
    expect((await page(threadId)).messages[0]).toMatchObject({ id: 'msg-1', seq: 1, role: 'user', attachments: [] });
    await client.ended(threadId, 'run-1');
    const { messages, ...rest } = await page(threadId.toUpperCase());
    expect(rest).toEqual({
      scope: 'history_day',
      threadId,
      day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      hasMore: false,
    });
    expect(messages).toEqual([
      {
        id: 'msg-1',
        seq: 1,
        role: 'user',
        content: 'What is the weather in Paris?',
        attachments: [],
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      },
      expect.objectContaining({ role: 'assistant', content: expect.stringContaining('Paris') }),
    ]);
    expect(Object.keys(messages[1] ?? {})).toEqual(['id', 'seq', 'role', 'content', 'ui_schema', 'timestamp']);
    // The newest activity wins.
    const other = (await client.submit(runInput('hello'))).body.threadId;
    await client.ended(other, 'run-1');
    expect((await read('')).body.threadId).toBe(other);
  });

  it.each([
    ['code-fail', 'at once'],
    ['code-journal', 'with their step'],
  ])('the history holds the completed messages of a running %s, %s, and none that may be discarded', async (agent) => {
    const isJournal = agent === 'code-journal';
    behaviour.current = async function* (context) {
      for (const text of ['One.', 'Two.']) {
        const message = say(context, text) as Message;
        if (isJournal) context.journal.finish(text, '', {}, [message.id]);
        yield message;
      }
      if (isJournal) yield say(context, 'Of no step.');
      yield mutter(context, 'Half a se');
      await context.flush();
      await stopped(context);
    };
    const threadId = randomUUID();
    const code = { threadId, forwardedProps: { agent_type: agent } };
    const stream = await client.stream(runInput('go', code));
    await stream.until(({ text }) => text.includes('Half'));
    stream.leave();
    const running = (await page(threadId)).messages;
    expect(running.map(({ seq, role, content }) => [seq, role, content])).toEqual([
      [1, 'user', 'go'],
      [2, 'assistant', 'One.'],
      [3, 'assistant', 'Two.'],
    ]);
    // The next run says nothing: it begins as soon as the first is over.
    behaviour.current = async function* (context) {
      await stopped(context);
      yield undefined;
    };
    await client.submit(runInput('next', { ...code, runId: 'run-2' }));
    await client.json('POST', `/runs/${threadId}/run-1/cancel`, { wait: true });
    const { messages } = await page(threadId);
    expect(messages.slice(0, 3)).toEqual(running);
    expect(messages.slice(3).map(({ seq, content }) => [seq, content])).toEqual([
      [4, 'next'],
      ...(isJournal ? [[5, 'Of no step.']] : []),
    ]);
    await client.json('POST', `/runs/${threadId}/run-2/cancel`, { mode: 'rollback', wait: true });
    expect((await page(threadId)).messages.map(({ content }) => content)).not.toContain('next');
  });

  it('the history drops the messages of a run that is rolled back while it runs', async () => {
    behaviour.current = async function* (context) {
      yield say(context, 'Said.');
      await context.flush();
      await stopped(context);
      yield say(context, 'Said after.');
    };
    const input = runInput('go', { forwardedProps: { agent_type: 'code-fail' } });
    const stream = await client.stream(input);
    await stream.until(({ text }) => text === 'Said.');
    stream.leave();
    const threadId = String(input['threadId']);
    expect((await page(threadId)).messages).toHaveLength(2);
    await client.json('POST', `/runs/${threadId}/run-1/cancel`, { mode: 'rollback' });
    expect((await page(threadId)).messages).toEqual([]);
    await client.ended(threadId, 'run-1');
    expect((await page(threadId)).messages).toEqual([]);
  });

  it('the history leaves out tool calls, reasoning, partial and empty messages', async () => {
    const schema = { version: '2.0', compiler: 1, root: { type: 'stack' } };
    const threadId = await thread([
      ['2026-03-15T10:00:00Z', user('u')],
      ['2026-03-15T10:00:01Z', textMessage({ id: 's', role: 'system', text: 'x' })],
      ['2026-03-15T10:00:01Z', textMessage({ id: 'r', role: 'assistant', type: 'reasoning', text: 'x' })],
      [
        '2026-03-15T10:00:01Z',
        dataMessage({ id: 'c', role: 'assistant', type: 'plugin_call', data: { call_id: 'c' } }),
      ],
      [
        '2026-03-15T10:00:02Z',
        dataMessage({ id: 'o', role: 'tool', type: 'plugin_call_output', data: { call_id: 'c' } }),
      ],
      ['2026-03-15T10:00:03Z', textMessage({ id: 'h', role: 'assistant', status: 'incomplete', text: 'half' })],
      ['2026-03-15T10:00:03Z', textMessage({ id: 'e', role: 'assistant', text: '' })],
      ['2026-03-15T10:00:04Z', textMessage({ id: 'q', role: 'assistant', text: '', metadata: { ui_schema: schema } })],
      ['2026-03-15T10:00:05Z', assistant('a')],
    ]);
    const { messages } = await page(threadId);
    expect(messages.map(({ id, seq }) => [id, seq])).toEqual([
      ['u', 1],
      ['q', 8],
      ['a', 9],
    ]);
    expect(messages[1]).toMatchObject({ content: '', ui_schema: { version: '2.0', root: { type: 'stack' } } });
    expect(messages[2]).toMatchObject({ ui_schema: null });
  });

  it('the history is paged by the days of the user’s time zone', async () => {
    const threadId = await thread([
      ['2026-03-07T23:30:00Z', user('u1')],
      ['2026-03-08T00:30:00Z', assistant('a1')],
      ['2026-03-10T09:59:59Z', user('u2')],
      ['2026-03-10T10:00:00Z', assistant('a2')],
    ]);
    const walk = async (zone: string | null) => {
      await setZone(zone);
      const days: [string | null, string[], boolean][] = [];
      for (let query = ''; ;) {
        const { day, messages, hasMore } = await page(threadId, query);
        days.push([day, messages.map(({ id }) => id), hasMore]);
        if (!hasMore) break;
        query = `&before=${day}`;
      }
      await setZone(null);
      return days;
    };
    expect(await walk(null)).toEqual([
      ['2026-03-10', ['u2', 'a2'], true],
      ['2026-03-08', ['a1'], true],
      ['2026-03-07', ['u1'], false],
    ]);
    expect(await walk('Pacific/Kiritimati')).toEqual([
      ['2026-03-11', ['a2'], true],
      ['2026-03-10', ['u2'], true],
      ['2026-03-08', ['u1', 'a1'], false],
    ]);
    // The day on which the clocks change there has 23 hours.
    expect(await walk('America/Los_Angeles')).toEqual([
      ['2026-03-10', ['u2', 'a2'], true],
      ['2026-03-07', ['u1', 'a1'], false],
    ]);
    expect(await page(threadId, '&before=2026-03-07')).toEqual({
      scope: 'history_day',
      threadId,
      day: null,
      hasMore: false,
      messages: [],
    });
  });

  it('a day with many messages is divided into pages', async () => {
    const threadId = await thread(
      Array.from({ length: 1201 }, (_, index) => ['2026-03-15T10:00:00Z', user(`u${index + 1}`)] as const),
    );
    const first = await page(threadId);
    expect([first.messages.length, first.messages[0]?.id, first.hasMore]).toEqual([500, 'u702', true]);
    const second = await page(threadId, `&before=${first.day}&beforeSeq=${first.messages[0]?.seq}`);
    expect([second.messages.length, second.messages[0]?.id, second.hasMore]).toEqual([500, 'u202', true]);
    const third = await page(threadId, `&before=${second.day}&beforeSeq=${second.messages[0]?.seq}`);
    expect([third.messages.length, third.messages[0]?.id, third.hasMore]).toEqual([201, 'u1', false]);
  });

  it.each(['2026-02-30', '2026-3-1', 'x', '', '2026-03-16T00:00:00Z', '20260316'])(
    'before=%s is refused',
    async (before) => {
      const { threadId } = (await client.submit(runInput('hello'))).body;
      const { status, body } = await read(`?threadId=${threadId}&before=${encodeURIComponent(before)}`);
      expect([status, body]).toMatchObject([422, { code: 'invalid_before', message: 'before must be YYYY-MM-DD' }]);
    },
  );

  it('only the threads of the caller are found, by their UUID', async () => {
    const bad = await read('?threadId=x');
    expect([bad.status, bad.body]).toMatchObject([
      422,
      { code: 'invalid_thread_id', message: 'threadId must be a valid UUID' },
    ]);
    const none = await read(`?threadId=${randomUUID()}`);
    expect([none.status, none.body]).toMatchObject([404, { code: 'thread_not_found', message: 'thread not found' }]);
  });
});

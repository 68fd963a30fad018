import { CLIENTS, httpAgent, runAgent, typesOf } from '../../support/ag-ui-clients.js';
import { behaviour, JournalingCodeAgent, say } from '../../support/code-agents.js';
import { describeOnDatabases } from '../../support/databases.js';
import { startServer, type TestServer } from '../../support/server.js';

type Event = { type: string } & Record<string, unknown>;

describeOnDatabases('the AG-UI dialect of AG-Kit', (openDatabase) => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({
      database: openDatabase,
      env: { DEFAULT_AGENT: 'code-journal' },
      providers: [JournalingCodeAgent],
    });
  });
  afterAll(() => server.close());
  beforeEach(() => {
    behaviour.current = async function* (context) {
      yield say(context, `You said ${context.inputText}, after ${context.history.length} messages.`);
    };
  });

  const post = async (body: object): Promise<{ status: number; text: string }> => {
    const answer = await fetch(`${server.url}/send-message`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const eventsIn = (text: string): Event[] =>
    (text.match(/^data: .*$/gm) ?? []).map((line) => JSON.parse(line.slice('data: '.length)) as Event);

  it.each(CLIENTS)('a conversation works with @ag-ui/client %s on both paths', async (version) => {
    for (const path of ['/send-message', '/v1/aibot/bots/code-journal/send-message']) {
      const agent = httpAgent(version, {
        url: `${server.url}${path}`,
        threadId: `thread ${version} ${path}`,
        initialMessages: [{ id: 'm1', role: 'user', content: 'hi' }],
      });
      const seen = await runAgent(agent);
      expect(typesOf(seen)).toEqual([
        'RUN_STARTED',
        'TEXT_MESSAGE_START',
        'TEXT_MESSAGE_CONTENT',
        'TEXT_MESSAGE_END',
        'RUN_FINISHED',
      ]);
      agent.addMessage({ id: 'm2', role: 'user', content: 'more' });
      await runAgent(agent);
      expect(agent.messages.at(-1)?.content).toBe('You said more, after 2 messages.');
    }
  });

  it('a request may hold only the new messages, and missing and blank ids are generated', async () => {
    await post({ threadId: 't-inc', messages: [{ role: 'user', content: 'one' }], tools: [], context: [], state: {} });
    const { text } = await post({ threadId: 't-inc', runId: ' ', messages: [{ role: 'user', content: 'two' }] });
    expect(text).toContain('You said two, after 2 messages.');
    expect(text).not.toContain('[DONE]');
    const blank = await post({ threadId: 't-inc', messages: [{ id: ' ', role: 'user', content: 'three' }] });
    expect(blank.text).toContain('You said three, after 4 messages.');
    const empty = await post({ threadId: 't-inc', messages: [{ id: '', role: 'user', content: 'four' }] });
    expect(empty.text).toContain('You said four, after 6 messages.');
    const alone = await post({ messages: [{ id: 'm', role: 'user', content: 'alone' }] });
    expect(eventsIn(alone.text)[0]).toMatchObject({ type: 'RUN_STARTED', threadId: expect.stringMatching(/.+/) });
  });

  it('a request without messages is answered with an empty run', async () => {
    const { status, text } = await post({ threadId: 't-empty', runId: 'r', messages: [] });
    expect([status, eventsIn(text)]).toEqual([
      200,
      [
        { type: 'RUN_STARTED', threadId: 't-empty', runId: 'r' },
        { type: 'RUN_FINISHED', threadId: 't-empty', runId: 'r' },
      ],
    ]);
  });

  it('an interrupt is sent as a custom event and as an outcome, and is answered by a command or by resume', async () => {
    behaviour.current = async function* (context) {
      const way = await context.interrupt({ reason: 'way', message: 'Which way?' });
      yield say(context, `We go ${JSON.stringify(way)}.`);
    };
    for (const threadId of ['t-command', 't-resume']) {
      const asked = eventsIn((await post({ threadId, messages: [{ role: 'user', content: 'lead us' }] })).text);
      const [custom, finished] = asked.slice(-2);
      expect(custom).toMatchObject({ type: 'CUSTOM', name: 'on_interrupt' });
      const { id } = JSON.parse(custom?.['value'] as string) as { id: string };
      expect(finished).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'interrupt', interrupts: [{ id }] } });
      const answer =
        threadId === 't-command'
          ? { forwardedProps: { command: { resume: '"left"' } } }
          : { resume: [{ interruptId: id, status: 'resolved', payload: 'left' }] };
      const { text } = await post({ threadId, messages: [], ...answer });
      expect(text).toContain('We go \\"left\\".');
    }
  });

  it('a request that names no conversation is refused with an AG-Kit error', async () => {
    const { status, text } = await post({ messages: [{ role: 'user', content: 'hi' }] });
    expect([status, JSON.parse(text)]).toMatchObject([400, { code: 'INVALID_ARGUMENT' }]);
  });
});

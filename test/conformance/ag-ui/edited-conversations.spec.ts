import { randomUUID } from 'node:crypto';
import { Database } from '../../../src/database/index.js';
import { CLIENTS, type ClientVersion, httpAgent, runAgent } from '../../support/ag-ui-clients.js';
import { agUiOptions, openedWindows, SHOW_MAP } from '../../support/ag-ui-options.js';
import { behaviour, say } from '../../support/code-agents.js';
import { describeOnDatabases } from '../../support/databases.js';
import { startServer, type TestServer } from '../../support/server.js';
import { jsonFrames } from '../../support/sse.js';

type Agent = ReturnType<typeof httpAgent>;

const user = (id: string, content: string): never => ({ id, role: 'user', content }) as never;

/** The texts of a message of a model request. */
function textsIn(content: unknown): readonly string[] {
  if (!Array.isArray(content)) return [String(content)];
  return (content as { text?: string }[]).map(({ text }) => String(text));
}

describeOnDatabases('a conversation that a client resends', (open) => {
  let server: TestServer;
  beforeAll(async () => (server = await startServer(agUiOptions({ database: open }))));
  afterAll(() => server.close());

  /** What the model was told last, without the system prompt. Questions that follow each other come as one message. */
  const told = (): readonly string[] => {
    const { messages } = server.modelServer.getLastRequest()?.body as unknown as {
      messages: { role: string; content: unknown }[];
    };
    return messages
      .filter(({ role }) => role !== 'system')
      .flatMap(({ role, content }) => textsIn(content).map((text) => `${role}: ${text}`));
  };

  describe.each(CLIENTS)('by @ag-ui/client %s', (version: ClientVersion) => {
    const agent = (fields: object = {}): Agent =>
      httpAgent(version, { url: `${server.url}/ag-ui`, threadId: randomUUID(), ...fields });
    const ask = async (client: Agent, id: string, text: string, fields: object = {}): Promise<void> => {
      client.addMessage(user(id, text));
      await runAgent(client, fields);
    };
    const keep = (client: Agent, count: number): void => client.setMessages(client.messages.slice(0, count));

    it('an answer is made again', async () => {
      const client = agent();
      await ask(client, 'u1', 'plain text');
      await ask(client, 'u2', 'and then');
      const before = told();
      keep(client, 3);
      await runAgent(client);
      expect(told()).toEqual(before);
      await ask(client, 'u3', 'plain text');
      expect(told()).toEqual([...before, 'assistant: Then it rains.', 'user: plain text']);
    });

    it.each([
      ['under another id', 'u3'],
      ['under its own id', 'u2'],
    ])('a question is edited %s', async (_, id) => {
      const client = agent();
      await ask(client, 'u1', 'plain text');
      await ask(client, 'u2', 'one tool');
      keep(client, 2);
      await ask(client, id, 'and then');
      expect(told()).toEqual(['user: plain text', 'assistant: The sky is blue today.', 'user: and then']);
    });

    it('the first question is asked again', async () => {
      const client = agent();
      await ask(client, 'u1', 'plain text');
      await ask(client, 'u2', 'and then');
      keep(client, 1);
      await runAgent(client);
      expect(told()).toEqual(['user: plain text']);
    });

    it('the results of the server stay with the turns that are still there', async () => {
      const client = agent();
      await ask(client, 'u1', 'one tool');
      await ask(client, 'u2', 'plain text');
      client.setMessages(client.messages.filter(({ id }) => id === 'u1'));
      client.addMessage(user('u3', 'and then'));
      await runAgent(client);
      const [asked, called, result, answered, then] = told();
      expect([asked, called, answered, then]).toEqual([
        'user: one tool',
        expect.stringMatching(/^assistant: /),
        'assistant: Mild in Paris.',
        'user: and then',
      ]);
      expect(result).toContain('"celsius":21');
    });

    it('a client that only sends what is new loses nothing', async () => {
      const client = agent();
      await ask(client, 'u1', 'plain text');
      for (const [id, text] of [
        ['u2', 'and then'],
        ['u3', 'plain text'],
      ] as const) {
        client.setMessages([]);
        await ask(client, id, text);
      }
      expect(told()).toEqual([
        'user: plain text',
        'assistant: The sky is blue today.',
        'user: and then',
        'assistant: Then it rains.',
        'user: plain text',
      ]);
    });

    it('a client that leaves out what is old loses nothing', async () => {
      const client = agent();
      await ask(client, 'u1', 'plain text');
      await ask(client, 'u2', 'and then');
      client.setMessages(client.messages.slice(2));
      await ask(client, 'u3', 'plain text');
      expect(told()).toHaveLength(5);
    });

    it('the result of a client tool rolls nothing back, whoever sends how much', async () => {
      const client = agent();
      await ask(client, 'u1', 'plain text');
      await ask(client, 'u2', 'show the map', { tools: [SHOW_MAP] });
      const result = { id: 'call_m', role: 'tool', toolCallId: 'call_m', content: 'shown' } as never;
      if (version === '1.0.0') client.setMessages([result]);
      else client.addMessage(result);
      await runAgent(client, { tools: [SHOW_MAP] });
      expect(told()).toHaveLength(5);
      expect(told().at(-1)).toBe('tool: shown');
    });

    it('an approval rolls nothing back, and its result stays', async () => {
      const client = agent();
      await ask(client, 'u1', 'plain text');
      await ask(client, 'u2', 'open the window');
      const [interrupt] = client.pendingInterrupts ?? [];
      if (version === '1.0.0') keep(client, 1);
      const resume = [
        {
          interruptId: interrupt?.id ?? (await openInterrupt(client.threadId)),
          status: 'resolved',
          payload: { approved: true },
        },
      ];
      openedWindows.length = 0;
      await runAgent(client, { resume } as never);
      expect(openedWindows).toEqual(['kitchen']);
      expect(told()).toHaveLength(5);
    });

    it('an answer that the client has not seen does not cost the turns after it', async () => {
      const client = agent();
      await ask(client, 'u1', 'plain text');
      await ask(client, 'u2', 'and then');
      client.setMessages(client.messages.filter(({ role }) => role === 'user'));
      await ask(client, 'u3', 'plain text');
      expect(told()).toHaveLength(5);
    });

    it('the shared state is that of the turns that are left', async () => {
      const client = agent({ url: `${server.url}/ag-ui/code-journal` });
      let count = 0;
      behaviour.current = async function* (context) {
        seen.push(context.state.get());
        context.state.set({ turn: (count += 1) });
        yield say(context, `Turn ${count}.`);
      };
      const seen: object[] = [];
      await ask(client, 'u1', 'one');
      client.setState({});
      await ask(client, 'u2', 'two');
      client.setState({});
      await ask(client, 'u3', 'three');
      client.setState({});
      keep(client, 3);
      await runAgent(client);
      expect(seen).toEqual([{}, { turn: 1 }, { turn: 2 }, { turn: 1 }]);
    });
  });

  async function openInterrupt(sessionId: string): Promise<string> {
    const { data } = (await (await fetch(`${server.url}/interrupts?session_id=${sessionId}`)).json()) as {
      data: { id: string }[];
    };
    return data[0]?.id ?? '';
  }

  const post = async (path: string, threadId: string, messages: readonly object[]): Promise<string> => {
    const body = { threadId, runId: randomUUID(), messages, tools: [], context: [], state: {}, forwardedProps: {} };
    const answer = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(200);
    return answer.text();
  };
  const idOfAnswer = (stream: string): string =>
    String(jsonFrames(stream).find(({ type }) => type === 'TEXT_MESSAGE_START')?.['messageId']);
  const run = '/copilotkit/agent/default/run';
  const connect = '/copilotkit/agent/default/connect';

  it('a page that restores an edited thread is shown what is left of it', async () => {
    const threadId = randomUUID();
    const first = { id: 'u1', role: 'user', content: 'plain text' };
    const answer = {
      id: idOfAnswer(await post(run, threadId, [first])),
      role: 'assistant',
      content: 'The sky is blue today.',
    };
    await post(run, threadId, [first, answer, { id: 'u2', role: 'user', content: 'one tool' }]);
    await post(run, threadId, [first, answer, { id: 'u3', role: 'user', content: 'and then' }]);
    expect(told()).toEqual(['user: plain text', 'assistant: The sky is blue today.', 'user: and then']);
    const shown = jsonFrames(await post(connect, threadId, []));
    const texts = shown.filter(({ type }) => type === 'TEXT_MESSAGE_CONTENT').map(({ delta }) => delta);
    expect(texts).toEqual(['The sky is blue today.', 'Then it rains.']);
    expect(JSON.stringify(shown)).not.toContain('one tool');
    const { messages } = (await (await fetch(`${server.url}/copilotkit/threads/${threadId}/messages`)).json()) as {
      messages: { content: string }[];
    };
    expect(messages.map(({ content }) => content)).toEqual([
      'plain text',
      'The sky is blue today.',
      'and then',
      'Then it rains.',
    ]);
    const rows = await server
      .get(Database)
      .read.all<{ keep: string }>(
        'SELECT r.keep FROM runs r JOIN sessions s ON s.no = r.session_no WHERE s.id = ? ORDER BY r.ordinal',
        [threadId],
      );
    expect(rows.map(({ keep }) => keep)).toEqual(['kept', 'rolled_back', 'kept']);
  });

  describe('without ids', () => {
    const said = (role: string, content: string): object => ({ role, content });
    const [question, answer] = [said('user', 'plain text'), said('assistant', 'The sky is blue today.')];
    const [then, rains] = [said('user', 'and then'), said('assistant', 'Then it rains.')];

    it.each(['/ag-ui', run])('each turn adds only what is new: %s', async (path) => {
      const threadId = randomUUID();
      await post(path, threadId, [question]);
      await post(path, threadId, [question, answer, then]);
      await post(path, threadId, [question, answer, then, rains, question]);
      expect(told()).toEqual([
        'user: plain text',
        'assistant: The sky is blue today.',
        'user: and then',
        'assistant: Then it rains.',
        'user: plain text',
      ]);
      await post(path, threadId, [question, answer, then]);
      expect(told()).toEqual(['user: plain text', 'assistant: The sky is blue today.', 'user: and then']);
    });

    it('a user who says the same again is heard again, and both are shown', async () => {
      const threadId = randomUUID();
      await post('/ag-ui', threadId, [question]);
      await post('/ag-ui', threadId, [question]);
      await post('/ag-ui', threadId, [question, question]);
      expect(told().filter((one) => one === 'user: plain text')).toHaveLength(4);
      const asked = jsonFrames(await post(connect, threadId, []))
        .flatMap(({ input }) => (input as { messages?: { id: string }[] } | undefined)?.messages ?? [])
        .map(({ id }) => id);
      expect(new Set(asked).size).toBe(4);
    });
  });
});

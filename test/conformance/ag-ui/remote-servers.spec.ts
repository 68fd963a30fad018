import { EventType } from '@ag-ui/client';
import { CLIENTS, httpAgent, runAgent, type Seen } from '../../support/ag-ui-clients.js';
import { SHOW_MAP } from '../../support/ag-ui-options.js';
import { describeOnDatabases } from '../../support/databases.js';
import { callOfAgent, EncoderAgent, textOfAgent } from '../../support/encoder-agent.js';
import { png } from '../../support/images.js';
import { startServer, type TestServer } from '../../support/server.js';

type Client = ReturnType<typeof httpAgent>;

/** The packages of the protocol on both sides of a remote agent: their server behind it, and their clients before it. */
describeOnDatabases('a server made of the packages of AG-UI behind a remote agent', (open) => {
  let upstream: EncoderAgent;
  let server: TestServer;
  let threads = 0;

  beforeAll(async () => {
    upstream = await new EncoderAgent().listen();
    const agents = { coast: { type: 'ag-ui', url: upstream.url } };
    server = await startServer({ database: open, env: { AUTH: 'none', REMOTE_AGENTS: JSON.stringify({ agents }) } });
  });
  beforeEach(() => {
    upstream.inputs.length = 0;
  });
  afterEach(() => expect(upstream.refusals).toEqual([]));
  afterAll(async () => {
    await server.close();
    await upstream.close();
  });

  describe.each(CLIENTS)('with @ag-ui/client %s', (version) => {
    const clientOf = (): Client =>
      httpAgent(version, { url: `${server.url}/ag-ui/coast`, threadId: `coast-${version}-${(threads += 1)}` });
    async function ask(client: Client, content: unknown, more: object = {}): Promise<Seen> {
      client.addMessage({ id: `u${client.messages.length}`, role: 'user', content } as never);
      return runAgent(client, more);
    }
    const deltas = ({ events }: Seen, type: string): string =>
      events.map((event) => (event.type === type ? String(event['delta']) : '')).join('');

    it('thoughts, calls with results, state, steps and texts are those of the server', async () => {
      upstream.script = () => [
        { type: EventType.STEP_STARTED, stepName: 'look' },
        { type: EventType.REASONING_START, messageId: 'think' },
        { type: EventType.REASONING_MESSAGE_START, messageId: 'think', role: 'reasoning' },
        { type: EventType.REASONING_MESSAGE_CONTENT, messageId: 'think', delta: 'Ask the buoy.' },
        { type: EventType.REASONING_MESSAGE_END, messageId: 'think' },
        { type: EventType.REASONING_END, messageId: 'think' },
        ...callOfAgent('c1', 'buoy', { id: 4 }, '2 m'),
        { type: EventType.STATE_SNAPSHOT, snapshot: { waves: 2 } },
        { type: EventType.STATE_DELTA, delta: [{ op: 'add', path: '/wind', value: 5 }] },
        { type: EventType.STEP_FINISHED, stepName: 'look' },
        ...textOfAgent('m1', 'Waves of ', '2 m.'),
      ];
      const client = clientOf();
      const seen = await ask(client, 'How is the sea?');
      expect(deltas(seen, 'TEXT_MESSAGE_CONTENT')).toBe('Waves of 2 m.');
      expect(deltas(seen, 'REASONING_MESSAGE_CONTENT')).toBe('Ask the buoy.');
      expect(deltas(seen, 'TOOL_CALL_ARGS')).toBe('{"id":4}');
      expect(seen.events.find(({ type }) => type === 'TOOL_CALL_RESULT')).toMatchObject({ content: '2 m' });
      expect(seen.events.filter(({ type }) => type.startsWith('STEP_'))).toHaveLength(2);
      expect(client.state).toEqual({ waves: 2, wind: 5 });
      expect(seen.events.at(-1)?.type).toBe('RUN_FINISHED');
    });

    it('the next request has the whole conversation, with the ids of the server', async () => {
      upstream.script = () => [...callOfAgent('c1', 'buoy', { id: 4 }, '2 m'), ...textOfAgent('m1', 'Waves.')];
      const client = clientOf();
      await ask(client, 'How is the sea?');
      upstream.script = () => textOfAgent('m2', 'Still.');
      await ask(client, 'And now?');
      expect(upstream.inputs[1]?.messages.map(({ id, role }) => [role, role === 'user' ? '' : id])).toEqual([
        ['user', ''],
        ['assistant', 'm-c1'],
        ['tool', 'r-c1'],
        ['assistant', 'm1'],
        ['user', ''],
      ]);
      expect(upstream.inputs[1]?.threadId).toBe(upstream.inputs[0]?.threadId);
    });

    it('a tool of the client is called by the client, and the server gets the result', async () => {
      upstream.script = ({ messages }) =>
        messages.at(-1)?.role === 'tool'
          ? textOfAgent('m2', 'There.')
          : [...callOfAgent('c7', 'show_map', { place: 'Brest' })];
      const client = clientOf();
      const seen = await ask(client, 'Where?', { tools: [SHOW_MAP] });
      expect(upstream.inputs[0]?.tools).toEqual([SHOW_MAP]);
      const toolCallId = seen.events.find(({ type }) => type === 'TOOL_CALL_START')?.['toolCallId'];
      client.addMessage({ id: 'result', role: 'tool', toolCallId: String(toolCallId), content: 'shown' });
      const next = await runAgent(client, { tools: [SHOW_MAP] });
      expect(deltas(next, 'TEXT_MESSAGE_CONTENT')).toBe('There.');
      expect(upstream.inputs[1]?.messages.at(-1)).toMatchObject({ role: 'tool', toolCallId: 'c7', content: 'shown' });
    });

    it('a question of the server is asked here, and its answer resumes the server', async () => {
      const asked = { id: 'q1', reason: 'seat', message: 'Which seat?', responseSchema: { type: 'string' } };
      upstream.script = ({ resume }) =>
        resume
          ? textOfAgent('m2', `Seat ${JSON.stringify(resume[0]?.payload)}.`)
          : [{ type: EventType.RUN_FINISHED, outcome: { type: 'interrupt', interrupts: [asked] } }];
      const client = clientOf();
      await ask(client, 'Book');
      const [pending] = client.pendingInterrupts;
      expect(pending).toMatchObject({ message: 'Which seat?' });
      const resume = [{ interruptId: pending?.id ?? '', status: 'resolved', payload: '12A' }];
      const elsewhere = httpAgent(version, {
        url: client.url,
        threadId: client.threadId,
        initialMessages: client.messages,
      });
      const next = await runAgent(elsewhere, { resume } as never);
      expect(deltas(next, 'TEXT_MESSAGE_CONTENT')).toBe('Seat "12A".');
      expect(upstream.inputs.at(-1)?.resume).toEqual([{ interruptId: 'q1', status: 'resolved', payload: '12A' }]);
    });

    it('images and other files are parts that the server takes', async () => {
      upstream.script = () => textOfAgent('m1', 'Seen.');
      const bytes = png(2, 2, 5).toString('base64');
      const content = [
        { type: 'text', text: 'Look' },
        { type: 'image', source: { type: 'data', value: bytes, mimeType: 'image/png' } },
        { type: 'image', source: { type: 'url', value: 'https://images.example/a.png', mimeType: 'image/png' } },
      ];
      expect(deltas(await ask(clientOf(), content), 'TEXT_MESSAGE_CONTENT')).toBe('Seen.');
      expect(upstream.inputs[0]?.messages.at(-1)?.content).toEqual([
        { type: 'text', text: 'Look' },
        { type: 'image', source: { type: 'data', value: bytes, mimeType: 'image/png' } },
        { type: 'image', source: { type: 'url', value: 'https://images.example/a.png' } },
      ]);
    });

    it('an error of the server is the error of the run', async () => {
      upstream.script = () => [{ type: EventType.RUN_ERROR, message: 'The tide is out', code: 'TIDE' }];
      const seen = await ask(clientOf(), 'Sail').catch((error: unknown) => error);
      const shown = seen instanceof Error ? seen.message : JSON.stringify((seen as Seen).events.at(-1));
      expect(shown).toContain('The tide is out');
    });
  });
});

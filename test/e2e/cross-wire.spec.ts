import { ModelClient, type ModelEvent, type ModelRequest } from '../../src/agent/index.js';
import { call, finish, text } from '../../src/agent/testing/scripted-model-client.js';
import { bootApp, type TestApp } from '../support/test-app.js';
import { rawRequest, type RawAnswer, until } from '../support/wire-app.js';
import { framesOf, type Wire, WIRES } from '../support/wires.js';

const TOOL_OUTPUT = '"city":"Paris"';

/** Looks for a tool, says a half sentence, and waits until it may go on; or just answers. */
class GatedModel extends ModelClient {
  readonly provider = 'gated';
  readonly requests: ModelRequest[] = [];
  private gate = Promise.resolve();
  open: () => void = () => undefined;

  /** The next answers stop in the middle. */
  close(): void {
    this.gate = new Promise((resolve) => (this.open = resolve));
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelEvent, void, void> {
    this.requests.push(request);
    const last = request.messages.at(-1);
    const words = last?.role === 'user' && last.content[0]?.type === 'text' ? last.content[0].text : '';
    if (last?.role === 'user' && words.startsWith('Look')) {
      yield text('Let me look. ');
      yield call(0, 'get_weather', '{"city":"Paris"}', `call_${this.requests.length}`);
      yield finish('tool-calls');
    } else if (last?.role === 'tool') {
      yield text('It is ');
      await this.gate;
      yield text('fine.');
      yield finish();
    } else {
      yield text(`Answer to ${words}`);
      yield finish();
    }
  }
}

describe('across the wires', () => {
  const model = new GatedModel();
  let server: TestApp;
  let port: number;
  let turn = 0;

  beforeAll(async () => {
    server = await bootApp({}, {}, model);
    port = Number(new URL(server.url).port);
  });
  afterAll(() => server.close());

  const post = (path: string, body: unknown): RawAnswer => rawRequest(port, 'POST', path, JSON.stringify(body));
  const bytesOf = (answer: RawAnswer): string => answer.chunks.join('').replaceAll(/^: .*\n\n/gm, '');

  async function say(wire: Wire, sessionId: string, words: string): Promise<RawAnswer> {
    turn += 1;
    const { path, body } = wire.say(sessionId, words, turn);
    const answer = post(path, body);
    await until(() => answer.head !== '', `the head of ${wire.name}`);
    return answer;
  }

  async function ended(answer: RawAnswer): Promise<string> {
    await until(() => answer.ended, 'the end of a stream');
    return bytesOf(answer);
  }

  /** A session that every wire can name. */
  async function session(): Promise<string> {
    const id = `session-${turn}-${Date.now()}`;
    const made = await fetch(`${server.url}/v1/aibot/bots/worker/conversation`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ conversationId: id }),
    });
    expect(made.status).toBe(200);
    return id;
  }

  const pairs = WIRES.flatMap((starter) =>
    WIRES.map((watcher) => [starter.name, watcher.name, starter, watcher] as const),
  );

  it.each(pairs)('a run started on %s is watched on %s from its middle', async (_, __, starter, watcher) => {
    turn += 1;
    model.close();
    const sessionId = await session();
    const started = await say(starter, sessionId, 'Look at the weather');
    const runId = /^x-run-id: (\S+)/im.exec(started.head)?.[1] ?? '';
    await until(() => bytesOf(started).includes('It is '), `the middle on ${starter.name}`);
    const path = `/runs/${runId}/events?protocol=${watcher.name}`;
    const watched = rawRequest(port, 'GET', path);
    await until(() => bytesOf(watched).includes('It is '), `the middle on ${watcher.name}`);
    model.open();
    const [original, copy] = [await ended(started), await ended(watched)];

    const shown = watcher.shown(copy);
    expect(shown.text).toBe('Let me look. It is fine.');
    expect(shown.calls).toMatchObject([{ name: 'get_weather', arguments: '{"city":"Paris"}' }]);
    expect(shown.calls[0]?.output).toContain(TOOL_OUTPUT);
    const own = starter.shown(original);
    expect({ text: shown.text, calls: shown.calls }).toEqual({ text: own.text, calls: own.calls });
    for (const { usage } of [shown, own]) if (usage) expect(usage).toEqual({ input: 20, output: 10 });

    const again = await ended(rawRequest(port, 'GET', path));
    expect(again).toBe(copy);
    const frames = copy.match(/(?:^.+\n)+\n/gm) ?? [];
    const after = framesOf(copy).length - 2;
    const rest = await ended(rawRequest(port, 'GET', `${path}&after=${after}`));
    expect(rest).toBe(frames.slice(after).join(''));
  });

  it.each(pairs)('what is said on %s is known on %s', async (_, __, first, second) => {
    turn += 1;
    const sessionId = await session();
    await ended(await say(first, sessionId, 'one'));
    await ended(await say(second, sessionId, 'two'));
    await ended(await say(first, sessionId, 'three'));
    expect(conversation(model.requests.at(-1))).toEqual([
      'user: one',
      'assistant: Answer to one',
      'user: two',
      'assistant: Answer to two',
      'user: three',
    ]);
  });

  it('a client that resends what it knows repeats nothing', async () => {
    turn += 1;
    const [agentApi, agUi, agKit] = ['agent-api', 'ag-ui', 'ag-kit'].map((name) =>
      WIRES.find((wire) => wire.name === name),
    ) as [Wire, Wire, Wire];
    const threadId = await session();
    const known: unknown[] = [{ id: 'u1', role: 'user', content: 'one' }];
    const agUiTurn = async (runId: string): Promise<void> => {
      const stream = await ended(post('/ag-ui', { threadId, runId, messages: known }));
      const id = framesOf(stream).find(({ type }) => type === 'TEXT_MESSAGE_START')?.['messageId'];
      known.push({ id, role: 'assistant', content: agUi.shown(stream).text });
    };
    await agUiTurn('r1');
    await ended(await say(agKit, threadId, 'two'));
    const spoken = await ended(await say(agentApi, threadId, 'three'));
    known.push({ id: 'u4', role: 'user', content: 'four' });
    await agUiTurn('r2');
    const output = (framesOf(spoken).findLast(({ object }) => object === 'response') as { output: unknown[] }).output;
    const five = { role: 'user', content: [{ type: 'text', text: 'five' }] };
    await ended(post('/process', { session_id: threadId, input: [...output, five] }));
    const turns = ['one', 'two', 'three', 'four'].flatMap((word) => [`user: ${word}`, `assistant: Answer to ${word}`]);
    expect(conversation(model.requests.at(-1))).toEqual([...turns, 'user: five']);
  });
});

/** What the model was told of the conversation. */
function conversation(request: ModelRequest | undefined): string[] {
  return (request?.messages ?? [])
    .filter(({ role }) => role !== 'system')
    .map((message) => {
      const { role, content } = message;
      const words =
        typeof content === 'string' ? content : content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      return `${role}: ${words}`;
    });
}

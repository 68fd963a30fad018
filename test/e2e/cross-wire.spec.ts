import { randomUUID } from 'node:crypto';
import { ModelClient, type ModelEvent, type ModelRequest } from '../../src/agent/index.js';
import { call, finish, text } from '../../src/agent/testing/scripted-model-client.js';
import { describeOnDatabases } from '../support/databases.js';
import { startServer, type TestServer } from '../support/server.js';
import { type RawAnswer, rawRequest } from '../support/raw-http.js';
import { until } from '../support/until.js';
import { RUNS_USER, type Saying, type Wire, type WireRequest, WIRES } from '../support/wires.js';
import { jsonFrames } from '../support/sse.js';

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

  async *stream(request: ModelRequest): AsyncGenerator<ModelEvent[], void, void> {
    this.requests.push(request);
    const last = request.messages.at(-1);
    const words = last?.role === 'user' && last.content[0]?.type === 'text' ? last.content[0].text : '';
    if (last?.role === 'user' && words.startsWith('Look')) {
      yield [text('Let me look. ')];
      yield [call(0, 'get_weather', '{"city":"Paris"}', `call_${this.requests.length}`), finish('tool-calls')];
    } else if (last?.role === 'tool') {
      yield [text('It is ')];
      await this.gate;
      yield [text('fine.'), finish()];
    } else {
      yield [text(`Answer to ${words}`), finish()];
    }
  }
}

describeOnDatabases('across the wires', (openDatabase) => {
  const model = new GatedModel();
  let server: TestServer;
  let port: number;
  let turn = 0;

  beforeAll(async () => {
    server = await startServer({ database: openDatabase, model: model });
    port = Number(new URL(server.url).port);
  });
  afterAll(() => server.close());

  const post = ({ path, body, headers }: WireRequest): RawAnswer =>
    rawRequest(port, 'POST', path, JSON.stringify(body), headers);
  const get = (path: string): RawAnswer => rawRequest(port, 'GET', path);
  const bytesOf = (answer: RawAnswer): string => answer.chunks.join('').replaceAll(/^: .*\n\n/gm, '');

  async function ended(answer: RawAnswer): Promise<string> {
    await until(() => answer.ended, 'the end of a stream');
    return bytesOf(answer);
  }

  /** A session that every wire can name; without a user it is one of the wires that take its own name. */
  async function session(user: string | undefined): Promise<string> {
    const conversationId = randomUUID();
    const made = await fetch(`${server.url}/v1/aibot/bots/worker/conversation`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(user !== undefined && { 'x-user-id': user }) },
      body: JSON.stringify({ conversationId }),
    });
    expect(made.status).toBe(200);
    return conversationId;
  }

  const saying = (sessionId: string, words: string, user?: string): Saying => ({
    sessionId,
    words,
    user,
    turn: (turn += 1),
  });
  const say = (wire: Wire, sessionId: string, words: string, user?: string): Promise<string> =>
    ended(post(wire.say(saying(sessionId, words, user))));

  /** The server's own id of a run that was started. */
  async function runIdOf(wire: Wire, said: Saying, started: RawAnswer): Promise<string> {
    if (!wire.view) return /^x-run-id: (\S+)/im.exec(started.head)?.[1] ?? '';
    const view = await fetch(`${server.url}${wire.view(said)}`);
    return ((await view.json()) as { taskId: string }).taskId;
  }

  it.each(WIRES.map((starter) => [starter.name, starter] as const))(
    'a run started on %s is watched on every wire at once, from its middle',
    async (_, starter) => {
      model.close();
      const user = starter.name === 'runs' ? RUNS_USER : undefined;
      const said = saying(await session(user), 'Look at the weather', user);
      const started = post(starter.say(said));
      await until(() => bytesOf(started).includes('It is '), `the middle on ${starter.name}`);
      const runId = await runIdOf(starter, said, started);
      const watchers = WIRES.map((wire) => ({ wire, path: `/runs/${runId}/events?protocol=${wire.name}` }));
      const watched = watchers.map(({ path }) => get(path));
      await until(() => watched.every((answer) => bytesOf(answer).includes('It is ')), 'the middle on all wires');
      model.open();
      const original = await ended(started);
      const own = starter.shown(original);
      const showsOutputs = (name: string): boolean => name !== 'chat-completions';
      if (showsOutputs(starter.name)) expect(own.calls[0]?.output).toContain(TOOL_OUTPUT);

      for (const [index, { wire, path }] of watchers.entries()) {
        const copy = await ended(watched[index] as RawAnswer);
        const { usage, ...shown } = wire.shown(copy);
        expect([wire.name, shown.text]).toEqual([wire.name, 'Let me look. It is fine.']);
        expect(shown.calls).toMatchObject([{ name: 'get_weather', arguments: '{"city":"Paris"}' }]);
        if (showsOutputs(wire.name) && showsOutputs(starter.name)) expect(shown.calls).toEqual(own.calls);
        expect(shown.text).toBe(own.text);
        expect([wire.name, usage]).toEqual([wire.name, wire.name === 'ag-kit' ? undefined : { input: 20, output: 10 }]);
        // A reader of the wire that started the run reads what its client read.
        if (wire === starter) expect(copy).toBe(original);
        expect(await ended(get(path))).toBe(copy);
        const frames = copy.match(/(?:^.+\n)+\n/gm) ?? [];
        const after = jsonFrames(copy).length - 2;
        expect(await ended(get(`${path}&after=${after}`))).toBe(frames.slice(after).join(''));
      }
    },
  );

  it.each([
    ['with a user that is named', WIRES, RUNS_USER],
    ['without one', WIRES.filter(({ name }) => name !== 'runs'), undefined],
  ])('a message of one wire is known on every other, %s', async (_, wires, user) => {
    const sessionId = await session(user);
    const told: string[] = [];
    for (const [index, wire] of everyPair(wires).entries()) {
      // The first words of a wire make a call, so that calls and their results are known, too.
      const isFirst = index === everyPair(wires).indexOf(wire);
      const words = `${isFirst ? 'Look' : 'Word'} ${index}`;
      await say(wire, sessionId, words, user);
      told.push(`user: ${words}`);
      const asked = conversation(model.requests.at(-1));
      if (isFirst) told.push('assistant: Let me look. ', `tool: ${asked.at(-1)?.slice('tool: '.length) ?? ''}`);
      expect([wire.name, asked]).toEqual([wire.name, told]);
      told.push(isFirst ? 'assistant: It is fine.' : `assistant: Answer to ${words}`);
    }
    expect(await recordsOf(sessionId, user)).toEqual(told.filter((line) => !line.startsWith('tool: ')));
  });

  it('the history of the Runs API holds the messages of every wire', async () => {
    const sessionId = await session(RUNS_USER);
    for (const wire of WIRES) await say(wire, sessionId, `On ${wire.name}`, RUNS_USER);
    const history = await fetch(`${server.url}/api/v1/agent/history?threadId=${sessionId}`);
    const { messages } = (await history.json()) as { messages: { role: string; content: string }[] };
    expect(messages.map(({ role, content }) => `${role}: ${content}`)).toEqual(
      WIRES.flatMap(({ name }) => [`user: On ${name}`, `assistant: Answer to On ${name}`]),
    );
  });

  it('a client that resends its history repeats nothing', async () => {
    const [agentApi, responses, agUi, agKit, runs] = WIRES as [Wire, Wire, Wire, Wire, Wire];
    const user = RUNS_USER;
    const threadId = await session(user);
    const known: unknown[] = [{ id: 'u1', role: 'user', content: 'one' }];
    const agUiTurn = async (runId: string): Promise<void> => {
      const { headers } = agUi.say(saying(threadId, '', user));
      const stream = await ended(post({ path: '/ag-ui', body: { threadId, runId, messages: known }, ...{ headers } }));
      const id = jsonFrames(stream).find(({ type }) => type === 'TEXT_MESSAGE_START')?.['messageId'];
      known.push({ id, role: 'assistant', content: agUi.shown(stream).text });
    };
    await agUiTurn('r1');
    await say(agKit, threadId, 'two', user);
    await say(runs, threadId, 'three');
    const spoken = await say(agentApi, threadId, 'four', user);
    known.push({ id: 'u5', role: 'user', content: 'five' });
    await agUiTurn('r2');
    const output = (jsonFrames(spoken).findLast(({ object }) => object === 'response') as { output: unknown[] }).output;
    const six = { role: 'user', content: [{ type: 'text', text: 'six' }] };
    await ended(post({ path: '/process', body: { session_id: threadId, user_id: user, input: [...output, six] } }));
    const items = jsonFrames(await say(responses, threadId, 'seven', user)).find(
      ({ type }) => type === 'response.completed',
    ) as { response: { output: unknown[] } };
    const input = [...items.response.output, { role: 'user', content: 'eight' }];
    const body = { model: 'worker', conversation: threadId, input, stream: true, user };
    await ended(post({ path: '/v1/responses', body }));
    const turns = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'];
    expect(conversation(model.requests.at(-1))).toEqual([
      ...turns.flatMap((word) => [`user: ${word}`, `assistant: Answer to ${word}`]),
      'user: eight',
    ]);
  });

  /** What AG-Kit's records tell of a session. */
  async function recordsOf(conversationId: string, user: string | undefined): Promise<string[]> {
    const query = `conversationId=${conversationId}&sort=asc&pageSize=100${user === undefined ? '' : `&user_id=${user}`}`;
    const lines: string[] = [];
    for (let page = 1; lines.length === (page - 1) * 100; page += 1) {
      const answer = await fetch(`${server.url}/v1/aibot/bots/worker/records?${query}&pageNumber=${page}`);
      const { recordList } = (await answer.json()) as { recordList: { role: string; content: string }[] };
      lines.push(...recordList.map(({ role, content }) => `${role}: ${content}`));
    }
    return lines;
  }
});

/** An order in which each item follows each, itself too, and no pair comes twice. */
function everyPair<T>(items: readonly T[]): T[] {
  const order = items.flatMap((item, index) => [item, ...items.slice(index + 1).flatMap((later) => [item, later])]);
  return [...order, ...items.slice(0, 1)];
}

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

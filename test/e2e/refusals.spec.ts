import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { begin, end, rawUpstream, type RawUpstream } from '../../src/agent/adapters/testing/raw-upstream.js';
import { startServer, type TestServer } from '../support/server.js';
import { jsonFrames } from '../support/sse.js';
import { until } from '../support/until.js';
import { type Wire, WIRES } from '../support/wires.js';

const PIECES = ['I cannot', ' help with', ' that.'];
const REFUSAL = PIECES.join('');

describe('a refusal of the model (delta.refusal)', () => {
  let upstream: RawUpstream;
  let server: TestServer;
  let turn = 0;

  beforeAll(async () => {
    upstream = await rawUpstream((response) => {
      begin(response, { role: 'assistant', content: null }, ...PIECES.map((refusal) => ({ refusal })));
      end(response, 'stop', { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 });
    });
    server = await startServer({ env: { LLM_BASE_URL: upstream.url, LLM_API_KEY: 'k', LLM_MODEL: 'm' } });
  });
  afterAll(async () => {
    await server.close();
    await upstream.close();
  });

  async function streamOn(name: Wire['name']): Promise<string> {
    const wire = WIRES.find((one) => one.name === name);
    if (!wire) throw new Error(`There is no wire ${name}`);
    const said = { sessionId: randomUUID(), words: 'Do something bad', turn: (turn += 1) };
    if (name === 'responses') return post('/v1/responses', { model: 'worker', input: said.words, stream: true });
    const { path, body } = wire.say(said);
    return post(path, body);
  }

  async function post(path: string, body: object): Promise<string> {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(answer.ok).toBe(true);
    return answer.text();
  }

  it('the Agent API shows a refusal content in pieces', async () => {
    const frames = jsonFrames(await streamOn('agent-api'));
    const contents = frames.filter(({ object, type }) => object === 'content' && type === 'refusal');
    expect(contents.filter(({ delta }) => delta).map(({ refusal }) => refusal)).toEqual(PIECES);
    const last = frames.at(-1) as { status: string; output: { type: string; content: { type: string }[] }[] };
    expect(last.status).toBe('completed');
    expect(last.output.map(({ type }) => type)).toEqual(['message']);
    expect(last.output[0]?.content).toMatchObject([{ type: 'refusal', refusal: REFUSAL, status: 'completed' }]);
  });

  it('Responses shows a refusal part with response.refusal.delta and .done', async () => {
    const frames = jsonFrames(await streamOn('responses'));
    const of = (type: string): typeof frames => frames.filter((frame) => frame['type'] === type);
    expect(
      of('response.refusal.delta')
        .map(({ delta }) => delta)
        .join(''),
    ).toBe(REFUSAL);
    expect(of('response.refusal.done').map(({ refusal }) => refusal)).toEqual([REFUSAL]);
    expect(of('response.content_part.done').map(({ part }) => part)).toEqual([{ type: 'refusal', refusal: REFUSAL }]);
    expect(of('response.output_text.delta')).toEqual([]);
    const { response } = frames.at(-1) as { response: { status: string; output: unknown[] } };
    expect(response).toMatchObject({
      status: 'completed',
      output: [{ type: 'message', status: 'completed', content: [{ type: 'refusal', refusal: REFUSAL }] }],
    });
  });

  it.each(['ag-ui', 'ag-kit', 'runs'] as const)('a refusal is text on %s', async (name) => {
    const wire = WIRES.find((one) => one.name === name);
    expect(wire?.shown(await streamOn(name)).text).toBe(REFUSAL);
  });

  it('a refusal is text on CopilotKit and for a bot of AG-Kit', async () => {
    const messages = [{ id: 'm-1', role: 'user', content: 'Do something bad' }];
    const run = {
      threadId: randomUUID(),
      runId: 'run-1',
      messages,
      tools: [],
      context: [],
      state: {},
      forwardedProps: {},
    };
    const [agUi, agKit] = ['ag-ui', 'ag-kit'].map((name) => WIRES.find((one) => one.name === name));
    expect(agUi?.shown(await post('/copilotkit/agent/default/run', run)).text).toBe(REFUSAL);
    const said = { conversationId: randomUUID(), messages };
    expect(agKit?.shown(await post('/v1/aibot/bots/worker/send-message', said)).text).toBe(REFUSAL);
  });

  it('Responses over a WebSocket shows a refusal as over HTTP', async () => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/responses`);
    const events: { type: string; delta?: string; response?: { output: unknown[] } }[] = [];
    socket.on('message', (data: Buffer) => events.push(JSON.parse(data.toString()) as (typeof events)[number]));
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'response.create', model: 'worker', input: 'Do something bad' }));
    await until(() => events.some(({ type }) => type === 'response.completed'), 'a response');
    socket.close();
    const pieces = events.filter(({ type }) => type === 'response.refusal.delta').map(({ delta }) => delta);
    expect(pieces.join('')).toBe(REFUSAL);
    const output = [{ type: 'message', content: [{ type: 'refusal', refusal: REFUSAL }] }];
    expect(events.at(-1)).toMatchObject({ response: { output } });
  });

  it('the model gets its refusal in the next turn', async () => {
    const session_id = randomUUID();
    const input = [{ role: 'user', content: [{ type: 'text', text: 'Do something bad' }] }];
    for (let count = 0; count < 2; count += 1) await post('/process', { session_id, input });
    expect(upstream.seen.at(-1)?.body['messages']).toContainEqual({ role: 'assistant', content: REFUSAL });
  });
});

import { createServer, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { LLMock } from '@copilotkit/aimock';
import { sqliteDatabase, type TestDatabase } from '../support/databases.js';
import { answerText, expectWhole, type Frame, ProcessClient, userText } from '../support/process-client.js';
import { ServerProcess } from '../support/server-process.js';

const SECRET = 'upstream-internal-detail';
const IMAGE = `data:image/png;base64,${'A'.repeat(2 * 1024 * 1024)}`;
const LOOKUP = {
  type: 'function',
  function: {
    name: 'lookup_order',
    description: 'Looks an order up',
    parameters: { type: 'object', properties: { id: { type: 'string' } } },
  },
};

function typesOf(response: Frame): (string | undefined)[] {
  return (response.output ?? []).map(({ type }) => type);
}

function toolOutput(callId: string, output: string): unknown {
  return { type: 'function_call_output', role: 'tool', content: [{ type: 'data', data: { call_id: callId, output } }] };
}

describe('the agent on a model server', () => {
  let database: TestDatabase;
  let server: ServerProcess;
  let upstream: LLMock;
  let client: ProcessClient;

  beforeAll(async () => {
    upstream = new LLMock({ port: 0, chunkSize: 5 });
    script(upstream);
    await upstream.start();
    database = await sqliteDatabase();
    server = await ServerProcess.start(database, {
      LLM_BASE_URL: `${upstream.url}/v1`,
      LLM_API_KEY: 'sk-never-shown',
      LLM_MAX_RETRIES: '0',
    });
    client = new ProcessClient(server.url);
  });

  afterAll(async () => {
    await server.stop();
    await upstream.stop();
    await database.drop();
  });

  it('the health page shows the model, and no secret', async () => {
    const { body } = await client.json<{ model: unknown }>('GET', '/health');
    expect(body.model).toEqual({ kind: 'openai-compatible', name: 'gpt-4o-mini' });
    expect(JSON.stringify(body)).not.toMatch(/sk-never-shown|127\.0\.0\.1/);
  });

  it('a text is streamed in pieces', async () => {
    const { frames, done, response } = await client.ask('plain text');
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const last = expectWhole(frames);
    expect({ done, status: last.status, text: answerText(last) }).toEqual({
      done: true,
      status: 'completed',
      text: 'The sky is blue today.',
    });
    const deltas = frames.filter(({ object, delta }) => object === 'content' && delta);
    expect(deltas.length).toBeGreaterThan(2);
    expect(deltas.map(({ text }) => text).join('')).toBe('The sky is blue today.');
    expect(last.usage?.output_tokens).toBeGreaterThan(0);
  });

  it('the reasoning ends before the answer', async () => {
    const last = expectWhole((await client.ask('reasoned text')).frames);
    expect(typesOf(last)).toEqual(['reasoning', 'message']);
    expect(last.output?.[0]?.content?.[0]?.text).toBe('Let me think.');
  });

  it('a tool of the server runs and its output is shown', async () => {
    const last = expectWhole((await client.ask('one tool')).frames);
    expect(typesOf(last)).toEqual(['plugin_call', 'plugin_call_output', 'message']);
    const [call, output] = (last.output ?? []).map(({ content }) => content?.[0]?.data);
    expect(call).toMatchObject({ name: 'get_weather', arguments: '{"city":"Paris"}' });
    expect(output).toMatchObject({ call_id: call?.['call_id'], name: 'get_weather' });
    expect(output?.['output']).toContain('Paris');
    expect(answerText(last)).toBe('It is fine in Paris.');
  });

  it('parallel tools run and each output belongs to its call', async () => {
    const last = expectWhole((await client.ask('two tools')).frames);
    const messages = last.output ?? [];
    const calls = messages
      .filter(({ type }) => type === 'plugin_call')
      .map(({ content }) => content?.[0]?.data?.['call_id']);
    const outputs = messages
      .filter(({ type }) => type === 'plugin_call_output')
      .map(({ content }) => content?.[0]?.data?.['call_id']);
    expect(new Set(calls).size).toBe(2);
    expect(outputs.sort()).toEqual(calls.sort());
    expect(answerText(last)).toBe('Both are fine.');
  });

  it('the client runs its own tool and the answer uses its output', async () => {
    const session = { session_id: 'client-tool', tools: [LOOKUP] };
    const first = expectWhole((await client.ask('client tool', session)).frames);
    expect(first.status).toBe('completed');
    const call = first.output?.at(-1);
    expect(call?.type).toBe('function_call');
    const callId = call?.content?.[0]?.data?.['call_id'] ?? '';
    const second = await client.open({ ...session, input: [toolOutput(callId, 'order 7 is on its way')] });
    expect(answerText(expectWhole((await second.all()).frames))).toBe('Your order is on its way.');

    const again = await client.json('POST', '/process', { ...session, input: [toolOutput(callId, 'once more')] });
    expect(again).toMatchObject({ status: 400, body: { code: 'INVALID_PARAMETER' } });
    const unknown = await client.json('POST', '/process', { ...session, input: [toolOutput('call_nobody_made', 'x')] });
    expect(unknown).toMatchObject({ status: 400, body: { code: 'INVALID_PARAMETER' } });
  });

  it('a failure of the model server gives an error code and none of its text', async () => {
    const { frames, done } = await client.ask('server error', { session_id: 'error' });
    const last = expectWhole(frames);
    expect({ done, status: last.status, code: last.error?.code }).toEqual({
      done: true,
      status: 'failed',
      code: 'MODEL_EXECUTION_FAILED',
    });
    expect(JSON.stringify(frames)).not.toMatch(new RegExp(`${SECRET}|sk-never-shown|127\\.0\\.0\\.1|at .*\\.js:`));
    const next = await client.ask('plain text', { session_id: 'error' });
    expect(expectWhole(next.frames).status).toBe('completed');
  });

  it('the partial text is kept when the model server closes the connection', async () => {
    const last = expectWhole((await client.ask('breaks off')).frames);
    expect(last.status).toBe('failed');
    expect(last.error?.code).toMatch(/^MODEL_/);
    expect(answerText(last)).toMatch(/^This/);
  });

  it('an image of 2 MB reaches the model', async () => {
    const stream = await client.open({
      input: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            { type: 'image', image_url: IMAGE },
          ],
        },
      ],
    });
    expect(answerText(expectWhole((await stream.all()).frames))).toBe('I see all of it.');
  });

  it('stream:false is answered with one response', async () => {
    const { status, body } = await client.json('POST', '/process', { ...userText('plain text'), stream: false });
    expect({ status, state: body.status, text: answerText(body) }).toEqual({
      status: 200,
      state: 'completed',
      text: 'The sky is blue today.',
    });
  });

  it('tools get the time of the client', async () => {
    const client_time = {
      device_timezone: 'Asia/Tokyo',
      client_now_iso: '2026-11-21T10:00:00+09:00',
      client_epoch_ms: 1_795_222_800_000,
    };
    const last = expectWhole((await client.ask('what time', { forwarded_props: { client_time } })).frames);
    expect(last.output?.[1]?.content?.[0]?.data?.['output']).toContain('Asia/Tokyo');
  });
});

describe('a model server that hangs', () => {
  let database: TestDatabase;
  let server: ServerProcess;
  let upstream: Server;
  let client: ProcessClient;

  beforeAll(async () => {
    upstream = createServer((_, response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(
        `data: ${JSON.stringify({ choices: [{ index: 0, delta: { role: 'assistant', content: 'So far' } }] })}\n\n`,
      );
    }).listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    database = await sqliteDatabase();
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`;
    server = await ServerProcess.start(database, { LLM_BASE_URL: url, KEEP_ALIVE_MS: '100' });
    client = new ProcessClient(server.url);
  });

  afterAll(async () => {
    await server.stop();
    upstream.closeAllConnections();
    upstream.close();
    await database.drop();
  });

  it('keep-alive comments are sent, and a stop frees the session with the partial output', async () => {
    const session = { session_id: 'hanging' };
    const stream = await client.say('hang', session);
    expect(await stream.until(({ comments }) => comments.length >= 2)).toBe(true);
    const busy = await client.json('POST', '/process', { ...userText('again'), ...session });
    expect(busy).toMatchObject({ status: 409, body: { code: 'SESSION_BUSY' } });

    const stopped = await client.json<{ status: string }>('POST', '/stop', session);
    expect(stopped).toMatchObject({ status: 200, body: { status: 'ok' } });
    const last = expectWhole((await stream.all()).frames);
    expect({ status: last.status, text: answerText(last) }).toEqual({ status: 'canceled', text: 'So far' });

    const next = await client.say('again', session);
    expect(next.status).toBe(200);
    await client.json('POST', '/stop', session);
    expect(expectWhole((await next.all()).frames).status).toBe('canceled');
  });
});

function script(upstream: LLMock): void {
  const tools = (text: string, toolCalls: { name: string; arguments: string; id: string }[], answer: string): void => {
    upstream.on({ userMessage: text, hasToolResult: false }, { toolCalls });
    upstream.on({ userMessage: text, hasToolResult: true }, { content: answer });
  };
  upstream.onMessage('plain text', { content: 'The sky is blue today.' });
  upstream.onMessage('reasoned text', { content: 'So it is.', reasoning: 'Let me think.' });
  tools('one tool', [{ name: 'get_weather', arguments: '{"city":"Paris"}', id: 'call_a' }], 'It is fine in Paris.');
  tools(
    'two tools',
    [
      { name: 'get_weather', arguments: '{"city":"Paris"}', id: 'call_b' },
      { name: 'get_weather', arguments: '{"city":"Rome"}', id: 'call_c' },
    ],
    'Both are fine.',
  );
  tools('client tool', [{ name: 'lookup_order', arguments: '{"id":"7"}', id: 'call_d' }], 'Your order is on its way.');
  tools('what time', [{ name: 'get_current_time', arguments: '{}', id: 'call_e' }], 'It is late.');
  upstream.on(
    { predicate: ({ messages }) => JSON.stringify(messages).includes(IMAGE) },
    { content: 'I see all of it.' },
  );
  upstream.onMessage('server error', { error: { message: SECRET, type: 'server_error' }, status: 500 });
  upstream.onMessage(
    'breaks off',
    { content: 'This answer is never told to its end, for the line is cut.' },
    { truncateAfterChunks: 6, latency: 50 },
  );
}

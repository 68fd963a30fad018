import type { ServerResponse } from 'node:http';
import { freePort } from '../../../../test/support/free-port.js';
import { until } from '../../../../test/support/until.js';
import { abortableDelay, type Delay } from '../../../common/index.js';
import { ChatCompletionsModelClient } from './chat-completions-model-client.js';
import { collect, failureOf, request } from '../testing/collect.js';
import { begin, end, rawUpstream, type RawUpstream, refuse, type Script, send } from '../testing/raw-upstream.js';
import { clientFor, expectError, KEY, waits } from '../testing/upstream-client.js';

/** Everything but the timers of the client: the connection to the upstream is real. */
const REAL: FakeableAPI[] = [
  ...(['Date', 'hrtime', 'performance', 'nextTick', 'queueMicrotask'] as const),
  ...(['setImmediate', 'clearImmediate', 'setInterval', 'clearInterval'] as const),
];

beforeEach(() => {
  waits.length = 0;
});
afterEach(() => jest.useRealTimers());

describe('against an upstream that misbehaves', () => {
  let upstream: RawUpstream | undefined;
  const start = async (...scripts: readonly Script[]): Promise<RawUpstream> =>
    (upstream = await rawUpstream(...scripts));
  afterEach(async () => {
    await upstream?.close();
    upstream = undefined;
  });

  it('sends the key, and shows it to nobody', async () => {
    const { url, seen } = await start(refuse(401, `Incorrect API key: ${KEY}`));
    const error = expectError((await failureOf(clientFor(url), request('hi'))).error, 'MODEL_UNAUTHORIZED_ACCESS');
    expect(seen[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(`${error.message} ${error.stack} ${JSON.stringify(error.details ?? null)}`).not.toContain(KEY);
  });

  it('sends no credentials when it has none', async () => {
    const { url, seen } = await start((response) => (begin(response, { content: 'x' }), end(response)));
    await collect(clientFor(url, { apiKey: undefined }), request('hi'));
    expect(seen[0]?.headers.authorization).toBeUndefined();
  });

  it('reports reasoning and cached tokens', async () => {
    const usage = {
      prompt_tokens: 9,
      completion_tokens: 8,
      total_tokens: 17,
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 3 },
    };
    const { url } = await start(
      (response) => (begin(response, { reasoning_content: 'hm' }, { content: 'x' }), end(response, 'length', usage)),
    );
    const { finish } = await collect(clientFor(url), request('hi'));
    expect(finish).toEqual({
      type: 'finish',
      reason: 'length',
      usage: { input_tokens: 9, output_tokens: 8, total_tokens: 17, cached_tokens: 4, reasoning_tokens: 3 },
    });
  });

  it('leaves usage and ids out when the provider gives none', async () => {
    const call = (index: number, name?: string, text = ''): object => ({
      tool_calls: [{ index, function: { name, arguments: text } }],
    });
    const { url } = await start(
      (response) => (
        begin(
          response,
          call(0, 'a'),
          call(1, 'b'),
          call(0, undefined, '{"x":'),
          call(1, undefined, '{}'),
          call(0, undefined, '1}'),
        ),
        end(response, 'stop')
      ),
    );
    const made = await collect(clientFor(url), request('hi'));
    expect(made.calls).toEqual([
      { id: undefined, name: 'a', arguments: '{"x":1}' },
      { id: undefined, name: 'b', arguments: '{}' },
    ]);
    expect(made.finish).toEqual({ type: 'finish', reason: 'tool-calls', usage: null });
  });

  it('times out before the first token, and hangs up', async () => {
    const { url, seen, hungUp } = await start((response) => begin(response, { role: 'assistant', content: '' }));
    const { error, events } = await failureOf(clientFor(url, { firstTokenTimeoutMs: 60 }), request('hi'));
    expect(expectError(error, 'MODEL_TIMEOUT').message).toBe('The model did not begin to answer in time');
    expect(events).toEqual([]);
    await hungUp;
    expect(seen).toHaveLength(1);
  });

  it('times out when there are not even headers', async () => {
    const { url, hungUp } = await start(() => undefined);
    expectError((await failureOf(clientFor(url, { firstTokenTimeoutMs: 60 }), request('hi'))).error, 'MODEL_TIMEOUT');
    await hungUp;
  });

  it('times out in the middle', async () => {
    const { url, hungUp } = await start((response) => begin(response, { content: 'one ' }, { content: 'two' }));
    const { error, events } = await failureOf(clientFor(url, { idleTimeoutMs: 60 }), request('hi'));
    expect(expectError(error, 'MODEL_TIMEOUT').message).toBe('The model fell silent in the middle of its answer');
    expect(events).toHaveLength(2);
    await hungUp;
  });

  it('does not blame the model for a slow reader', async () => {
    let finish = (): void => undefined;
    const { url } = await start((response) => {
      begin(response, { content: 'one ' });
      finish = () => (send(response, { choices: [{ index: 0, delta: { content: 'two' } }] }), end(response));
    });
    jest.useFakeTimers({ doNotFake: REAL });
    let text = '';
    for await (const batch of clientFor(url, { idleTimeoutMs: 40 }).stream(
      request('hi'),
      new AbortController().signal,
    )) {
      for (const event of batch) if (event.type === 'text-delta') text += event.text;
      await jest.advanceTimersByTimeAsync(70);
      if (text === 'one ') finish();
    }
    expect(text).toBe('one two');
  });

  it.each<[string, Script]>([
    ['ends without a finish', (response) => response.end('data: [DONE]\n\n')],
    ['sends what is not JSON', (response) => response.write('data: {nonsense\n\n')],
    ['sends JSON of another shape', (response) => send(response, { choices: 'upstream words' })],
    ['sends an error', (response) => send(response, { error: { message: 'upstream words', code: null } })],
    ['loses the connection', (response) => response.destroy()],
  ])('fails when the stream %s', async (_, misbehave) => {
    const { url, seen } = await start((response) => {
      begin(response, { content: 'partial' });
      setImmediate(() => misbehave(response));
    });
    const { error, events } = await failureOf(clientFor(url), request('hi'));
    expectError(error, 'MODEL_EXECUTION_FAILED');
    expect(events).toEqual([{ type: 'text-delta', text: 'partial' }]);
    expect(seen).toHaveLength(1);
  });

  it('fails when the answer is no stream at all', async () => {
    const { url } = await start((response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"choices":[]}'),
    );
    expectError((await failureOf(clientFor(url), request('hi'))).error, 'MODEL_EXECUTION_FAILED');
  });

  it('tries again when the connection is lost before the first event', async () => {
    const { url, seen } = await start(
      (response) => response.destroy(),
      (response) => {
        begin(response, { role: 'assistant' });
        setImmediate(() => response.destroy());
      },
      (response) => (begin(response, { content: 'ok' }), end(response)),
    );
    expect((await collect(clientFor(url), request('hi'))).text).toBe('ok');
    expect(seen).toHaveLength(3);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['reset', (response) => response.socket?.resetAndDestroy()],
    ['closed', (response) => response.destroy()],
    ['reset later', (response) => setImmediate(() => response.socket?.resetAndDestroy())],
  ])('keeps all text that came before the connection was %s, and fails then', async (_, cut) => {
    const words = Array.from({ length: 50 }, (__, index) => `word${index} `);
    const { url, seen } = await start((response) => {
      const chunks = words.map(
        (content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`,
      );
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunks.join(''), () => cut(response));
    });
    const failed = await failureOf(clientFor(url), request('hi'));
    expect(failed.events.map((event) => (event.type === 'text-delta' ? event.text : event.type))).toEqual(words);
    expectError(failed.error, 'MODEL_EXECUTION_FAILED');
    expect(seen).toHaveLength(1);
  });

  it('tries again when nobody listens, and says so in the end', async () => {
    const error = expectError(
      (await failureOf(clientFor(`http://127.0.0.1:${await freePort()}/v1`), request('hi'))).error,
      'MODEL_EXECUTION_FAILED',
    );
    expect(error.message).toBe('The model server could not be reached');
    expect(waits).toHaveLength(2);
  });

  it.each([408, 409, 429, 500, 503])('tries again after a %i', async (status) => {
    const { url, seen } = await start(
      refuse(status, 'upstream words'),
      (response) => (begin(response, { content: 'ok' }), end(response)),
    );
    expect((await collect(clientFor(url), request('hi'))).text).toBe('ok');
    expect(seen).toHaveLength(2);
  });

  it('reads the error code that a stream begins with', async () => {
    const { url, seen } = await start((response) => {
      begin(response);
      send(response, { error: { message: 'upstream words', code: 'context_length_exceeded' } });
      response.end();
    });
    expectError((await failureOf(clientFor(url), request('hi'))).error, 'MODEL_CONTEXT_LENGTH_EXCEEDED');
    expect(seen).toHaveLength(1);
  });

  it('drops what is buffered when it is aborted', async () => {
    const { url, hungUp } = await start((response) =>
      begin(response, ...Array.from({ length: 200 }, (_, n) => ({ content: `${n} ` }))),
    );
    const controller = new AbortController();
    const stream = clientFor(url).stream(request('hi'), controller.signal);
    await stream.next();
    controller.abort(new Error('cancelled'));
    await expect(stream.next()).rejects.toThrow('cancelled');
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    await hungUp;
  });

  it('is aborted while it waits for headers, and while it waits to try again', async () => {
    const hanging = await start(() => undefined);
    const first = new AbortController();
    const waiting = failureOf(clientFor(hanging.url), request('hi'), first.signal);
    await until(() => hanging.seen.length === 1);
    first.abort(new Error('cancelled'));
    expect((await waiting).error).toBe(first.signal.reason);
    await hanging.close();

    const { url, seen } = await start(refuse(503, 'busy', { 'retry-after': '30' }));
    const second = new AbortController();
    let retries: () => void = () => undefined;
    const waitsForRetry = new Promise<void>((resolve) => (retries = resolve));
    const delay: Delay = (ms, signal) => {
      retries();
      return abortableDelay(ms, signal);
    };
    const settings = {
      provider: 't',
      baseUrl: url,
      apiKey: KEY,
      model: 'm',
      firstTokenTimeoutMs: 1_000,
      idleTimeoutMs: 1_000,
      maxRetries: 5,
    };
    const retrying = failureOf(
      new ChatCompletionsModelClient(settings, { read: () => Promise.resolve(undefined) }, { delay }),
      request('hi'),
      second.signal,
    );
    await waitsForRetry;
    second.abort(new Error('cancelled'));
    expect((await retrying).error).toBe(second.signal.reason);
    expect(seen).toHaveLength(1);
  });

  it('hangs up when the reader leaves', async () => {
    const { url, hungUp } = await start((response) => begin(response, { content: 'one' }));
    for await (const [event] of clientFor(url).stream(request('hi'), new AbortController().signal)) {
      expect(event?.type).toBe('text-delta');
      break;
    }
    await hungUp;
  });

  it('does not call anybody when it is aborted beforehand', async () => {
    const { url, seen } = await start(refuse(500, 'no'));
    const { error } = await failureOf(clientFor(url), request('hi'), AbortSignal.abort('gone'));
    expect(error).toBe('gone');
    expect(seen).toHaveLength(0);
  });
});

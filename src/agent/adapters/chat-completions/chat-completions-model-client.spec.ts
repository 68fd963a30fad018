import type { ServerResponse } from 'node:http';
import { freePort } from '../../../../test/support/free-port.js';
import { until } from '../../../../test/support/until.js';
import { abortableDelay, type Delay } from '../../../common/index.js';
import { collect, failureOf, request } from '../testing/collect.js';
import { begin, end, refuse, type Script, send } from '../testing/raw-upstream.js';
import { clientFor, expectError, KEY, stateOf, waits, upstreamOfEachTest } from '../testing/upstream-client.js';
import { ChatCompletionsModelClient } from './chat-completions-model-client.js';

/** Everything but the timers of the client: the connection to the upstream is real. */
const REAL: FakeableAPI[] = [
  ...(['Date', 'hrtime', 'performance', 'nextTick', 'queueMicrotask'] as const),
  ...(['setImmediate', 'clearImmediate', 'setInterval', 'clearInterval'] as const),
];

afterEach(() => jest.useRealTimers());

describe('ChatCompletionsModelClient against a faulty server', () => {
  const start = upstreamOfEachTest();

  it('the key is sent and not shown in errors', async () => {
    const { url, seen } = await start(refuse(401, `Incorrect API key: ${KEY}`));
    const error = expectError((await failureOf(clientFor(url), request('hi'))).error, 'MODEL_UNAUTHORIZED_ACCESS');
    expect(seen[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(`${error.message} ${error.stack} ${JSON.stringify(error.details ?? null)}`).not.toContain(KEY);
  });

  it('no credentials are sent without a key', async () => {
    const { url, seen } = await start((response) => (begin(response, { content: 'x' }), end(response)));
    await collect(clientFor(url, { apiKey: undefined }), request('hi'));
    expect(seen[0]?.headers.authorization).toBeUndefined();
  });

  it('reasoning and cached tokens are reported', async () => {
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
      replay: stateOf(url, { reasoning: { field: 'reasoning_content', text: 'hm' } }),
    });
  });

  it('usage and ids are left out if the provider sends none', async () => {
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

  it('a time-out before the first token closes the connection', async () => {
    const { url, seen, hungUp } = await start((response) => begin(response, { role: 'assistant', content: '' }));
    const { error, events } = await failureOf(clientFor(url, { firstTokenTimeoutMs: 60 }), request('hi'));
    expect(expectError(error, 'MODEL_TIMEOUT').message).toBe('The model did not begin to answer in time');
    expect(events).toEqual([]);
    await hungUp;
    expect(seen).toHaveLength(1);
  });

  it('a time-out before the headers closes the connection', async () => {
    const { url, hungUp } = await start(() => undefined);
    expectError((await failureOf(clientFor(url, { firstTokenTimeoutMs: 1000 }), request('hi'))).error, 'MODEL_TIMEOUT');
    await hungUp;
  });

  it('a silence in the middle of the answer is a time-out', async () => {
    const { url, hungUp } = await start((response) => begin(response, { content: 'one ' }, { content: 'two' }));
    const { error, events } = await failureOf(clientFor(url, { idleTimeoutMs: 60 }), request('hi'));
    expect(expectError(error, 'MODEL_TIMEOUT').message).toBe('The model stopped sending before the end of its answer');
    expect(events).toHaveLength(2);
    await hungUp;
  });

  it('the time of a slow reader does not count for the time-out', async () => {
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
    ['sends what is not JSON', (response) => response.write('data: {nonsense\n\n')],
    ['sends JSON of another shape', (response) => send(response, { choices: 'upstream words' })],
    ['sends an error', (response) => send(response, { error: { message: 'upstream words', code: null } })],
    ['loses the connection', (response) => response.destroy()],
  ])('a stream fails if it %s', async (_, misbehave) => {
    const { url, seen } = await start((response) => {
      begin(response, { content: 'partial' });
      setImmediate(() => misbehave(response));
    });
    const { error, events } = await failureOf(clientFor(url), request('hi'));
    expectError(error, 'MODEL_EXECUTION_FAILED');
    expect(events).toEqual([{ type: 'text-delta', text: 'partial' }]);
    expect(seen).toHaveLength(1);
  });

  it('an answer that is not a stream fails', async () => {
    const { url } = await start((response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"choices":[]}'),
    );
    expectError((await failureOf(clientFor(url), request('hi'))).error, 'MODEL_EXECUTION_FAILED');
  });

  it('a connection lost before the first event is retried', async () => {
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
  ])('text before the connection was %s is kept, then the call fails', async (_, cut) => {
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

  it('a refused connection is retried and reported in the end', async () => {
    const error = expectError(
      (await failureOf(clientFor(`http://127.0.0.1:${await freePort()}/v1`), request('hi'))).error,
      'MODEL_EXECUTION_FAILED',
    );
    expect(error.message).toBe('The model server could not be reached');
    expect(waits).toHaveLength(2);
  });

  it.each([408, 409, 429, 500, 503])('a %i is retried', async (status) => {
    const { url, seen } = await start(
      refuse(status, 'upstream words'),
      (response) => (begin(response, { content: 'ok' }), end(response)),
    );
    expect((await collect(clientFor(url), request('hi'))).text).toBe('ok');
    expect(seen).toHaveLength(2);
  });

  it('an error code at the beginning of a stream is read', async () => {
    const { url, seen } = await start((response) => {
      begin(response);
      send(response, { error: { message: 'upstream words', code: 'context_length_exceeded' } });
      response.end();
    });
    expectError((await failureOf(clientFor(url), request('hi'))).error, 'MODEL_CONTEXT_LENGTH_EXCEEDED');
    expect(seen).toHaveLength(1);
  });

  it('buffered events are dropped on abort', async () => {
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

  it('a call can be aborted while it waits for headers and between retries', async () => {
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

  it('the connection is closed when the reader leaves', async () => {
    const { url, hungUp } = await start((response) => begin(response, { content: 'one' }));
    for await (const [event] of clientFor(url).stream(request('hi'), new AbortController().signal)) {
      expect(event?.type).toBe('text-delta');
      break;
    }
    await hungUp;
  });

  it('a call that is aborted beforehand sends no request', async () => {
    const { url, seen } = await start(refuse(500, 'no'));
    const { error } = await failureOf(clientFor(url), request('hi'), AbortSignal.abort('gone'));
    expect(error).toBe('gone');
    expect(seen).toHaveLength(0);
  });
});

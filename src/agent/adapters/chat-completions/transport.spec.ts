import { type ServerResponse } from 'node:http';
import * as zlib from 'node:zlib';
import { brotliCompressSync, createGzip, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { collect, failureOf, request } from '../testing/collect.js';
import { begin, end, rawUpstream, type Script, send } from '../testing/raw-upstream.js';
import { clientFor, expectError, KEY, stateOf, upstreamOfEachTest } from '../testing/upstream-client.js';

const STREAM = [
  { choices: [{ index: 0, delta: { content: 'Hello ' } }] },
  { choices: [{ index: 0, delta: { content: 'you' } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
]
  .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
  .join('')
  .concat('data: [DONE]\n\n');

const answer = (response: ServerResponse): void => {
  begin(response, { content: 'ok' });
  end(response);
};
const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Script =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

/** Node.js has it from 22.15 on. */
const zstd = (zlib as { readonly zstdCompressSync?: (text: string) => Buffer }).zstdCompressSync;

const start = upstreamOfEachTest();

describe('accepted answers of a model server', () => {
  it.each([
    ['gzip', gzipSync],
    ['X-GZIP', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['identity', (text: string) => Buffer.from(text)],
    ['gzip, gzip', (text: string) => gzipSync(gzipSync(text))],
    ['deflate, identity, br', (text: string) => brotliCompressSync(deflateRawSync(text))],
  ] as const)('%s is decoded although it was not requested', async (encoding, compress) => {
    const bytes = compress(STREAM);
    const { url, seen } = await start((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': encoding });
      response.write(bytes.subarray(0, 20), () => response.end(bytes.subarray(20)));
    });
    expect((await collect(clientFor(url), request('hi'))).text).toBe('Hello you');
    expect(seen[0]?.headers['accept-encoding']).toBe('identity');
  });

  (zstd ? it : it.skip)('zstd is decoded where Node.js has it', async () => {
    const bytes = zstd?.(STREAM) ?? Buffer.alloc(0);
    const { url } = await start((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'zstd' });
      response.write(bytes.subarray(0, 20), () => response.end(bytes.subarray(20)));
    });
    expect((await collect(clientFor(url), request('hi'))).text).toBe('Hello you');
  });

  it.each([...(zstd ? [] : [['zstd', 'zstd']]), ['compress', 'compress'], ['gzip, gzip, gzip, gzip', 'too many']])(
    'the content encoding %s is refused',
    async (encoding, reason) => {
      const { url } = await start((response) =>
        response.writeHead(200, { 'content-encoding': encoding }).end('this is not decoded'),
      );
      const { error } = await failureOf(clientFor(url), request('hi'));
      expect((expectError(error, 'MODEL_EXECUTION_FAILED').cause as Error).message).toContain(reason);
    },
  );

  it('the status of an answer in an encoding that is not known counts', async () => {
    const { url } = await start((response) => response.writeHead(404, { 'content-encoding': 'compress' }).end('?'));
    expectError((await failureOf(clientFor(url), request('hi'))).error, 'MODEL_NOT_FOUND');
  });

  describe.each([
    ['identity', (text: string) => Buffer.from(text)],
    ['gzip', gzipSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['gzip, gzip', (text: string) => gzipSync(gzipSync(text))],
  ] as const)('an answer in %s that is cut', (encoding, compress) => {
    /** Sends a compressed text as far as it goes, and breaks the connection in the same moment. */
    const cut =
      (text: string, bytes = compress(text)): Script =>
      (response) => {
        response.writeHead(200, { 'content-encoding': encoding, 'content-length': bytes.length + 100 });
        response.write(bytes, () => response.destroy());
      };

    it('is complete after its finish reason', async () => {
      const { url, seen } = await start(cut(STREAM));
      const { text, finish } = await collect(clientFor(url), request('hi'));
      expect([text, finish?.reason]).toEqual(['Hello you', 'stop']);
      expect(seen).toHaveLength(1);
    });

    it('keeps what has arrived and is not repeated', async () => {
      const words = Array.from({ length: 500 }, (_, index) => ({ content: `${index} ` }));
      const chunks = words.map((delta) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`);
      const { url, seen } = await start(cut(chunks.join('')));
      const { error, events } = await failureOf(clientFor(url), request('hi'));
      expectError(error, 'MODEL_EXECUTION_FAILED');
      expect(events).toEqual(words.map(({ content }) => ({ type: 'text-delta', text: content })));
      expect(seen).toHaveLength(1);
    });
  });

  it('what comes before broken compression is kept', async () => {
    const first = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'Hello' } }] })}\n\n`;
    const gzip = createGzip();
    const { url, seen } = await start((response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      gzip.on('data', (bytes) => response.write(bytes));
      gzip.write(first);
      gzip.flush(() => response.end('this is not compressed'));
    });
    const { error, events } = await failureOf(clientFor(url), request('hi'));
    expectError(error, 'MODEL_EXECUTION_FAILED');
    expect(events).toEqual([{ type: 'text-delta', text: 'Hello' }]);
    expect(seen).toHaveLength(1);
  });

  it('broken compression fails', async () => {
    const { url } = await start((response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('this is not compressed'),
    );
    expectError((await failureOf(clientFor(url), request('hi'))).error, 'MODEL_EXECUTION_FAILED');
  });

  it('JSON is accepted instead of a stream', async () => {
    const message = {
      role: 'assistant',
      content: 'Looking.',
      reasoning_content: 'Hm.',
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"x":1}' } }],
    };
    const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
    const { url } = await start(json({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage }));
    const made = await collect(clientFor(url), request('hi'));
    expect([made.reasoning, made.text, made.calls]).toEqual([
      'Hm.',
      'Looking.',
      [{ id: 'c1', name: 'look', arguments: '{"x":1}' }],
    ]);
    expect(made.finish).toEqual({
      type: 'finish',
      reason: 'tool-calls',
      usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 },
      replay: stateOf(url, { reasoning: { field: 'reasoning_content', text: 'Hm.' } }),
    });
  });

  it.each<[string, unknown]>([
    ['that is an error', { error: { message: 'upstream words', code: 'invalid_api_key' } }],
    ['of an older dialect', { object: 'error', message: 'upstream words', code: 401 }],
  ])('JSON with status 200 %s fails', async (_, body) => {
    const { url } = await start(json(body));
    expectError((await failureOf(clientFor(url), request('hi'))).error, 'MODEL_UNAUTHORIZED_ACCESS');
  });

  it('an answer that is neither a stream nor JSON fails', async () => {
    const { url } = await start((response) => response.writeHead(200).end('<!doctype html><p>Welcome'));
    expectError((await failureOf(clientFor(url), request('hi'))).error, 'MODEL_EXECUTION_FAILED');
  });

  it('an answer is complete if the connection breaks after its finish reason', async () => {
    const { url } = await start((response) => {
      begin(response, { content: 'ok' });
      send(response, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
      response.write('data: {"choices":[],"usa', () => response.destroy());
    });
    const { text, finish } = await collect(clientFor(url), request('hi'));
    expect([text, finish]).toEqual(['ok', { type: 'finish', reason: 'stop', usage: null }]);
  });

  it('an answer is complete after [DONE] although the body does not end', async () => {
    const { url, hungUp } = await start((response) => {
      begin(response, { content: 'ok' });
      send(response, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
      response.write('data: [DONE]\n\n');
    });
    expect((await collect(clientFor(url), request('hi'))).finish?.reason).toBe('stop');
    await hungUp;
  });

  it('an answer is complete if nothing follows its finish reason', async () => {
    const { url, hungUp } = await start((response) => {
      begin(response, { content: 'ok' });
      send(response, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    });
    expect((await collect(clientFor(url, { idleTimeoutMs: 50 }), request('hi'))).finish?.reason).toBe('stop');
    await hungUp;
  });

  it.each(['error', 'network_error'])('the finish reason %s is a failure', async (reason) => {
    const { url } = await start((response) => (begin(response, { content: 'x' }), end(response, reason)));
    expectError((await failureOf(clientFor(url), request('hi'))).error, 'MODEL_EXECUTION_FAILED');
  });

  it('an answer that arrives at once is decoded in batches of 64', async () => {
    const words = Array.from({ length: 1000 }, (_, index) => ({ content: `"${index}"` }));
    const { url } = await start((response) => (response.cork(), begin(response, ...words), end(response)));
    const stream = clientFor(url).stream(request('hi'), new AbortController().signal);
    const parse = jest.spyOn(JSON, 'parse');
    const sizes: number[] = [];
    for await (const batch of stream) {
      sizes.push(batch.length);
      expect(parse.mock.calls.length).toBeLessThanOrEqual(64 * sizes.length + 8);
    }
    parse.mockRestore();
    expect(sizes.reduce((sum, size) => sum + size)).toBe(1001);
    expect(Math.max(...sizes)).toBe(64);
  });

  it('comments keep the call alive before the first event, up to a limit of their own', async () => {
    const comment = (response: ServerResponse, untilMs: number): void => {
      if (performance.now() >= untilMs) finish(response);
      else response.write(': keep-alive\n\n', () => setTimeout(comment, 10, response, untilMs));
    };
    const finish = (response: ServerResponse): void => {
      send(response, { choices: [{ index: 0, delta: { content: 'ok' } }] });
      end(response);
    };
    const { url } = await start((response) => {
      begin(response);
      comment(response, performance.now() + 900);
    });
    const limits = { firstTokenTimeoutMs: 500 };
    expect((await collect(clientFor(url, { ...limits, commentsTimeoutMs: 60_000 }), request('hi'))).text).toBe('ok');
    const { error } = await failureOf(clientFor(url, { ...limits, commentsTimeoutMs: 600 }), request('hi'));
    expectError(error, 'MODEL_TIMEOUT');
  });

  it('an endless line fails at the limit', async () => {
    const { url, hungUp } = await start((response) => {
      begin(response, { content: 'x' });
      response.write('data: ');
      const piece = 'x'.repeat(1024 * 1024);
      const write = (): void => void (response.destroyed || response.write(piece, write));
      write();
    });
    const { error, events } = await failureOf(clientFor(url), request('hi'));
    expectError(error, 'MODEL_EXECUTION_FAILED');
    expect(events).toHaveLength(1);
    await hungUp;
  });
});

describe('redirects of a model server', () => {
  const to =
    (status: number, location: string): Script =>
    (response) =>
      response.writeHead(status, { location }).end();

  it.each([307, 308])('a redirect with status %i is followed, with the key on the same origin', async (status) => {
    const { url, seen } = await start(to(status, '/elsewhere'), answer);
    expect((await collect(clientFor(url), request('hi'))).text).toBe('ok');
    expect(seen.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}`]);
    expect(seen[1]?.body).toEqual(seen[0]?.body);
  });

  it('a redirect to another origin is followed without the key', async () => {
    const other = await rawUpstream(answer);
    const { url } = await start(to(308, `${other.url}/chat/completions`));
    expect((await collect(clientFor(url), request('hi'))).text).toBe('ok');
    expect(other.seen[0]?.headers.authorization).toBeUndefined();
    await other.close();
  });

  it.each([
    ['that would drop the body', 302, '/elsewhere'],
    ['to an address that is not HTTP', 307, 'file:///etc/passwd'],
    ['in a loop', 307, '/v1/chat/completions'],
  ])('redirects %s are refused', async (_, status, location) => {
    const { url, seen } = await start(to(status, location));
    expectError((await failureOf(clientFor(url), request('hi'))).error, 'MODEL_EXECUTION_FAILED');
    expect(seen.length).toBeLessThanOrEqual(6);
  });
});

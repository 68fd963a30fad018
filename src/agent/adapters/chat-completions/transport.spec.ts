import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { until } from '../../../../test/support/until.js';
import { collect, failureOf, request } from '../testing/collect.js';
import { begin, end, rawUpstream, type RawUpstream, type Script, send } from '../testing/raw-upstream.js';
import { clientFor, expectError, KEY, waits } from '../testing/upstream-client.js';

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

let upstream: RawUpstream | undefined;
const start = async (...scripts: readonly Script[]): Promise<RawUpstream> => (upstream = await rawUpstream(...scripts));

beforeEach(() => {
  waits.length = 0;
});
afterEach(async () => {
  await upstream?.close();
  upstream = undefined;
});

describe('accepted answers of a model server', () => {
  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('%s is decoded although it was not requested', async (encoding, compress) => {
    const bytes = compress(STREAM);
    const { url } = await start((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': encoding });
      response.write(bytes.subarray(0, 20), () => response.end(bytes.subarray(20)));
    });
    expect((await collect(clientFor(url), request('hi'))).text).toBe('Hello you');
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
      replay: { chat_completions: { reasoning_content: 'Hm.' } },
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

describe('connections to a model server', () => {
  it('a connection is reused', async () => {
    const ports: unknown[] = [];
    const { url } = await start((response) => (ports.push(response.socket?.remotePort), answer(response)));
    const client = clientFor(url);
    for (let call = 0; call < 6; call += 1) await collect(client, request('hi'));
    // The end of a body may come after its last event, when the next call has begun already.
    expect(new Set(ports).size).toBeLessThanOrEqual(2);
  });

  it('further calls wait if the maximum number of connections is open', async () => {
    const waiting: ServerResponse[] = [];
    const sockets: unknown[] = [];
    const { url } = await start((response) => {
      begin(response, { content: 'ok' });
      sockets.push(response.socket);
      if (waiting.push(response) === 2) for (const one of waiting.splice(0)) end(one);
    });
    const client = clientFor(url, { maxConnections: 2 });
    const made = await Promise.all(Array.from({ length: 8 }, () => collect(client, request('hi'))));
    expect(made.map(({ text }) => text)).toEqual(Array(8).fill('ok'));
    expect(new Set(sockets).size).toBe(2);
  });

  it('a shutdown closes the connections and the calls on them', async () => {
    const { url, hungUp } = await start((response) => begin(response, { content: 'ok' }));
    const client = clientFor(url, { maxRetries: 0 });
    const stream = client.stream(request('hi'), new AbortController().signal);
    await stream.next();
    await client.onApplicationShutdown();
    await expect(stream.next()).rejects.toMatchObject({ code: 'MODEL_EXECUTION_FAILED' });
    await hungUp;
  });

  it('the query of the base address is kept', async () => {
    const paths: unknown[] = [];
    const { url } = await start((response) => (paths.push(response.req.url), answer(response)));
    await collect(clientFor(`${url}/deployments/d/?api-version=1`), request('hi'));
    expect(paths).toEqual(['/v1/deployments/d/chat/completions?api-version=1']);
  });

  it('a server that is faster than its reader is slowed down', async () => {
    let written = 0;
    const chunk = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'x'.repeat(1000) } }] })}\n\n`;
    const { url } = await start((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const write = (): void => {
        if (response.destroyed) return;
        written += chunk.length;
        if (response.write(chunk)) setImmediate(write);
        else response.once('drain', write);
      };
      write();
    });
    const stream = clientFor(url).stream(request('hi'), new AbortController().signal);
    await stream.next();
    let [before, unchanged] = [-1, 0];
    await until(() => {
      unchanged = written === before ? unchanged + 1 : 0;
      before = written;
      return unchanged === 10;
    }, 'the server waits for its reader');
    expect(written).toBeLessThan(32 * 1024 * 1024);
    const first = written;
    for (let batches = 0; batches < 500; batches += 1) await stream.next();
    expect(written).toBeGreaterThan(first);
    await stream.return();
  });
});

describe('the proxy of the environment', () => {
  const saved = { ...process.env };
  let proxy: Server;
  let tunnels: string[];

  beforeEach(async () => {
    tunnels = [];
    proxy = createServer().on('connect', (incoming: IncomingMessage, socket: Socket) => {
      tunnels.push(incoming.url ?? '');
      const { port } = new URL(`http://${incoming.url}`);
      const target = connect(Number(port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        target.pipe(socket).pipe(target);
      });
      for (const end of [socket, target]) end.on('error', () => undefined);
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    process.env['HTTP_PROXY'] = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    process.env = { ...saved };
    proxy.closeAllConnections();
    proxy.close();
    await once(proxy, 'close');
  });

  const ask = async (url: string): Promise<string> => {
    const client = clientFor(url, { maxRetries: 0 });
    const { text } = await collect(client, request('hi'));
    await client.onApplicationShutdown();
    return text;
  };

  it('the proxy is used for other machines', async () => {
    const { url } = await start(answer);
    const { port } = new URL(url);
    expect(await ask(`http://model.test:${port}/v1`)).toBe('ok');
    expect(tunnels).toEqual([`model.test:${port}`]);
  });

  it.each(['model.test', '*'])('the proxy is not used for a host that NO_PROXY=%s excludes', async (excluded) => {
    process.env['NO_PROXY'] = excluded;
    const { error } = await failureOf(clientFor('http://model.test:9/v1', { maxRetries: 0 }), request('hi'));
    expectError(error, 'MODEL_EXECUTION_FAILED');
    expect(tunnels).toEqual([]);
  });

  it('the proxy is not used for this machine', async () => {
    const { url } = await start(answer);
    expect(await ask(url)).toBe('ok');
    expect(await ask(url.replace('127.0.0.1', 'localhost'))).toBe('ok');
    expect(tunnels).toEqual([]);
  });
});

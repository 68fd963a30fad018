import type { ServerResponse } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { until } from '../../../../test/support/until.js';
import { collect, failureOf, request } from '../testing/collect.js';
import { begin, end } from '../testing/raw-upstream.js';
import { clientFor, expectError, waits, upstreamOfEachTest } from '../testing/upstream-client.js';

const answer = (response: ServerResponse): void => {
  begin(response, { content: 'ok' });
  end(response);
};

const start = upstreamOfEachTest();

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

describe('connections that the model server closes', () => {
  /** What the server does with the later requests of a connection: it answers the first one. */
  type Fate = (socket: Socket) => void;
  const STREAM = 'data: {"choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\n';
  const ANSWER = `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${STREAM.length}\r\n\r\n${STREAM}`;
  const RESET: Fate = (socket) => void socket.resetAndDestroy();
  const END: Fate = (socket) => void socket.end();
  const HALF_HEAD: Fate = (socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-ty');

  let server: Server;
  /** The number of requests on each connection. */
  let requests: number[];
  /** Answers are held back until there are this many connections. */
  let connections: number;

  /** A server that answers the first request on a connection only. @returns the base address */
  async function closing(fate: Fate, isAnswered = (_connection: number): boolean => true): Promise<string> {
    requests = [];
    connections = 1;
    const held: Socket[] = [];
    server = createServer((socket) => {
      const connection = requests.push(0) - 1;
      let text = '';
      socket.on('error', () => undefined);
      socket.on('data', (data) => {
        text += data.toString();
        if (!text.includes('\r\n\r\n{') || !text.endsWith('}')) return;
        text = '';
        const count = (requests[connection] ?? 0) + 1;
        requests[connection] = count;
        if (count > 1 || !isAnswered(connection)) return fate(socket);
        held.push(socket);
        if (requests.length >= connections) for (const each of held.splice(0)) each.write(ANSWER);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  }
  afterEach(async () => {
    server.close();
    await once(server, 'close');
  });

  it.each([
    ['resets', RESET],
    ['ends', END],
  ])('a request on a connection that the server %s at that moment is sent again at once', async (_, fate) => {
    const client = clientFor(await closing(fate), { maxRetries: 0, maxConnections: 1 });
    for (let call = 0; call < 3; call += 1) expect((await collect(client, request('hi'))).text).toBe('ok');
    expect(requests).toEqual([2, 2, 1]);
    expect(waits).toEqual([]);
    await client.onApplicationShutdown();
  });

  it('many requests on connections that are closed are sent again', async () => {
    const client = clientFor(await closing(RESET), { maxRetries: 0 });
    connections = 10;
    const all = (): Promise<unknown> =>
      Promise.all(Array.from({ length: 10 }, async () => (await collect(client, request('hi'))).text));
    expect(await all()).toEqual(Array(10).fill('ok'));
    expect(await all()).toEqual(Array(10).fill('ok'));
    expect(requests).toHaveLength(20);
    expect(waits).toEqual([]);
    await client.onApplicationShutdown();
  });

  it('a request on a new connection is repeated within LLM_MAX_RETRIES only', async () => {
    const client = clientFor(await closing(RESET, () => false), { maxRetries: 1 });
    expectError((await failureOf(client, request('hi'))).error, 'MODEL_EXECUTION_FAILED');
    expect(requests).toEqual([1, 1]);
    expect(waits).toHaveLength(1);
    await client.onApplicationShutdown();
  });

  it('a request whose answer has begun is not sent again', async () => {
    const client = clientFor(await closing(HALF_HEAD), { maxRetries: 0, maxConnections: 1 });
    await collect(client, request('hi'));
    expectError((await failureOf(client, request('hi'))).error, 'MODEL_EXECUTION_FAILED');
    expect(requests).toEqual([2]);
    await client.onApplicationShutdown();
  });
});

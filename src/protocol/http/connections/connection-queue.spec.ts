import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { ConnectionQueue } from './connection-queue.js';

const CLIENTS = 60;

describe('ConnectionQueue', () => {
  let server: Server;
  let port: number;
  /** How many connections were accepted when each request was handled. */
  let acceptedBefore: number[];
  let accepted: number;

  beforeEach(async () => {
    acceptedBefore = [];
    accepted = 0;
    server = createServer((incoming, response) => {
      acceptedBefore.push(accepted);
      incoming.resume().once('end', () => response.end(incoming.url));
    });
    ConnectionQueue.before(server);
    server.on('connection', () => (accepted += 1));
    server.listen(0, '127.0.0.1', 511);
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    if (!server.listening) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  /** Posts a body and returns that of the answer. */
  async function post(path: string): Promise<string> {
    const outgoing = request({ host: '127.0.0.1', port, path, method: 'POST', agent: false });
    outgoing.end('x'.repeat(100_000));
    const [response] = (await once(outgoing, 'response')) as [AsyncIterable<Buffer>];
    let text = '';
    for await (const chunk of response) text += chunk.toString();
    return text;
  }

  it('connections that arrive together are all accepted before a request is handled', async () => {
    // However busy the machine is, the queue waits for all of them.
    jest.spyOn(performance, 'now').mockReturnValue(0);
    const answers = await Promise.all(Array.from({ length: CLIENTS }, (_, index) => post(`/${index}`)));
    expect(answers).toEqual(Array.from({ length: CLIENTS }, (_, index) => `/${index}`));
    expect(acceptedBefore).toEqual(Array.from({ length: CLIENTS }, () => CLIENTS));
  });

  it('a few requests are read in each turn of the event loop', async () => {
    const turns: number[] = [];
    server.on('request', () => (turns[0] = (turns[0] ?? 0) + 1));
    const count = (): void => {
      if (turns[0] !== 0) turns.unshift(0);
      if (server.listening) setImmediate(count);
    };
    count();
    await Promise.all(Array.from({ length: CLIENTS }, (_, index) => post(`/${index}`)));
    expect(turns.reduce((sum, turn) => sum + turn, 0)).toBe(CLIENTS);
    expect(Math.max(...turns)).toBeLessThanOrEqual(8);
  });

  it('requests one after another on one connection are handled as usual', async () => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.on('data', (data: Buffer) => (answer += data.toString()));
    // Both are there before the first one is read.
    socket.write('GET /one HTTP/1.1\r\nhost: x\r\n\r\nGET /two HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    await once(socket, 'close');
    expect(answer.match(/\/(one|two)/g)).toEqual(['/one', '/two']);
  });

  it('clients that leave while they wait harm nobody', async () => {
    const leaving = Array.from({ length: 20 }, () => connect(port, '127.0.0.1'));
    await Promise.all(leaving.map((socket) => once(socket, 'connect')));
    for (const socket of leaving) socket.resetAndDestroy();
    expect(await post('/stays')).toBe('/stays');
  });

  it('a server that closes does not keep connections that wait', async () => {
    server.on('connection', () => {
      if (!server.listening) return;
      server.closeAllConnections();
      server.close();
    });
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    await Promise.all([once(server, 'close'), once(socket, 'close')]);
    expect(acceptedBefore).toEqual([]);
  });
});

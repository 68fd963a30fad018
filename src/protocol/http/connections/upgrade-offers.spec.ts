import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { listenOnLoopback } from '../../../../test/support/loopback-server.js';
import { ConnectionQueue } from './connection-queue.js';
import { ignoreOtherUpgrades } from './upgrade-offers.js';

describe('requests that offer an upgrade', () => {
  let server: Server;

  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.once('end', () => response.end(`${request.method} ${body}`));
    });
    server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'));
    ignoreOtherUpgrades(server);
    ConnectionQueue.before(server);
    await listenOnLoopback(server);
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  /** What the server sends until it closes the connection. Each request is sent when the one before is answered. */
  async function answerTo(...requests: readonly (readonly string[])[]): Promise<string> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    let answer = '';
    socket.on('data', (data: Buffer) => (answer += data.toString()));
    for (const lines of requests) {
      socket.write(lines.join('\r\n'));
      await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    }
    if (!socket.closed) await once(socket, 'close');
    return answer;
  }

  it.each(['h2c', 'TLS/1.2', 'TLS/1.2, HTTP/2.0', 'notwebsocket'])('are answered as usual: %s', async (protocol) => {
    const offer = ['host: x', 'connection: Upgrade, HTTP2-Settings', `upgrade: ${protocol}`];
    const answer = await answerTo(
      ['POST / HTTP/1.1', ...offer, 'transfer-encoding: chunked', '', '4', 'body', '0', '', ''],
      ['GET / HTTP/1.1', ...offer, '', ''],
      ['GET / HTTP/1.1', 'host: x', 'connection: close', '', ''],
    );
    expect(answer.match(/HTTP\/1\.1 .*/g)).toEqual(Array(3).fill('HTTP/1.1 200 OK'));
    expect(answer).toContain('POST body');
  });

  it.each(['websocket', 'WebSocket', 'h2c, websocket'])('reach the listener: %s', async (offer) => {
    const answer = await answerTo(['GET / HTTP/1.1', 'host: x', 'connection: Upgrade', `upgrade: ${offer}`, '', '']);
    expect(answer).toMatch(/^HTTP\/1\.1 101 /);
  });
});

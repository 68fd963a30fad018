import { once } from 'node:events';
import { connect } from 'node:net';
import { sqliteDatabase, type TestDatabase } from '../support/databases.js';
import { RawAnswer } from '../support/raw-http.js';
import { ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

const UPGRADE = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
const KEY = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
const ROUNDS = 20;

describe.each(['none', 'keys'])('connections that break while they are handed over, with AUTH=%s', (AUTH) => {
  let database: TestDatabase;
  let server: ServerProcess;

  beforeAll(async () => {
    database = await sqliteDatabase();
    server = await ServerProcess.start(database, { AUTH });
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  function head(target: string, ...headers: string[]): string {
    return [`GET ${target} HTTP/1.1`, 'Host: 127.0.0.1', ...UPGRADE, ...headers, '', ''].join('\r\n');
  }

  /** Sends a text and resets the connection. */
  async function reset(text: string): Promise<void> {
    const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    socket.write(text, () => socket.resetAndDestroy());
    await closed;
  }

  it.each([
    ['refused for its path', '/x', []],
    ['refused for its handshake', '/v1/responses', []],
    ['refused for its origin', '/v1/responses', [KEY, 'Origin: https://evil.example']],
    ['accepted or refused for its credential', '/v1/responses', [KEY]],
  ])('an upgrade that is %s and reset at once does not end the server', async (_what, target, headers) => {
    const before = server.output;
    for (let round = 0; round < ROUNDS; round += 1) await reset(head(target, ...headers));
    await Promise.all(Array.from({ length: ROUNDS }, () => reset(head(target, ...headers))));
    const answer = await fetch(`${server.url}/liveness`);
    expect([answer.status, server.output]).toEqual([200, before]);
  });

  it('the connection of a refused upgrade is closed, even if its client keeps its end open', async () => {
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
    const answer = new RawAnswer(socket);
    socket.write(head('/x'));
    await until(() => answer.head !== '', 'the answer');
    // What is sent on a closed connection is answered with a reset.
    const isClosed = (): boolean => {
      if (!answer.closed) socket.write('more');
      return answer.closed;
    };
    await until(isClosed, 'the end of the connection');
    expect(answer.head).toMatch(/^HTTP\/1.1 40[14] /);
  });
});

import { connect } from 'node:net';
import { Controller, Module } from '@nestjs/common';
import { from, type Observable, of } from 'rxjs';
import { rawRequest } from '../../../../test/support/raw-http.js';
import { startServer, type TestServer } from '../../../../test/support/server.js';
import { until } from '../../../../test/support/until.js';
import { Public } from '../../../access/index.js';
import { HttpModule, SseGet } from '../index.js';

const LONG = `data: ${'x'.repeat(5000)}\n\n`;
const TURNS = ['data: plain\n\n', 'data: é\n\n', 'data: plain\n\n', LONG, 'data: 天気\n\n', LONG];

/** Each frame in a turn of the event loop of its own. */
async function* turns(): AsyncGenerator<readonly string[]> {
  for (const frame of TURNS) {
    yield [frame];
    await new Promise((resolve) => setTimeout(resolve));
  }
}

@Controller()
@Public()
class FrameController {
  @SseGet('frames')
  frames(): Observable<readonly string[]> {
    return of(['data: 1\n\n', 'data: 2\n\n'], ['data: 3\n\n']);
  }

  @SseGet('words')
  words(): Observable<readonly string[]> {
    return of(['data: plain\n\n', 'data: 天気 ☀ – “ok”\n\n'], ['data: plain\n\n']);
  }

  @SseGet('turns')
  turns(): Observable<readonly string[]> {
    return from(turns());
  }
}

@Module({ imports: [HttpModule], controllers: [FrameController] })
class FrameModule {}

describe('frames on a connection', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({ imports: [FrameModule] });
  });
  afterAll(() => server.close());

  it('characters beyond ASCII are unchanged, and their chunks have the right length', async () => {
    const answer = rawRequest(server.port, 'GET', '/words');
    await until(() => answer.ended, 'the end of the answer');
    expect(answer.chunks).toEqual(['data: plain\n\n', 'data: 天気 ☀ – “ok”\n\n', 'data: plain\n\n']);
  });

  it('frames of one turn after the other have the right lengths, with and without characters beyond ASCII', async () => {
    const answer = rawRequest(server.port, 'GET', '/turns');
    await until(() => answer.ended, 'the end of the answer');
    expect(answer.chunks).toEqual(TURNS);
  });

  it('a client of HTTP/1.0 gets frames without chunks', async () => {
    const bytes = await new Promise<string>((resolve, reject) => {
      const socket = connect(server.port, '127.0.0.1', () => socket.write('GET /frames HTTP/1.0\r\n\r\n'));
      let text = '';
      socket.on('data', (data) => (text += data.toString()));
      socket.on('end', () => resolve(text)).on('error', reject);
    });
    expect(bytes.slice(bytes.indexOf('\r\n\r\n') + 4)).toBe('data: 1\n\ndata: 2\n\ndata: 3\n\n');
  });

  it('pipelined requests are answered in order', async () => {
    const request = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
    let bytes = '';
    const socket = connect(server.port, '127.0.0.1', () =>
      socket.write(request('/frames') + request('/words') + request('/frames')),
    );
    socket.on('data', (data) => (bytes += data.toString()));
    await until(() => bytes.split('\r\n0\r\n\r\n').length === 4, 'three answers');
    socket.destroy();
    expect(bytes.match(/data: \S+/g)).toEqual(
      ['1', '2', '3', 'plain', '天気', 'plain', '1', '2', '3'].map((word) => `data: ${word}`),
    );
    expect(bytes.match(/HTTP\/1.1 200/g)).toHaveLength(3);
  });
});

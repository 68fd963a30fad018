import { connect } from 'node:net';
import { Controller, Module } from '@nestjs/common';
import { concat, EMPTY, NEVER, Observable, of, Subject, throwError } from 'rxjs';
import { ignoreElements, take } from 'rxjs/operators';
import { RawAnswer, rawRequest } from '../../../../test/support/raw-http.js';
import { startServer, type TestServer } from '../../../../test/support/server.js';
import { until } from '../../../../test/support/until.js';
import { Public } from '../../../access/index.js';
import { AppError } from '../../../common/index.js';
import { HttpModule, ActiveStreams, SseGet, type StreamClient, StreamFor } from '../index.js';

const FRAME = `data: ${'x'.repeat(1000)}\n\n`;
const OFFERED = 30_000_000;

/** What the routes count, and whether `flood` waits for its reader. */
const seen = { live: 0, produced: 0, waits: false };

function counted(source: Observable<readonly string[]>): Observable<readonly string[]> {
  return new Observable((out) => {
    seen.live += 1;
    const subscription = source.subscribe(out);
    return () => {
      seen.live -= 1;
      subscription.unsubscribe();
    };
  });
}

const trigger = new Subject<void>();
/** Emits nothing and completes at the next `triggered()`. */
const later = () => trigger.pipe(take(1), ignoreElements());

/** Completes a `later()` once a route has subscribed to it. */
async function triggered(): Promise<void> {
  await until(() => trigger.observed, 'a stream waits');
  trigger.next();
}

@Controller()
@Public()
class StreamController {
  @SseGet('frames')
  frames(): Observable<readonly string[]> {
    return of(['data: 1\n\n', 'data: 2\n\n'], ['data: 3\n\n']);
  }

  @SseGet('idle')
  idle(): Observable<readonly string[]> {
    return counted(concat(of(['data: 1\n\n']), NEVER));
  }

  @SseGet('signed')
  signed(@StreamFor() client: StreamClient): Observable<readonly string[]> {
    client.useControlFrames({ keepAliveFrame: ': own\n\n', shutdownFrame: 'retry: 5\n\n' });
    return counted(concat(of(['data: 1\n\n']), NEVER));
  }

  @SseGet('silent')
  silent(): Observable<readonly string[]> {
    return counted(NEVER);
  }

  @SseGet('accepted')
  accepted(): Observable<readonly string[]> {
    return counted(concat(of([]), NEVER));
  }

  @SseGet('refused-late')
  refusedLate(): Observable<readonly string[]> {
    return concat(
      of([]),
      later(),
      throwError(() => new AppError('SESSION_BUSY', undefined, { retryAfterSeconds: 1.5 })),
    );
  }

  @SseGet('broken')
  broken(): Observable<readonly string[]> {
    return concat(
      of(['data: 1\n\n']),
      later(),
      throwError(() => new Error('secret')),
    );
  }

  @SseGet('empty')
  empty(): Observable<readonly string[]> {
    return concat(of([]), EMPTY);
  }

  @SseGet('burst')
  burst(): Observable<readonly string[]> {
    return concat(of(['data: 1\n\n']), later(), of(Array<string>(16).fill('data: 2\n\n')));
  }

  @SseGet('json')
  json(): object {
    return { plain: true };
  }

  /** Offers 30 MB at the socket's pace. */
  @SseGet('flood')
  flood(@StreamFor() { gate }: StreamClient): Observable<readonly string[]> {
    const pull = async (out: { next(frames: readonly string[]): void; complete(): void; closed: boolean }) => {
      for (let sent = 0; sent < OFFERED && !out.closed; sent += 64 * FRAME.length) {
        for (let wait = gate.ready(); wait; wait = gate.ready()) {
          seen.waits = true;
          await wait;
          seen.waits = false;
        }
        out.next(Array<string>(64).fill(FRAME));
        seen.produced += 64 * FRAME.length;
        await Promise.resolve();
      }
      out.complete();
    };
    return counted(new Observable((out) => void pull(out)));
  }

  /** Offers more than anybody takes, without asking. */
  @SseGet('rude')
  rude(): Observable<readonly string[]> {
    return counted(
      new Observable((out) => {
        const interval = setInterval(() => {
          out.next(Array<string>(1000).fill(FRAME));
          seen.produced += 1000 * FRAME.length;
        }, 1);
        return () => clearInterval(interval);
      }),
    );
  }
}

@Module({ imports: [HttpModule], controllers: [StreamController] })
class StreamModule {}

describe('event streams over HTTP', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({
      imports: [StreamModule],
      env: { KEEP_ALIVE_MS: '200', SLOW_READER_TIMEOUT_MS: '700' },
    });
  });

  beforeEach(() => Object.assign(seen, { live: 0, produced: 0, waits: false }));

  afterAll(() => server.close());

  it('each frame is one chunk, with the headers of a stream', async () => {
    const answer = rawRequest(server.port, 'GET', '/frames');
    await until(() => answer.ended, 'the end of the answer');
    expect(answer.chunks).toEqual(['data: 1\n\n', 'data: 2\n\n', 'data: 3\n\n']);
    expect(answer.head).toMatch(/^HTTP\/1.1 200/);
    for (const header of [
      'content-type: text/event-stream; charset=utf-8',
      'cache-control: no-cache, no-transform',
      'x-accel-buffering: no',
      'connection: keep-alive',
    ]) {
      expect(answer.head.toLowerCase()).toContain(header);
    }
  });

  it('the connection closes after the stream if the client asks for it', async () => {
    const answer = rawRequest(server.port, 'GET', '/frames', undefined, ['connection: close']);
    await until(() => answer.closed, 'the end of the connection');
    expect(answer.chunks).toEqual(['data: 1\n\n', 'data: 2\n\n', 'data: 3\n\n']);
    expect(answer.ended).toBe(true);
    expect(answer.head.toLowerCase()).toContain('connection: close');
    expect(answer.head.toLowerCase()).not.toContain('keep-alive');
  });

  it('the end of the connection ends the stream of HTTP/1.0', async () => {
    const socket = connect(server.port, '127.0.0.1');
    const answer = new RawAnswer(socket);
    socket.write('GET /frames HTTP/1.0\r\nconnection: keep-alive\r\n\r\n');
    await until(() => answer.closed, 'the end of the connection');
    expect(answer.head.toLowerCase()).toContain('connection: close');
    expect(answer.bytes.toString()).toMatch(/\r\n\r\ndata: 1\n\ndata: 2\n\ndata: 3\n\n$/);
  });

  it.each(['/frames', '/idle', '/accepted'])('a request for the head of %s leaves no stream behind', async (path) => {
    const streams = server.get(ActiveStreams);
    const answer = await fetch(server.url + path, { method: 'HEAD' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    await until(() => streams.size === 0 && seen.live === 0, 'no stream is open');
  });

  it('a burst of 16 frames is written in one system call', async () => {
    let calls = 0;
    type Handle = Record<'writev' | 'writeLatin1String' | 'writeUtf8String', (...args: unknown[]) => unknown>;
    server.app.getHttpServer().once('connection', ({ _handle: handle }: { _handle: Handle }) => {
      for (const name of ['writev', 'writeLatin1String', 'writeUtf8String'] as const) {
        const write = handle[name].bind(handle);
        handle[name] = (...args) => {
          calls += 1;
          return write(...args);
        };
      }
    });
    const answer = rawRequest(server.port, 'GET', '/burst');
    await until(() => answer.chunks.length === 1, 'the first frame');
    calls = 0;
    await triggered();
    await until(() => answer.chunks.length === 17, 'the burst');
    expect(calls).toBe(1);
    answer.socket.destroy();
  });

  it('a stream works without a port', async () => {
    const answer = await server.app.inject({ method: 'GET', url: '/frames' });
    expect(answer.body).toBe('data: 1\n\ndata: 2\n\ndata: 3\n\n');
  });

  it('a comment is sent after a silence, also before the first event', async () => {
    const idle = rawRequest(server.port, 'GET', '/idle');
    const accepted = rawRequest(server.port, 'GET', '/accepted');
    await until(() => idle.chunks.length >= 3 && accepted.chunks.length >= 2, 'comments');
    expect(idle.chunks.slice(0, 3)).toEqual(['data: 1\n\n', ': ping\n\n', ': ping\n\n']);
    expect(accepted.chunks.slice(0, 2)).toEqual([': open\n\n', ': ping\n\n']);
    idle.socket.destroy();
    accepted.socket.destroy();
    await until(() => seen.live === 0, 'both sources left');
  });

  it('the keep-alive frame is that of the wire', async () => {
    const answer = rawRequest(server.port, 'GET', '/signed');
    await until(() => answer.chunks.length >= 2, 'a comment');
    expect(answer.chunks[1]).toBe(': own\n\n');
    answer.socket.destroy();
    await until(() => seen.live === 0, 'the source left');
  });

  it('an error before the first frame is answered with its status', async () => {
    const answering = fetch(`${server.url}/refused-late`);
    await triggered();
    const answer = await answering;
    expect(answer.status).toBe(409);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('retry-after')).toBe('2');
    expect(await answer.json()).toEqual({
      code: 'SESSION_BUSY',
      message: 'Another run of this session is in progress',
    });
  });

  it('a later error closes the connection without a message', async () => {
    const answer = rawRequest(server.port, 'GET', '/broken');
    await until(() => answer.chunks.length === 1, 'the first frame');
    await triggered();
    await until(() => answer.closed, 'the cut');
    expect(answer.chunks).toEqual(['data: 1\n\n']);
    expect(answer.ended).toBe(false);
  });

  it('no timer of a closed stream remains', async () => {
    const timers = jest.spyOn(global, 'setTimeout');
    const cleared = jest.spyOn(global, 'clearTimeout');
    for (let count = 0; count < 5; count += 1) expect(await (await fetch(`${server.url}/frames`)).text()).not.toBe('');
    const stuck = (): unknown[] =>
      timers.mock.results
        .filter((_, index) => timers.mock.calls[index]?.[1] === 700)
        .map(({ value }) => value as unknown);
    const held = (): unknown[] => stuck().filter((timer) => !cleared.mock.calls.some(([id]) => id === timer));
    await until(() => server.get(ActiveStreams).size === 0, 'no stream');
    await new Promise((resolve) => setImmediate(resolve));
    expect(held()).toHaveLength(0);
    timers.mockRestore();
    cleared.mockRestore();
  });

  it('a stream without frames ends, and plain objects are sent as JSON', async () => {
    const empty = await fetch(`${server.url}/empty`);
    expect([empty.status, await empty.text()]).toEqual([200, '']);
    const json = await fetch(`${server.url}/json`);
    expect([json.headers.get('content-type'), await json.json()]).toEqual([
      'application/json; charset=utf-8',
      { plain: true },
    ]);
  });

  it.each(['idle', 'silent'])('the source is released at once when 100 clients disconnect (%s)', async (path) => {
    const answers = Array.from({ length: 100 }, () => rawRequest(server.port, 'GET', `/${path}`));
    await until(() => seen.live === 100, '100 streams');
    if (path === 'idle') await until(() => answers.every(({ chunks }) => chunks.length > 0), 'first frames');
    for (const { socket } of answers) socket.destroy();
    await until(() => seen.live === 0, 'no stream');
    expect(server.get(ActiveStreams).size).toBe(0);
  });

  it('the source waits for a reader that stops, which is then disconnected', async () => {
    const answer = rawRequest(server.port, 'GET', '/flood');
    answer.socket.pause();
    await until(() => seen.produced > 0, 'the first batch');
    await until(() => seen.live === 0, 'the disconnect');
    expect(seen.produced).toBeLessThan(OFFERED / 2);
    answer.socket.destroy();
  });

  it('a slow reader gets everything', async () => {
    const answer = await fetch(`${server.url}/flood`);
    let received = 0;
    let pauses = 0;
    for await (const part of answer.body ?? []) {
      received += (part as Uint8Array).length;
      if ((pauses += 1) % 200 === 0) await until(() => seen.waits || seen.produced >= OFFERED, 'the source waits');
    }
    expect(received).toBe(seen.produced);
    expect(received).toBeGreaterThanOrEqual(OFFERED);
  });

  it('a source that ignores back-pressure is cut off before it fills the memory', async () => {
    const answer = rawRequest(server.port, 'GET', '/rude');
    answer.socket.pause();
    await until(() => seen.produced > 0, 'the first batch');
    await until(() => seen.live === 0, 'the cut');
    expect(seen.produced).toBeLessThan(OFFERED);
    answer.socket.destroy();
  });
});

describe('event streams during a shutdown', () => {
  it.each([
    ['/idle', ['data: 1\n\n']],
    ['/signed', ['data: 1\n\n', 'retry: 5\n\n']],
  ])('an open stream ends and its connection is closed: %s', async (path, chunks) => {
    const server = await startServer({ imports: [StreamModule] });
    Object.assign(seen, { live: 0 });
    const answer = rawRequest(server.port, 'GET', path);
    await until(() => answer.chunks.length === 1, 'the first frame');
    await server.close();
    await until(() => answer.closed && seen.live === 0, 'the end');
    expect(answer.ended).toBe(true);
    expect(answer.chunks).toEqual(chunks);
  });
});

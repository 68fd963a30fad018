import { Get, Injectable, Module } from '@nestjs/common';
import { concat, type Observable, of, Subject, throwError } from 'rxjs';
import { ignoreElements, take } from 'rxjs/operators';
import { rawRequest } from '../../../test/support/raw-http.js';
import { startServer, type TestServer } from '../../../test/support/server.js';
import { until } from '../../../test/support/until.js';
import { Public } from '../../access/index.js';
import { AppError } from '../../common/index.js';
import { fieldError, type HttpError, SsePost, type StreamClient, StreamFor } from '../http/index.js';
import type { FrameEncoder } from './frame-encoder.js';
import { Decode, Decoded, Wire, WireController, WireModule, type WireRequest } from './index.js';

/** Which requests reached a handler. */
const handled: unknown[] = [];

@Injectable()
class GongWire extends Wire {
  readonly name = 'gong';

  override encoder(): FrameEncoder {
    return { joinable: true, next: () => [], end: () => [] };
  }

  override errorBody({ code, message }: HttpError): object {
    return { gong: code, message };
  }

  async decode({ body, params }: WireRequest): Promise<{ readonly beats: number; readonly where: string }> {
    const { beats } = body as { readonly beats?: unknown };
    await Promise.resolve();
    if (typeof beats !== 'number') throw fieldError('beats', 'must be a number');
    return { beats, where: params['where'] ?? '' };
  }
}

type Frames = Observable<readonly string[]>;
/** When `breaks-off` fails. */
const crack = new Subject<void>();
const broken = (): Frames => throwError(() => new AppError('DATABASE_ERROR', 'secret of the host'));

@WireController(GongWire, 'gong')
@Public()
class GongController {
  @SsePost(':where/beat')
  @Decode(GongWire, (wire, request) => wire.decode(request))
  beat(@Decoded() asked: { readonly beats: number }): Frames {
    handled.push(asked);
    return of(Array<string>(asked.beats).fill('data: dong\n\n'));
  }

  @SsePost('cracked')
  cracked(): Frames {
    return concat(of([]), broken());
  }

  @SsePost('stops')
  stops(@StreamFor() client: StreamClient): Frames {
    client.useControlFrames({ errorFrames: ({ code }) => [`data: ${code}\n\n`] });
    return concat(of(['data: dong\n\n']), broken());
  }

  @SsePost('breaks-off')
  breaksOff(): Frames {
    return concat(of(['data: dong\n\n']), crack.pipe(take(1), ignoreElements()), broken());
  }

  @Get('refused')
  refused(): never {
    throw new AppError('SESSION_BUSY', undefined, { retryAfterSeconds: 3 });
  }

  @Get('nothing')
  nothing(@Decoded() _: unknown): object {
    return {};
  }
}

@Module({ imports: [WireModule], controllers: [GongController], providers: [GongWire] })
class GongModule {}

describe('WireInterceptor', () => {
  let server: TestServer;
  const post = (path: string, body: object = {}): Promise<Response> =>
    fetch(`${server.url}/gong/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });

  beforeAll(async () => {
    server = await startServer({ imports: [GongModule] });
  });
  beforeEach(() => handled.splice(0));
  afterAll(() => server.close());

  it('a handler gets what the decoder of its route has made of body and path', async () => {
    const answer = await post('temple/beat', { beats: 2 });
    expect([answer.status, await answer.text()]).toEqual([200, 'data: dong\n\ndata: dong\n\n']);
    expect(handled).toEqual([{ beats: 2, where: 'temple' }]);
  });

  it('what a decoder throws is answered in the Error model of the wire, and no handler runs', async () => {
    const answer = await post('temple/beat', { beats: 'two' });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { gong: 'PARAMETER_VALIDATION', message: 'beats must be a number' },
    ]);
    expect(handled).toEqual([]);
  });

  it('an error of an accepted stream before its first frame has a status and the headers of JSON', async () => {
    const answer = await post('cracked');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([503, 'application/json; charset=utf-8']);
    expect(await answer.json()).toMatchObject({ gong: 'DATABASE_ERROR' });
  });

  it('an error within a stream becomes its last frames', async () => {
    const answer = await post('stops');
    expect([answer.status, await answer.text()]).toEqual([200, 'data: dong\n\ndata: DATABASE_ERROR\n\n']);
  });

  it('a stream whose wire has no frames for errors is cut', async () => {
    const answer = rawRequest(server.port, 'POST', '/gong/breaks-off', '{}');
    await until(() => answer.chunks.length === 1 && crack.observed, 'the first frame');
    crack.next();
    await until(() => answer.closed, 'the cut');
    expect([answer.chunks, answer.ended]).toEqual([['data: dong\n\n'], false]);
  });

  it('routes without a stream are answered alike, with the headers of the error', async () => {
    const answer = await fetch(`${server.url}/gong/refused`);
    expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toMatchObject([
      409,
      '3',
      { gong: 'SESSION_BUSY' },
    ]);
  });

  it('a route without a decoder has nothing decoded', async () => {
    const answer = await fetch(`${server.url}/gong/nothing`);
    expect([answer.status, await answer.json()]).toMatchObject([500, { gong: 'INTERNAL_ERROR' }]);
  });
});

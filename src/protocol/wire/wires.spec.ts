import { Get, HttpException, Injectable, Module, Post } from '@nestjs/common';
import { startServer, type TestServer } from '../../../test/support/server.js';
import { Public } from '../../access/index.js';
import { BodyLimit, type HttpError, NoBody, SsePost } from '../http/index.js';
import type { FrameEncoder } from './frame-encoder.js';
import { Wire } from './wire.js';
import { type FailedRequest, WireController, WireModule, Wires } from './index.js';

@Injectable()
class BellWire extends Wire {
  readonly name: string = 'bell';
  override readonly paths: readonly string[] = ['/bell', '/bell/tower/'];

  override encoder(): FrameEncoder {
    return { joinable: true, next: () => [], end: () => [] };
  }

  override errorBody({ code }: HttpError, { path }: FailedRequest): object {
    return { [this.name]: code, path };
  }
}

/** Its routes are below another wire's path. */
@Injectable()
class DrumWire extends BellWire {
  override readonly name = 'drum';
  override readonly isWatchable = false;
  override readonly paths = ['/bell/tower'];
}

@WireController(BellWire, 'bell')
@Public()
class BellController {
  @SsePost('')
  @NoBody()
  @BodyLimit(20)
  ring(): object {
    return {};
  }

  @Get('broken')
  broken(): never {
    throw new HttpException('cracked', 400);
  }
}

@WireController(DrumWire, ['bell/tower/drum', 'drum'])
@Public()
class DrumController {
  @Post()
  beat(): object {
    return {};
  }
}

@Module({ imports: [WireModule], controllers: [BellController, DrumController], providers: [BellWire, DrumWire] })
class InstrumentsModule {}

@Injectable()
class AgainWire extends BellWire {}

@Module({ imports: [WireModule], providers: [BellWire, AgainWire] })
class TwiceModule {}

describe('Wires', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({ imports: [InstrumentsModule] });
  });
  afterAll(() => server.close());

  it('the wires of all modules are found by name', () => {
    const wires = server.get(Wires);
    expect(wires.watchable('bell')).toBeInstanceOf(BellWire);
    expect(() => wires.watchable('drum')).toThrow(
      'protocol must be one of bell, agent-api, responses, chat-completions, ai-sdk, ag-ui, ag-kit, ag-kit-ag-ui, ag-kit-bot, runs, a2a, a2a-0.3, mcp',
    );
  });

  it('two wires of the same name are refused', async () => {
    await expect(startServer({ imports: [TwiceModule] })).rejects.toThrow('Two wires have the same name');
  });

  it.each([
    ['the route', 'GET', '/bell/broken', 400, { bell: 'INVALID_PARAMETER' }],
    ['the route, for a body that cannot be parsed', 'POST', '/bell', 400, { bell: 'INVALID_JSON' }],
    ['the route, below a path of another wire', 'POST', '/drum?a=b', 400, { drum: 'INVALID_JSON', path: '/drum' }],
    ['the route, not of the path', 'POST', '/bell/tower/drum', 400, { drum: 'INVALID_JSON' }],
    ['the path, for another method of a route', 'PUT', '/bell/broken', 405, { bell: 'METHOD_NOT_ALLOWED' }],
    ['the path, without a route', 'GET', '/bell/none', 404, { bell: 'RESOURCE_NOT_FOUND' }],
    ['the longest path, without a route', 'GET', '/bell/tower/none', 404, { bell: 'RESOURCE_NOT_FOUND' }],
    ['a path that begins so, without a route', 'GET', '/bell/towers', 404, { drum: 'RESOURCE_NOT_FOUND' }],
    ['a path that cannot be decoded', 'GET', '/bell/%ff', 400, { bell: 'INVALID_PARAMETER' }],
    ['no wire at all', 'GET', '/nowhere', 404, { code: 'RESOURCE_NOT_FOUND' }],
  ])('an error has the body of %s', async (_, method, path, status, body) => {
    const answer = await fetch(server.url + path, {
      method,
      ...(method === 'POST' && { body: '{', headers: { 'content-type': 'application/json' } }),
    });
    expect([answer.status, await answer.json()]).toMatchObject([status, body]);
  });

  it('other settings of a route stay in force', async () => {
    const post = (body: string): Promise<Response> =>
      fetch(`${server.url}/bell`, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    expect((await post('')).status).toBe(200);
    expect([(await post('"12345678901234567890"')).status, (await post('{}')).status]).toEqual([413, 200]);
  });
});

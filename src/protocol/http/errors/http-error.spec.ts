import type { Socket } from 'node:net';
import { Controller, Get, HttpException, Logger, Module } from '@nestjs/common';
import { defer, type Observable, throwError } from 'rxjs';
import { rawRequest } from '../../../../test/support/raw-http.js';
import { startServer, type TestServer } from '../../../../test/support/server.js';
import { until } from '../../../../test/support/until.js';
import { Public } from '../../../access/index.js';
import { AppError } from '../../../common/index.js';
import { HttpModule } from '../index.js';

@Public()
@Controller()
class FailingController {
  @Get('frames')
  frames(): object {
    return {};
  }

  @Get('fails')
  fails(): never {
    throw new Error('secret');
  }

  @Get('teapot')
  teapot(): never {
    throw new HttpException('short and stout', 418);
  }

  @Get('deferred')
  deferred(): Observable<object> {
    return defer(() => throwError(() => new AppError('DATABASE_ERROR', 'gone', { cause: new Error('secret') })));
  }
}

@Module({ imports: [HttpModule], controllers: [FailingController] })
class FailingModule {}

describe('errors over HTTP', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({ imports: [FailingModule] });
  });
  afterAll(() => server.close());

  it.each([
    ['/fails', 500, { code: 'INTERNAL_ERROR', message: 'Internal error', requestId: expect.any(String) }],
    ['/deferred', 503, { code: 'DATABASE_ERROR', message: 'gone', requestId: expect.any(String) }],
    ['/teapot', 418, { code: 'INVALID_PARAMETER', message: 'short and stout' }],
    ['/nowhere?a=b', 404, { code: 'RESOURCE_NOT_FOUND', message: 'There is no /nowhere' }],
    ['/%zz', 400, { code: 'INVALID_PARAMETER', message: 'The request address is not valid' }],
  ])('%s is answered with the common error body', async (path, status, body) => {
    const answer = await fetch(`${server.url}${path}`);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toEqual(body);
  });

  it('405 names the allowed methods', async () => {
    const answer = await fetch(`${server.url}/frames`, { method: 'POST' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET']);
    expect(await answer.json()).toEqual({ code: 'METHOD_NOT_ALLOWED', message: '/frames does not answer POST' });
  });

  it('invalid HTTP is answered with the common error body', async () => {
    const answer = rawRequest(server.port, 'GET', '/frames', undefined, ['bad header']);
    await until(() => answer.closed, 'the answer');
    expect(answer.bytes.toString()).toContain('{"code":"INVALID_PARAMETER","message":"The request is not valid HTTP"}');
  });

  it('headers over the limit get 431', async () => {
    const answer = rawRequest(server.port, 'GET', '/frames', undefined, [`x-long: ${'a'.repeat(100_000)}`]);
    await until(() => answer.closed, 'the answer');
    expect(answer.head).toMatch(/^HTTP\/1\.1 431 /);
    expect(answer.bytes.toString()).toContain('"code":"PAYLOAD_TOO_LARGE"');
  });

  it('a body that does not arrive in time gets 408', async () => {
    const http = server.app.getHttpServer();
    const connected = new Promise<Socket>((resolve) => http.once('connection', resolve));
    const answer = rawRequest(server.port, 'POST', '/frames', undefined, [
      'content-type: application/json',
      'content-length: 100',
    ]);
    answer.socket.write('{"half":');
    // What Node says of it after two minutes.
    const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    http.emit('clientError', error, await connected);
    await until(() => answer.closed, 'the answer');
    expect(answer.head).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer.bytes.toString()).toContain(
      '{"code":"TIMEOUT","message":"The head of the request must arrive within 15 seconds, the whole request within 60"}',
    );
  });

  it('an internal error is logged without the query of its address', async () => {
    const log = jest.spyOn(Logger.prototype, 'error');
    await fetch(`${server.url}/fails?exp=1&sig=secret`);
    const [line] = log.mock.calls.map(([message]) => String(message)).filter((message) => message.includes('/fails'));
    log.mockRestore();
    expect(line).toMatch(/^GET \/fails failed as INTERNAL_ERROR \(request .+\)$/);
  });
});

import { Controller, Get, HttpCode, Logger, type INestApplication } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { readSettings } from '../config/index.js';
import { createLogger, formatTextLine } from './logger.js';
import { requestIdOf, ServerLog } from './server-log.js';
import { LoggingSettings } from './logging.settings.js';

@Controller()
class ProbeController {
  private readonly logger = new Logger('Probe');

  @Get('work')
  work(): string {
    this.logger.log({ authorization: 'Bearer secret', msg: 'working' });
    return 'done';
  }

  @Get('careful')
  careful(): string {
    this.logger.error('it broke', new Error('it broke').stack);
    return 'logged';
  }

  @Get('broken')
  @HttpCode(500)
  broken(): string {
    return 'broken';
  }

  @Get('health')
  health(): string {
    return 'healthy';
  }
}

describe('the log', () => {
  let app: INestApplication;

  async function linesOf(env: Record<string, string>, url: string): Promise<string[]> {
    const lines: string[] = [];
    const logger = createLogger(readSettings(LoggingSettings, { LOG_LEVEL: 'info', ...env }), {
      write: (line) => lines.push(line),
    });
    const testing = await Test.createTestingModule({ controllers: [ProbeController] }).compile();
    const adapter = new FastifyAdapter({ genReqId: requestIdOf });
    const fastify = testing.createNestApplication<NestFastifyApplication>(adapter, { bufferLogs: true });
    app = fastify;
    const log = new ServerLog(logger);
    app.useLogger(log.messages);
    log.observe(adapter.getInstance());
    await app.init();
    lines.length = 0;
    await fastify.inject({
      url,
      headers: { 'x-request-id': 'abc-1', authorization: 'Bearer secret', cookie: 'a=secret' },
    });
    return lines;
  }
  afterEach(() => app.close());

  it('each request makes one line with id, method, path, status and time, without the query', async () => {
    const records = (await linesOf({}, '/work?key=secret')).map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(records).toHaveLength(2);
    expect(records[1]).toMatchObject({
      level: 30,
      reqId: 'abc-1',
      req: { method: 'GET', path: '/work' },
      res: { statusCode: 200 },
      responseTime: expect.any(Number),
      msg: expect.stringMatching(/^GET \/work 200 \d+ms$/),
    });
    expect(JSON.stringify(records)).not.toContain('secret"');
  });

  it('a line names the class that logs, and secrets are redacted', async () => {
    const [line] = (await linesOf({}, '/work')).map((text) => JSON.parse(text) as Record<string, unknown>);
    expect(line).toMatchObject({ context: 'Probe', msg: 'working', authorization: '[secret]' });
  });

  it('the stack of an error is logged', async () => {
    const [line] = (await linesOf({}, '/careful')).map((text) => JSON.parse(text) as Record<string, unknown>);
    const err = { message: 'it broke', stack: expect.stringContaining('at ') as unknown };
    expect(line).toMatchObject({ level: 50, context: 'Probe', msg: 'it broke', err });
  });

  it('a 5xx is logged as an error, and a health probe is not logged', async () => {
    const [line] = (await linesOf({}, '/broken')).map((text) => JSON.parse(text) as Record<string, unknown>);
    expect(line).toMatchObject({ level: 50, res: { statusCode: 500 } });
    expect(await linesOf({}, '/health')).toEqual([]);
  });

  it.each(['json', 'text'])('no line of the format %s holds a credential, in whatever field', (format) => {
    const lines: string[] = [];
    const settings = readSettings(LoggingSettings, { LOG_FORMAT: format, LOG_LEVEL: 'trace' });
    const logger = createLogger(settings, { write: (line) => lines.push(line) });
    const headers = {
      'x-api-key': 'top-s3cr3t',
      'x-proxy-secret': 'top-s3cr3t',
      'sec-websocket-protocol': 'top-s3cr3t',
      authorization: 'top-s3cr3t',
    };
    const address = 'postgres://parley:top-s3cr3t@db/x';
    logger.info({ ...headers }, 'top');
    logger.info({ headers, req: { headers }, res: { headers } }, 'headers');
    logger.error(
      { err: new Error(`cannot reach ${address}`, { cause: new Error(address) }) },
      `cannot reach ${address}`,
    );
    logger.warn({ deep: { deeper: [{ url: address, signed: '/a?sig=top-s3cr3t' }] } }, 'Basic Ym9iOnRvcC1zM2NyM3Q=');
    expect(lines).toHaveLength(4);
    expect(lines.filter((line) => /top-s3cr3t|Ym9i/.test(line))).toEqual([]);
    expect(lines.join('')).toContain('postgres://parley:[secret]@db/x');
  });

  it('the text format writes one readable line', async () => {
    const lines = await linesOf({ LOG_FORMAT: 'text' }, '/work');
    expect(lines[1]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z INFO {2}GET \/work 200 \d+ms request=abc-1\n$/);
  });

  it('LOG_LEVEL=silent writes nothing', async () => {
    expect(await linesOf({ LOG_LEVEL: 'silent' }, '/broken')).toEqual([]);
  });
});

describe('formatTextLine', () => {
  it('a record is on one line whatever its values hold', () => {
    const record = {
      level: 50,
      time: 0,
      context: 'Run',
      msg: 'a\n2026 INFO forged',
      run: 'r1',
      err: { stack: 'Error: x\n    at y' },
    };
    expect(formatTextLine(JSON.stringify(record))).toBe(
      '1970-01-01T00:00:00.000Z ERROR [Run] a | 2026 INFO forged run=r1 Error: x | at y\n',
    );
  });

  it('other output is unchanged', () => {
    expect(formatTextLine('not JSON\n')).toBe('not JSON\n');
  });
});

describe('requestIdOf', () => {
  it.each(['a', 'req-1.2:3_x', 'A'.repeat(128)])('%s is accepted', (id) => {
    expect(requestIdOf({ headers: { 'x-request-id': id } })).toBe(id);
  });

  it.each(['', 'a b', 'a\nb', 'é', 'A'.repeat(129), '"><script>'])('a new id replaces %j', (id) => {
    expect(requestIdOf({ headers: { 'x-request-id': id } })).toMatch(/^[0-9a-f-]{36}$/);
  });
});

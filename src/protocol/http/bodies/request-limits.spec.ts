import { Body, Controller, Delete, HttpCode, Module, Post } from '@nestjs/common';
import { randomOf } from '../../../../test/support/random.js';
import { rawRequest } from '../../../../test/support/raw-http.js';
import { startServer, type TestServer } from '../../../../test/support/server.js';
import { until } from '../../../../test/support/until.js';
import { Public } from '../../../access/index.js';
import { AppError, ERROR_CATALOGUE, type ErrorCode } from '../../../common/index.js';
import { BodyLimit, checkJsonLimits, checkJsonText, HttpModule, NoBody } from '../index.js';

@Public()
@Controller()
class EchoController {
  @Post('echo')
  @HttpCode(200)
  echo(@Body() body: unknown): object {
    return { body: body ?? null };
  }

  @Post('bare')
  @HttpCode(200)
  @NoBody()
  bare(): object {
    return { bare: true };
  }

  @Delete('bare')
  remove(): object {
    return { bare: true };
  }

  @Post('small')
  @HttpCode(200)
  @BodyLimit(1000)
  small(@Body() body: unknown): object {
    return { body: body ?? null };
  }
}

@Module({ imports: [HttpModule], controllers: [EchoController] })
class EchoModule {}

const LIMIT = 8 * 1024 * 1024;
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('request limits', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({ imports: [EchoModule] });
  });

  afterAll(() => server.close());

  async function send(body: string | Buffer, headers: Record<string, string> = { 'content-type': 'application/json' }) {
    const answer = await fetch(`${server.url}/echo`, {
      method: 'POST',
      body: typeof body === 'string' ? body : new Uint8Array(body),
      headers,
    });
    return {
      status: answer.status,
      body: (await answer.json()) as { code?: string; message?: string; body?: unknown },
    };
  }

  it.each<[string, string, Record<string, string>?]>([
    ['JSON', '{"a":[1,"\u6674"]}'],
    ['a depth of 64', nested(64)],
    ['a byte order mark', '\ufeff{"a":1}'],
    ['a charset', '{"a":1}', { 'content-type': 'Application/JSON; charset="UTF-8"' }],
    ['50,000 items', `[${'1,'.repeat(49_999)}1]`],
    ['a long text of commas and brackets', JSON.stringify('{[,]},"\\'.repeat(100_000))],
    ['a property called constructor', '{"constructor":{"type":"string"}}'],
  ])('%s is accepted', async (_, body, ...[headers]) => {
    const answer = await send(body, headers);
    expect(answer).toEqual({ status: 200, body: { body: JSON.parse(body.replace('\ufeff', '')) } });
  });

  it.each<[string, string | Buffer, ErrorCode, RegExp, Record<string, string>?]>([
    ['an empty body', '', 'INVALID_JSON', /empty/],
    ['bad JSON', '{"a":', 'INVALID_JSON', /not valid JSON/],
    ['junk of 200 KB', '\u0001]{'.repeat(70_000), 'INVALID_JSON', /not valid JSON/],
    ['broken UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22]), 'INVALID_JSON', /UTF-8/],
    ['a depth of 65', nested(65), 'INVALID_PARAMETER', /64 levels/],
    ['a depth of 40,000', nested(40_000), 'INVALID_PARAMETER', /64 levels/],
    ['40,000 nested objects', `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`, 'INVALID_PARAMETER', /64 levels/],
    ['a million values', `[${'1,'.repeat(999_999)}1]`, 'INVALID_PARAMETER', /50000 values/],
    [
      '450,000 members',
      `{${Array.from({ length: 450_000 }, (_, n) => `"k${n}":1`).join()}}`,
      'INVALID_PARAMETER',
      /50000/,
    ],
    ['50,001 items', `[${'1,'.repeat(50_000)}1]`, 'INVALID_PARAMETER', /50000 values/],
    ['empty objects', `[${'{},'.repeat(50_000)}[]]`, 'INVALID_PARAMETER', /50000 values/],
    ['many nested arrays', `[${'[[[1]]],'.repeat(12_500)}1]`, 'INVALID_PARAMETER', /50000 values/],
    ['one deep chain after another', `[${`${nested(60)},`.repeat(1000)}1]`, 'INVALID_PARAMETER', /50000 values/],
    ['__proto__', '{"a":{"__proto__":{"b":1}}}', 'INVALID_PARAMETER', /__proto__/],
    ['an escaped __proto__', '{"\\u005f_proto__":{"b":1}}', 'INVALID_PARAMETER', /__proto__/],
    ['constructor.prototype', '{"constructor":{"prototype":{"b":1}}}', 'INVALID_PARAMETER', /constructor.prototype/],
    ['10 MB', JSON.stringify('a'.repeat(10_000_000)), 'PAYLOAD_TOO_LARGE', /8388608 bytes/],
    ['no content type', Buffer.from('{}'), 'UNSUPPORTED_MEDIA_TYPE', /application\/json/, {}],
    ['text', '{}', 'UNSUPPORTED_MEDIA_TYPE', /application\/json/, { 'content-type': 'text/plain' }],
    [
      'a form',
      'a=1',
      'UNSUPPORTED_MEDIA_TYPE',
      /application\/json/,
      { 'content-type': 'application/x-www-form-urlencoded' },
    ],
    ['XML', '<a/>', 'UNSUPPORTED_MEDIA_TYPE', /application\/json/, { 'content-type': 'application/xml' }],
    ['a broken content type', '{}', 'UNSUPPORTED_MEDIA_TYPE', /application\/json/, { 'content-type': 'nonsense' }],
    [
      'another charset',
      '{}',
      'UNSUPPORTED_MEDIA_TYPE',
      /utf-8/,
      { 'content-type': 'application/json; charset=latin1' },
    ],
    [
      'a compressed body',
      '{}',
      'UNSUPPORTED_MEDIA_TYPE',
      /compressed/,
      { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    ],
  ])('%s is refused', async (_, body, code, message, ...[headers]) => {
    const answer = await send(body, headers);
    expect(answer).toEqual({
      status: ERROR_CATALOGUE[code].status,
      body: { code, message: expect.stringMatching(message) },
    });
  });

  it('a body of unknown length is read up to the limit', async () => {
    const answer = rawRequest(server.port, 'POST', '/echo', undefined, [
      'content-type: application/json',
      'transfer-encoding: chunked',
    ]);
    const part = Buffer.alloc(1_000_000, 'a');
    for (let sent = 0; sent <= LIMIT + part.length; sent += part.length) {
      answer.socket.write(`${part.length.toString(16)}\r\n`);
      answer.socket.write(part);
      answer.socket.write('\r\n');
    }
    await until(() => answer.bytes.length > 0 || answer.closed, 'the answer');
    expect(answer.head).toMatch(/^HTTP\/1.1 413/);
    answer.socket.destroy();
  });

  it('the limit of a route overrides the configured one', async () => {
    const post = async (length: number, chunked: boolean) => {
      const body = JSON.stringify('a'.repeat(length - 2));
      const stream = chunked ? new Blob([body]).stream() : body;
      const init = { method: 'POST', body: stream, headers: { 'content-type': 'application/json' }, duplex: 'half' };
      return (await fetch(`${server.url}/small`, init as RequestInit)).status;
    };
    for (const chunked of [false, true]) {
      expect(await post(1000, chunked)).toBe(200);
      expect(await post(1001, chunked)).toBe(413);
    }
  });

  it.each(['POST', 'DELETE'])(
    'an empty body declared as JSON is accepted on a route without a body: %s',
    async (method) => {
      const answer = await fetch(`${server.url}/bare`, { method, headers: { 'content-type': 'application/json' } });
      expect(await answer.json()).toEqual({ bare: true });
    },
  );

  it('a route without a body accepts a request without one', async () => {
    const answer = await fetch(`${server.url}/echo`, { method: 'POST' });
    expect(await answer.json()).toEqual({ body: null });
  });
});

describe('checkJsonLimits', () => {
  it('depth and values are counted without recursion', () => {
    const deep = JSON.parse(nested(40_000)) as unknown;
    expect(() => checkJsonLimits(deep, { maxDepth: 39_999 })).toThrow(AppError);
    expect(() => checkJsonLimits(deep, { maxDepth: 40_000 })).not.toThrow();
    expect(() => checkJsonLimits([1, 2, [3]], { maxDepth: 2, maxValues: 4 })).not.toThrow();
    expect(() => checkJsonLimits([1, 2, [3]], { maxDepth: 2, maxValues: 3 })).toThrow(AppError);
    expect(() => checkJsonLimits(JSON.parse('{"a":{"__proto__":1}}'), { maxDepth: 9 })).toThrow(/__proto__/);
    for (const scalar of [null, 1, 'a', undefined])
      expect(() => checkJsonLimits(scalar, { maxDepth: 1 })).not.toThrow();
  });
});

describe('checkJsonText', () => {
  const passes = (text: string, maxDepth: number, maxValues: number): boolean => {
    try {
      checkJsonText(Buffer.from(text), { maxDepth, maxValues });
      return true;
    } catch {
      return false;
    }
  };

  it.each<[string, string, number, number]>([
    ['a scalar', '"[,{"', 0, 0],
    ['nothing', '', 0, 0],
    ['empty containers', ' [ {} , [ ] ] ', 2, 2],
    ['members', '{"a":1,"b":{"c":[true]}}', 3, 4],
    ['structure in strings', '["[[,,",",{\\",","\\\\",1]', 1, 4],
    [
      'structure in long strings',
      JSON.stringify([`${'x'.repeat(40)},"[\\`, `${'\\'.repeat(33)}"`, `${'"'.repeat(70)}[,`]),
      1,
      3,
    ],
    ['a string without an end', '[1,"a,b', 1, 2],
    ['white space', '[\n\t{ "a" :\r\n1 } ]', 2, 2],
    ['characters of several bytes', '["日本,語","\ud83d\ude00"]', 1, 2],
  ])('%s: the depth and the values are exact', (_what, text, depth, values) => {
    expect(passes(text, depth, values)).toBe(true);
    if (depth > 0) expect(passes(text, depth - 1, values)).toBe(false);
    if (values > 0) expect(passes(text, depth, values - 1)).toBe(false);
  });

  it('it counts what the parser makes of random JSON', () => {
    const random = randomOf(7);
    for (let round = 0; round < 300; round += 1) {
      const value = randomJson(random, 4);
      const { depth, values } = sizeOf(value);
      const text = JSON.stringify(value, null, round % 2 === 0 ? 0 : 2);
      expect([text, passes(text, depth, values)]).toEqual([text, true]);
      if (values > 0) expect([text, passes(text, depth, values - 1)]).toEqual([text, false]);
    }
  });
});

function randomJson(random: () => number, depth: number): unknown {
  const kind = Math.floor(random() * (depth > 0 ? 6 : 4));
  const some = Array.from({ length: Math.floor(random() * 4) });
  if (kind === 0) return null;
  if (kind === 1) return Math.floor(random() * 1000) / 4;
  if (kind < 4)
    return some.map(() => ['"', '\\', ',', '[', '}', 'é', 'x'.repeat(40)][Math.floor(random() * 7)]).join('');
  if (kind === 4) return some.map(() => randomJson(random, depth - 1));
  return Object.fromEntries(some.map((_, index) => [`k,${index}`, randomJson(random, depth - 1)]));
}

function sizeOf(value: unknown): { depth: number; values: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 0 };
  const below = Object.values(value).map(sizeOf);
  return {
    depth: 1 + Math.max(0, ...below.map(({ depth }) => depth)),
    values: below.length + below.reduce((sum, { values }) => sum + values, 0),
  };
}

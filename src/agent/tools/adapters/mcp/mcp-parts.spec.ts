import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { failureOf, reasonOf, redact } from './call-failure.js';
import { LineLog } from './transport.js';
import { resultImages, resultText } from './result-text.js';
import { CallResult } from './wire-schemas.js';

describe('resultText', () => {
  const text = (words: string): object => ({ type: 'text', text: words });
  const said = (result: object): string => resultText(CallResult.parse(result));

  it.each([
    [{}, ''],
    [{ content: [] }, ''],
    [{ content: [text('one'), text(''), text('two')] }, 'one\ntwo'],
    [{ structuredContent: { a: 1 } }, '{"a":1}'],
    [
      { content: [text('{ "a": 1, "b": ["x\\ny"] }')], structuredContent: { a: 1, b: ['x\ny'] } },
      '{ "a": 1, "b": ["x\\ny"] }',
    ],
    [{ content: [text('10 items')], structuredContent: { total: 0 } }, '10 items\n{"total":0}'],
    [{ content: [text('5')], structuredContent: { result: 5 } }, '5'],
    [{ content: [text('Sunny')], structuredContent: { result: 'Sunny' } }, 'Sunny'],
    [{ content: [text('{"a":1}'), text('b')], structuredContent: { result: [{ a: 1 }, 'b'] } }, '{"a":1}\nb'],
    [{ content: [text('b')], structuredContent: { result: ['b', 'c'] } }, 'b\n{"result":["b","c"]}'],
    [{ content: [text('Sunny')], structuredContent: { degrees: 21 } }, 'Sunny\n{"degrees":21}'],
    [{ content: [text('One:'), { type: 'image', mimeType: 'image/png', data: 'AAAA' }] }, 'One:'],
    [{ content: [{ type: 'image', mimeType: 'image/tiff', data: 'AAAA' }] }, '[image image/tiff, 3 bytes, not shown]'],
    [{ content: [{ type: 'image', mimeType: 'image/png', data: '<A>' }] }, '[image image/png, 2 bytes, not shown]'],
    [{ content: [{ type: 'audio', data: 7 }] }, '[audio, 0 bytes, not shown]'],
    [{ content: [{ type: 'resource', resource: { uri: 'a:b', text: 'hello' } }] }, '[resource a:b]\nhello'],
    [
      { content: [{ type: 'resource', resource: { uri: 'a:b', mimeType: 'x/y', blob: 'AAAA' } }] },
      '[resource a:b x/y, 3 bytes, not shown]',
    ],
    [{ content: [{ type: 'resource_link', uri: 'a:b', name: 'n', description: 'd' }] }, '[resource link a:b "n": d]'],
    [{ content: [{ type: 'hologram' }, 7, null] }, '[content of the unknown type "hologram"]'],
  ])('%j', (result, expected) => expect(said(result)).toBe(expected));
});

describe('resultImages', () => {
  const image = (data: string): object => ({ type: 'image', mimeType: 'image/png', data });
  const parsed = (...content: object[]): CallResult => CallResult.parse({ content });

  it('images are data URLs in order', () => {
    expect(resultImages(parsed(image('AAAA'), { type: 'text', text: 'x' }, image('BBBB')))).toEqual([
      'data:image/png;base64,AAAA',
      'data:image/png;base64,BBBB',
    ]);
  });

  it('those that are too many or too large together are described', () => {
    const large = image('A'.repeat(3 * 1024 * 1024));
    const result = parsed(large, large, image('BBBB'));
    expect(resultImages(result)).toHaveLength(2);
    expect(resultText(result)).toBe('[image image/png, 2359296 bytes, not shown]');
    expect(resultImages(parsed(...Array.from({ length: 20 }, () => image('AAAA'))))).toHaveLength(16);
  });
});

describe('failureOf', () => {
  const refused = new TypeError('fetch failed', {
    cause: Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }),
  });
  const reset = new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNRESET' }) });

  it.each([
    [refused, false, 'not-sent'],
    [reset, false, 'lost'],
    [new Error('Not connected'), true, 'not-sent'],
    [new StreamableHTTPError(404, 'Session not found'), false, 'not-sent'],
    [new StreamableHTTPError(400, 'No valid session ID'), false, 'not-sent'],
    [new StreamableHTTPError(502, 'Bad gateway'), false, 'lost'],
    [new McpError(-32000, 'Connection closed'), true, 'lost'],
    [new McpError(-32000, "A server's own error"), false, 'refused'],
    [new McpError(-32001, 'Request timed out', { timeout: 5 }), false, 'timeout'],
    [new McpError(-32001, "A server's own time-out"), false, 'refused'],
    [new McpError(-32602, 'Invalid params'), false, 'refused'],
  ])('%s', (error, isClosed, failure) => expect(failureOf(error, isClosed)).toBe(failure));

  it('the cause of a failed request is named', () => {
    expect(reasonOf(refused)).toBe('fetch failed (ECONNREFUSED)');
    expect(reasonOf('x')).toBe('x');
  });
});

describe('LineLog', () => {
  it('pieces are joined to lines, also within a character', () => {
    const lines: string[] = [];
    const log = new LineLog((line) => lines.push(line));
    const bytes = Buffer.from('Grüße\r\n\n zwei\nrest');
    for (const byte of bytes) log.append(Buffer.from([byte]));
    expect(lines).toEqual(['Grüße', ' zwei']);
  });

  it('omitted lines are counted', () => {
    const lines: string[] = [];
    let now = 0;
    const log = new LineLog(
      (line) => lines.push(line),
      () => now,
    );
    log.append(Buffer.from('x\n'.repeat(150)));
    now = 10_001;
    log.append(Buffer.from('y\n'));
    expect(lines).toHaveLength(102);
    expect(lines.slice(-2)).toEqual(['(50 more lines)', 'y']);
  });
});

describe('redact', () => {
  it('secrets are removed, the longest first, and the text is truncated', () => {
    expect(redact('Bearer tok-12345678 and tok-12345678', ['tok-12345678', 'Bearer tok-12345678'], 100)).toBe(
      '[secret] and [secret]',
    );
    expect(redact('abcdef', [], 3)).toBe('abc…');
  });
});

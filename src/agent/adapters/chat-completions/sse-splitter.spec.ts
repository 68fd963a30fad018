import fc from 'fast-check';
import { SseSplitter } from './sse-splitter.js';

interface Event {
  readonly data: string;
  readonly name: string;
}

/** Splits a stream that comes in these pieces. */
function split(pieces: readonly Buffer[], isWhole = true, limit?: number): Event[] {
  const splitter = new SseSplitter(limit);
  const events: Event[] = [];
  const drain = (): void => {
    for (let data = splitter.next(); data !== undefined; data = splitter.next()) {
      events.push({ data, name: splitter.eventName });
    }
  };
  for (const piece of pieces) {
    splitter.push(piece);
    drain();
  }
  if (isWhole) splitter.end();
  drain();
  return events;
}

const dataOf = (stream: string, isWhole = true): string[] =>
  split([Buffer.from(stream)], isWhole).map(({ data }) => data);

describe('SseSplitter', () => {
  it.each<[string, string, string[]]>([
    ['events', 'data: a\n\ndata: b\n\n', ['a', 'b']],
    ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
    ['CR alone', 'data: a\r\rdata: b\r\r', ['a', 'b']],
    ['data lines of one event', 'data: a\ndata:\ndata: b\n\n', ['a\n\nb']],
    ['no space after the colon, and more than one', 'data:a\n\ndata:  b\n\n', ['a', ' b']],
    ['comments, ids, retries and unknown fields', ': ping\nid: 1\nretry: 5\ndatum: x\ndata: a\n\n: ping\n\n', ['a']],
    ['a field without a colon', 'data\n\nevents\n\n', ['']],
    ['a byte order mark', '\uFEFFdata: a\n\n', ['a']],
    ['blank lines between events', '\n\n\ndata: a\n\n\n\n', ['a']],
    ['a last event without its blank line', 'data: a\n\ndata: b', ['a', 'b']],
  ])('%s is read', (_, stream, expected) => expect(dataOf(stream)).toEqual(expected));

  it('the name of an event applies to that event only', () => {
    const stream = 'event: error\ndata: a\n\ndata: b\n\nevent: ping\n\ndata: c\n\n';
    expect(split([Buffer.from(stream)]).map(({ name }) => name)).toEqual(['error', '', '']);
  });

  it('an event is returned when it is complete', () => {
    expect(dataOf('data: a\n', false)).toEqual([]);
    expect(dataOf('data: a\n\ndata: b', false)).toEqual(['a']);
  });

  it('the events do not depend on where the bytes are cut', () => {
    const line = fc.constantFrom('data: é', 'data: 😀汉', 'data:x', ': c', 'event: e', '', '', 'id: 1', 'data');
    const end = fc.constantFrom('\n', '\r\n', '\r');
    const stream = fc.array(fc.tuple(line, end), { maxLength: 20 }).map((lines) => lines.flat().join(''));
    fc.assert(
      fc.property(stream, fc.array(fc.nat(200), { maxLength: 30 }), (text, cuts) => {
        const bytes = Buffer.from(text);
        const at = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
        const pieces = at.slice(1).map((to, index) => bytes.subarray(at[index], to));
        const whole = split([bytes]);
        expect(split(pieces)).toEqual(whole);
        expect(split([...bytes].map((byte) => Buffer.from([byte])))).toEqual(whole);
      }),
      { numRuns: 500 },
    );
  });

  it('a line or an event over the limit is refused', () => {
    const long = Buffer.from(`data: ${'x'.repeat(100)}`);
    expect(() => split([long, long], false, 150)).toThrow(expect.objectContaining({ name: 'UpstreamStreamError' }));
    const lines = Buffer.from(`data: ${'x'.repeat(100)}\n`);
    expect(() => split([lines, lines], false, 150)).toThrow(expect.objectContaining({ name: 'UpstreamStreamError' }));
    expect(split([lines, Buffer.from('\n'), lines], true, 150)).toHaveLength(2);
  });
});

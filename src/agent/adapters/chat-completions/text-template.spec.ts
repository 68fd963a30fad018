import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import type { ModelEvent } from '../../ports/model-client.js';
import { CompletionDecoder } from './completion-decoder.js';
import { SseSplitter } from './sse-splitter.js';

const chunkOf = (delta: object, more: object = {}): string =>
  JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: null }], ...more });
const chunk = (content: string, more?: object): string => chunkOf({ content }, more);

type Line = string | { readonly data: string; readonly event: string };

/** The bytes of a stream with these chunks. */
function streamOf(lines: readonly Line[], [field, end]: readonly [string, string]): Buffer {
  const text = (line: Line): string =>
    typeof line === 'string' ? `${field}${line}${end}` : `event: ${line.event}${end}${field}${line.data}${end}`;
  return Buffer.from(lines.map((line) => text(line) + end).join(''));
}

/** Bytes in pieces, as sockets bring them. */
function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((to, index) => bytes.subarray(at[index], to));
}

/** What is read of a stream: with what the decoder learns of the chunks before, or with each chunk parsed. */
function decoded(pieces: readonly Buffer[], learns: boolean): ModelEvent[] {
  const events: ModelEvent[] = [];
  const splitter = new SseSplitter();
  const decoder = new CompletionDecoder();
  const drain = (): void => {
    for (;;) {
      if (learns && decoder.decodeAlike(splitter, 64, events)) continue;
      const data = splitter.next();
      if (data === undefined) return;
      if (data !== '') decoder.decode(data, splitter.eventName, events);
    }
  };
  for (const piece of pieces) {
    splitter.push(piece);
    drain();
  }
  splitter.end();
  drain();
  return events;
}

/** The events, or the name of the error that ends them. */
function outcome(pieces: readonly Buffer[], learns: boolean): unknown {
  try {
    return decoded(pieces, learns);
  } catch (error) {
    return (error as Error).name;
  }
}

/** The bytes of the heap after a full collection. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

const LINES = ['data: ', '\n'] as const;
const read = (lines: readonly Line[], learns = true): ModelEvent[] => decoded([streamOf(lines, LINES)], learns);

describe('the fast path for chunks that differ in their text only', () => {
  const tricky = fc.constantFrom(
    '"',
    '\\',
    '\n',
    '\u0000',
    '"}',
    '\\"',
    'sample',
    'c',
    '',
    '{',
    '":"',
    '<',
    '<think>',
    '</think>',
    '汉',
    '😀',
    '\u2028',
  );
  const content = fc
    .array(fc.oneof(tricky, fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 4 })
    .map((parts) => parts.join(''));

  it('chunks become the same events as if each were parsed', () => {
    const text = fc.record({ content });
    const other = fc.record({ reasoning_content: content, content });
    const member = fc.record({ system_fingerprint: content }, { requiredKeys: [] });
    const line = fc.oneof(
      { weight: 5, arbitrary: fc.tuple(text, fc.constant({})) },
      fc.tuple(text, member),
      fc.tuple(other, member),
    );
    // What is no chunk, or one with the beginning and the end of another.
    const raw = fc
      .tuple(fc.constantFrom(chunk('@'), '@', '"@"'), content)
      .map(([form, text]) => form.replace('@', text));
    const data = fc.oneof(
      { weight: 8, arbitrary: line.map(([delta, more]) => chunkOf(delta, more)) },
      raw.map((text) => text.replace(/[\r\n]/g, ' ')),
    );
    const named = fc.record({ data, event: fc.constantFrom('message', '') });
    const lines = fc.array(fc.oneof({ weight: 8, arbitrary: data }, named), { maxLength: 12 });
    const style = fc.tuple(fc.constantFrom('data: ', 'data:', 'data:  '), fc.constantFrom('\n', '\r\n', '\r'));
    fc.assert(
      fc.property(lines, style, fc.array(fc.nat(1500), { maxLength: 8 }), (all, form, cuts) => {
        const pieces = cutAt(streamOf(all, form), cuts);
        expect(outcome(pieces, true)).toEqual(outcome(pieces, false));
      }),
      { numRuns: 3000 },
    );
  });

  it('chunks are not parsed once their form is known', () => {
    const parse = jest.spyOn(JSON, 'parse');
    const chunks = Array.from({ length: 50 }, (_, index) => chunk(`word${index} `));
    expect(read(chunks)).toHaveLength(50);
    expect(parse.mock.calls.length).toBeLessThan(5);
    parse.mockRestore();
  });

  it('of a chunk with escapes only the text is parsed', () => {
    const texts = ['a', '\n', 'b"', '\\', '\\"', '\u0001 \u2028', 'c'];
    const chunks = texts.map((text) => chunk(text));
    const parse = jest.spyOn(JSON, 'parse');
    expect(read(chunks)).toEqual(texts.map((text) => ({ type: 'text-delta', text })));
    const whole = parse.mock.calls.filter(([text]) => text.startsWith('{'));
    parse.mockRestore();
    // The first chunk, the sample, and those whose quotation marks leave the end of the text open.
    expect(whole.length).toBeLessThanOrEqual(4);
  });

  it('a text does not keep the chunk that it came in', () => {
    const filler = 'x'.repeat(16 * 1024);
    const before = heapUsed();
    const kept = Array.from({ length: 500 }, (_, index) =>
      read([chunk('a', { filler }), chunk(`${index} a text that is a part of its chunk`, { filler })]),
    );
    expect(heapUsed() - before).toBeLessThan(4 * 1024 * 1024);
    expect(kept).toHaveLength(500);
  });

  it('chunks of different forms are parsed', () => {
    const parse = jest.spyOn(JSON, 'parse');
    const chunks = Array.from({ length: 50 }, (_, index) => chunk('word ', { obfuscation: 'x'.repeat(index) }));
    expect(read(chunks)).toHaveLength(50);
    expect(parse.mock.calls.length).toBeLessThan(60);
    parse.mockRestore();
  });

  it('a last chunk with text and a finish reason is read', () => {
    const last = JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content: 'end' }, finish_reason: 'stop' }] });
    const decoder = new CompletionDecoder();
    const events: ModelEvent[] = [];
    for (const data of [chunk('a'), chunk('b'), last]) decoder.decode(data, '', events);
    decoder.end(events);
    expect(events.map((event) => ('text' in event ? event.text : event.type))).toEqual(['a', 'b', 'end', 'finish']);
  });
});

import fc from 'fast-check';
import type { ModelEvent } from '../../ports/model-client.js';
import { CompletionDecoder } from './completion-decoder.js';

const chunk = (content: string, more: object = {}): string =>
  JSON.stringify({
    id: 'c',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: { content }, finish_reason: null }],
    ...more,
  });

/** What a decoder makes of chunks, with what it has learned of those before, or without. */
function decoded(chunks: readonly string[], learns: boolean): ModelEvent[] {
  const events: ModelEvent[] = [];
  let decoder = new CompletionDecoder();
  for (const data of chunks) {
    if (!learns) decoder = new CompletionDecoder();
    decoder.decode(data, '', events);
  }
  return events;
}

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
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const chunks = lines.map(([delta, more]) =>
          JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: null }], ...more }),
        );
        expect(decoded(chunks, true)).toEqual(decoded(chunks, false));
      }),
      { numRuns: 1000 },
    );
  });

  it('chunks are not parsed once their form is known', () => {
    const parse = jest.spyOn(JSON, 'parse');
    const chunks = Array.from({ length: 50 }, (_, index) => chunk(`word${index} `));
    expect(decoded(chunks, true)).toHaveLength(50);
    expect(parse.mock.calls.length).toBeLessThan(5);
    parse.mockRestore();
  });

  it('chunks of different forms are parsed', () => {
    const parse = jest.spyOn(JSON, 'parse');
    const chunks = Array.from({ length: 50 }, (_, index) => chunk('word ', { obfuscation: 'x'.repeat(index) }));
    expect(decoded(chunks, true)).toHaveLength(50);
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

import type { ModelEvent } from '../../ports/model-client.js';
import { assemble } from '../testing/collect.js';
import { ToolCallDecoder } from './tool-call-decoder.js';

interface Raw {
  readonly index?: number | string | null;
  readonly id?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: unknown };
  readonly extra_content?: object;
}

function decode(...deltas: Raw[]): readonly ModelEvent[] {
  const decoder = new ToolCallDecoder();
  const events: ModelEvent[] = [];
  for (const delta of deltas) decoder.read(delta, events);
  decoder.end(events);
  return events;
}

const named = (name: string, text: unknown = '', more: Raw = {}): Raw => ({
  ...more,
  function: { name, arguments: text },
});
const more = (text: string, place: Raw = {}): Raw => ({ ...place, function: { arguments: text } });
const A = { id: 'a', name: 'look', arguments: '{"x":1}' };
const B = { id: 'b', name: 'look', arguments: '{"y":2}' };
const nameless = ({ name, arguments: text }: typeof A): object => ({ id: undefined, name, arguments: text });

describe('ToolCallDecoder', () => {
  it.each<[string, Raw[], unknown[]]>([
    [
      'by an index that is a text',
      [
        named('look', '{"x":', { index: '0', id: 'a' }),
        named('look', '{"y":', { index: '1', id: 'b' }),
        more('1}', { index: '0' }),
        more('2}', { index: '1' }),
      ],
      [A, B],
    ],
    [
      'by index, interleaved',
      [
        named('look', '{"x":', { index: 0, id: 'a' }),
        named('look', '{"y":', { index: 1, id: 'b' }),
        more('1}', { index: 0 }),
        more('2}', { index: 1 }),
      ],
      [A, B],
    ],
    [
      'by id on each delta, without indexes',
      [
        named('look', '{"x":', { id: 'a' }),
        named('look', '{"y":', { id: 'b' }),
        more('1}', { id: 'a' }),
        more('2}', { id: 'b' }),
      ],
      [A, B],
    ],
    [
      'by order, when only the first delta of a call has an id',
      [named('look', '{"x":', { id: 'a' }), more('1}'), named('look', '{"y":', { id: 'b' }), more('2}')],
      [A, B],
    ],
    [
      'whole calls without indexes',
      [named('look', A.arguments, { id: 'a' }), named('look', B.arguments, { id: 'b' })],
      [A, B],
    ],
    [
      'whole calls without indexes and ids',
      [named('look', A.arguments), named('look', B.arguments)],
      [nameless(A), nameless(B)],
    ],
    [
      'whole calls that all have index 0',
      [named('look', A.arguments, { index: 0, id: 'a' }), named('look', B.arguments, { index: 0, id: 'b' })],
      [A, B],
    ],
    [
      'whole calls that all have index 0 and no ids',
      [named('look', A.arguments, { index: 0 }), named('look', B.arguments, { index: 0 })],
      [nameless(A), nameless(B)],
    ],
    [
      'one call whose name and id are repeated with each delta',
      [named('look', '{"x":', { index: 0, id: 'a' }), named('look', '1}', { index: 0, id: 'a' })],
      [A],
    ],
    [
      'one call whose name is repeated, without index and id',
      [named('look', '{"x":'), named('look', '1}')],
      [nameless(A)],
    ],
    [
      'one call with a new id on each delta',
      [
        named('look', '{"x":', { index: 0, id: 'a' }),
        more('1', { index: 0, id: 'z' }),
        more('}', { index: 0, id: 'y' }),
      ],
      [A],
    ],
    [
      'one call with an empty id and name on the later deltas',
      [named('look', '{"x":', { index: 0, id: 'a' }), named('', '1}', { index: 0, id: '' })],
      [A],
    ],
    [
      'a name that comes after the first arguments',
      [more('{"x":', { index: 0, id: 'a' }), named('look', '1}', { index: 0 })],
      [A],
    ],
    ['an id that comes with the name', [{ index: 0 }, named('look', '{"x":1}', { index: 0, id: 'a' })], [A]],
    ['arguments as an object', [named('look', { x: 1 }, { index: 0, id: 'a' })], [A]],
    [
      'null for what is missing',
      [{ index: null, id: 'a', function: { name: 'look', arguments: null } }, more('{"x":1}')],
      [A],
    ],
    ['a call after an empty one', [{}, { index: 0 }, named('look', '{"x":1}', { index: 1, id: 'a' })], [A]],
    ['a call without a name', [more('{"x":1}', { index: 0, id: 'a' })], [{ ...A, name: '' }]],
  ])('%s are read', (_, deltas, expected) => expect(assemble(decode(...deltas)).calls).toEqual(expected));

  it('calls are numbered from 0 and named once, in the first event', () => {
    const events = decode(
      named('look', '{', { index: 7, id: 'a' }),
      more('}', { index: 7 }),
      named('see', '{}', { index: 3 }),
    );
    expect(events).toEqual([
      { type: 'tool-call-delta', index: 0, id: 'a', name: 'look', argumentsDelta: '{' },
      { type: 'tool-call-delta', index: 0, argumentsDelta: '}' },
      { type: 'tool-call-delta', index: 1, name: 'see', argumentsDelta: '{}' },
    ]);
  });

  it.each<[string, Raw[]]>([
    ['an empty object', [{}]],
    ['an index alone', [{ index: 0 }, { index: 0 }]],
    [
      'blank texts',
      [
        { index: 0, id: '', function: { name: ' ', arguments: ' ' } },
        { id: null, function: {} },
      ],
    ],
    ['an extra without a call', [{ index: 0, extra_content: { signature: 's' } }]],
  ])('%s is no call', (_, deltas) => {
    const decoder = new ToolCallDecoder();
    const events: ModelEvent[] = [];
    for (const delta of deltas) decoder.read(delta, events);
    decoder.end(events);
    expect([events, decoder.count, decoder.kept]).toEqual([[], 0, undefined]);
  });

  it('what an empty first delta brings belongs to the call that it begins', () => {
    const decoder = new ToolCallDecoder();
    const events: ModelEvent[] = [];
    decoder.read({}, events);
    decoder.read({ index: 1, extra_content: { signature: 's' } }, events);
    decoder.read(named('look', '{"x":1}', { index: 1, id: 'a' }), events);
    decoder.end(events);
    expect(assemble(events).calls).toEqual([A]);
    expect([decoder.count, decoder.kept]).toEqual([
      1,
      { a: { place: 0, extra: { extra_content: { signature: 's' } } } },
    ]);
  });

  it.each<[string, string[], number]>([
    ['braces in texts', ['{"x":"}', '{"}', '{"y":"\\\\"}'], 2],
    ['quotation marks in texts', ['{"x":"\\', '"}"', '}', '{}'], 2],
    ['nested objects', ['{"x":{', '}', ' ', '} ', '{"y":', '[{}]}'], 2],
    ['an array', ['[', '{}', ']'], 1],
    ['text after an object', ['{},', '{}'], 1],
  ])('calls whose name is repeated are told apart: %s', (_, texts, count) => {
    const { calls } = assemble(decode(...texts.map((text) => named('look', text))));
    expect(calls).toHaveLength(count);
    expect(calls.map((call) => call.arguments).join('')).toBe(texts.join(''));
  });

  it('the arguments of a call whose name is repeated are not parsed again with each delta', () => {
    const texts = ['{"x":"', ...Array.from({ length: 20_000 }, (_, index) => ` ${index}`), '"}'];
    const parse = jest.spyOn(JSON, 'parse');
    const events = decode(...texts.map((text) => named('look', text)));
    const parsed = parse.mock.calls.reduce((sum, [text]) => sum + text.length, 0);
    parse.mockRestore();
    const whole = texts.join('');
    expect(assemble(events).calls).toEqual([{ id: undefined, name: 'look', arguments: whole }]);
    expect(parsed).toBeLessThanOrEqual(whole.length);
  });

  it('other data is ignored', () => {
    const decoder = new ToolCallDecoder();
    const events: ModelEvent[] = [];
    for (const raw of [null, 'x', 1, []]) decoder.read(raw, events);
    expect(events).toEqual([]);
    expect(decoder.count).toBe(0);
  });
});

import type { ModelEvent } from '../../ports/model-client.js';
import { assemble } from '../testing/collect.js';
import { ToolCallDecoder } from './tool-call-decoder.js';

interface Raw {
  readonly index?: number | string | null;
  readonly id?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: unknown };
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

  it('other data is ignored', () => {
    const decoder = new ToolCallDecoder();
    const events: ModelEvent[] = [];
    for (const raw of [null, 'x', 1, []]) decoder.read(raw, events);
    expect(events).toEqual([]);
    expect(decoder.count).toBe(0);
  });
});

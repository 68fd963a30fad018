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

  it('members of the function may be those of the call', () => {
    const flat = { index: 0, id: 'a', name: 'look', arguments: '{"x":1}' } as Raw;
    expect(assemble(decode(flat)).calls).toEqual([A]);
  });

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

  describe('that knows the tools', () => {
    const known = (names: string[], ...deltas: Raw[]): readonly ModelEvent[] => {
      const decoder = new ToolCallDecoder(names);
      const events: ModelEvent[] = [];
      for (const delta of deltas) decoder.read(delta, events);
      decoder.end(events);
      return events;
    };
    const name = (text: string, id?: string): Raw => ({ index: 0, ...(id && { id }), function: { name: text } });
    const made = (tool: string, text = '{"x":1}', id: string | undefined = 'a'): object => ({
      id,
      name: tool,
      arguments: text,
    });
    const args = more('{"x":1}', { index: 0 });

    it.each<[string, string[], Raw[], object[]]>([
      ['a name in two pieces', ['plain_lookup'], [name('plain_', 'a'), name('lookup'), args], [made('plain_lookup')]],
      [
        'pieces with the id',
        ['plain_lookup'],
        [name('plain_', 'a'), name('lookup', 'a'), args],
        [made('plain_lookup')],
      ],
      [
        'pieces without index and id',
        ['plain_lookup'],
        [named('plain_'), named('lookup'), more('{"x":1}')],
        [{ id: undefined, name: 'plain_lookup', arguments: '{"x":1}' }],
      ],
      ['a name that is the beginning of another', ['get', 'get_all'], [name('get', 'a'), args], [made('get')]],
      ['a name that comes again', ['get', 'get_all'], [name('get', 'a'), name('get'), args], [made('get')]],
      ['a tool that was not offered', ['other'], [name('look', 'a'), args], [made('look')]],
      ['no arguments', ['get', 'get_all'], [name('get', 'a')], [made('get', '{}')]],
      [
        'calls without arguments, in their order',
        ['get', 'get_all'],
        [name('get', 'a'), { index: 1, id: 'b', function: { name: 'get_all', arguments: '{}' } }],
        [made('get', '{}'), made('get_all', '{}', 'b')],
      ],
      [
        'whole calls that all have index 0, the first name being the beginning of the second',
        ['get', 'get_all'],
        [named('get', '{}', { index: 0 }), named('get_all', '{}', { index: 0 })],
        [
          { id: undefined, name: 'get', arguments: '{}' },
          { id: undefined, name: 'get_all', arguments: '{}' },
        ],
      ],
      ['tokens behind the name', ['look'], [name('look<|channel|>commentary', 'a'), args], [made('look')]],
      ['tokens in a later piece', ['look'], [name('look', 'a'), name('<|channel|>commentary'), args], [made('look')]],
      ['tokens in pieces', ['look'], [name('look<', 'a'), name('|channel|>x'), args], [made('look')]],
    ])('%s: read', (_, names, deltas, expected) => expect(assemble(known(names, ...deltas)).calls).toEqual(expected));

    it('the name of a tool is shown at once, a piece of one is not', () => {
      const events: ModelEvent[] = [];
      new ToolCallDecoder(['look']).read(name('look', 'a'), events);
      expect(events).toHaveLength(1);
      new ToolCallDecoder(['lookup']).read(name('look', 'a'), events);
      expect(events).toHaveLength(1);
    });
  });

  it.each([
    [['null'], '{}'],
    [['nu', 'll'], '{}'],
    [[' null\n'], '{}'],
    [['', ''], '{}'],
    [['nul', 'l}'], 'null}'],
    [['nothing'], 'nothing'],
    [[' ', '{"x":1}'], ' {"x":1}'],
  ])('arguments that come as %j are %s', (pieces, text) => {
    const events = decode(
      named('look', '', { index: 0, id: 'a' }),
      ...pieces.map((piece) => more(piece, { index: 0 })),
    );
    expect(assemble(events).calls).toEqual([{ id: 'a', name: 'look', arguments: text }]);
  });

  it('an id of an earlier call, or of another one of the answer, is replaced', () => {
    const decoder = new ToolCallDecoder([], new Set(['look:0', 'look:0_2']));
    const events: ModelEvent[] = [];
    decoder.read(named('look', '{"x":1}', { index: 0, id: 'look:0' }), events);
    decoder.read(named('see', '{}', { index: 1, id: 'see:0' }), events);
    decoder.read(named('hear', '{}', { index: 2, id: 'see:0' }), events);
    decoder.end(events);
    expect(assemble(events).calls.map(({ id }) => id)).toEqual(['look:0_3', 'see:0', 'see:0_2']);
    expect(decoder.kept).toEqual({
      'look:0_3': { place: 0, id: 'look:0' },
      'see:0_2': { place: 2, id: 'see:0' },
    });
  });

  it('members that the API does not have are kept with their call, also from later deltas', () => {
    const decoder = new ToolCallDecoder();
    const events: ModelEvent[] = [];
    decoder.read(
      { ...named('look', '{}', { id: 'a' }), extra_content: { google: { thought_signature: 's' } } },
      events,
    );
    decoder.read({ id: 'a', provider_specific_fields: { x: 1 }, caller: null }, events);
    decoder.read({ ...named('see', '{}'), vertex: 'v' }, events);
    decoder.read(named('hear', '{}', { id: 'c' }), events);
    expect(decoder.kept).toEqual({
      a: {
        place: 0,
        extra: { extra_content: { google: { thought_signature: 's' } }, provider_specific_fields: { x: 1 } },
      },
      1: { place: 1, extra: { vertex: 'v' } },
    });
  });

  it('other data is ignored', () => {
    const [decoder, events] = [new ToolCallDecoder(), [] as ModelEvent[]];
    for (const raw of [null, 'x', 1, []]) decoder.read(raw, events);
    expect([events, decoder.count]).toEqual([[], 0]);
  });
});

import fc from 'fast-check';
import type { JsonObject } from '../../common/index.js';
import { cloneJson, mergeData } from './merge.js';

const objects = fc
  .dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), fc.jsonValue({ maxDepth: 2 }))
  .map((value) => cloneJson(value as JsonObject));
const lists = fc.dictionary(
  fc.constantFrom('a', 'b'),
  fc.oneof(fc.string(), fc.integer(), fc.array(fc.integer())),
) as fc.Arbitrary<JsonObject>;

describe('the merge rule of data deltas', () => {
  it.each([
    ['a new key is set', {}, { a: 1 }, { a: 1 }],
    ['strings are concatenated', { a: 'x' }, { a: 'y' }, { a: 'xy' }],
    ['numbers are added', { a: 1 }, { a: 2 }, { a: 3 }],
    ['booleans are no numbers', { a: true }, { a: false }, { a: false }],
    ['a number and a boolean replace', { a: 1 }, { a: true }, { a: true }],
    ['lists are appended', { a: [1] }, { a: [2] }, { a: [1, 2] }],
    ['objects are merged', { a: { b: 'x', c: 1 } }, { a: { b: 'y' } }, { a: { b: 'xy', c: 1 } }],
    ['anything else is replaced', { a: 'x' }, { a: 1 }, { a: 1 }],
    ['null replaces', { a: 'x' }, { a: null }, { a: null }],
    [
      'the documented example',
      { n: 1, b: true, l: [1], name: 'get_weather' },
      { n: 2, b: false, l: [2], name: '_x' },
      { n: 3, b: false, l: [1, 2], name: 'get_weather_x' },
    ],
  ])('%s', (_, value, delta, expected) => {
    expect(mergeData(value, delta)).toEqual(expected);
  });

  it('__proto__ is an ordinary key', () => {
    const hostile = JSON.parse('{"__proto__":{"polluted":true}}') as JsonObject;
    const merged = mergeData({}, hostile);
    expect(JSON.stringify(merged)).toBe('{"__proto__":{"polluted":true}}');
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect((merged as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('values that are not JSON are refused', () => {
    const value = { a: Infinity, b: -0, c: undefined, d: [undefined], e: new Date(0) } as unknown as JsonObject;
    expect(mergeData({}, value)).toEqual({ a: null, b: 0, d: [null], e: '1970-01-01T00:00:00.000Z' });
    expect(mergeData({ a: 1e308 }, { a: 1e308 })).toEqual({ a: null });
  });

  it('merging an empty object changes nothing', () => {
    fc.assert(
      fc.property(objects, (value) => {
        expect(mergeData({}, value)).toEqual(value);
        expect(mergeData(value, {})).toEqual(value);
      }),
    );
  });

  it('merging is associative for strings, numbers and lists that keep their kind', () => {
    const same = fc
      .tuple(fc.string(), fc.integer(), fc.array(fc.integer()))
      .map(([s, n, l]) => ({ s, n, l, o: { s, l } }));
    fc.assert(
      fc.property(same, same, same, (a, b, c) => {
        expect(mergeData(mergeData(a, b), c)).toEqual(mergeData(a, mergeData(b, c)));
      }),
    );
  });

  it('the arguments are not changed and the result shares nothing with them', () => {
    fc.assert(
      fc.property(lists, lists, (value, delta) => {
        const before = JSON.stringify([value, delta]);
        const merged = mergeData(value, delta);
        for (const member of Object.values(merged)) if (Array.isArray(member)) member.push('changed');
        expect(JSON.stringify([value, delta])).toBe(before);
      }),
    );
  });
});

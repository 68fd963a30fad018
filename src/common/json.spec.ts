import fc from 'fast-check';
import { canonicalJson, jsonCharacters, jsonString } from './json.js';

describe('jsonString', () => {
  it('every string is serialized as by JSON.stringify', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => expect(jsonString(text)).toBe(JSON.stringify(text))),
    );
  });

  it('every UTF-16 code unit is serialized as by JSON.stringify', () => {
    for (let unit = 0; unit < 0x10000; unit++) {
      const text = `a${String.fromCharCode(unit)}b`;
      if (jsonString(text) !== JSON.stringify(text)) throw new Error(`differs at ${unit.toString(16)}`);
    }
  });
});

describe('jsonCharacters', () => {
  it('every string is serialized as by JSON.stringify, without the quotes', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(fc.property(text, (one) => expect(`"${jsonCharacters(one)}"`).toBe(JSON.stringify(one))));
  });
});

describe('canonicalJson', () => {
  it('the text does not depend on the order of the members', () => {
    expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: true })).toBe('{"a":true,"b":[1,{"c":"x","d":null}]}');
    expect(canonicalJson({ a: true, b: [1, { c: 'x', d: null }] })).toBe('{"a":true,"b":[1,{"c":"x","d":null}]}');
  });

  it('undefined members are left out, and undefined items are null', () => {
    expect(canonicalJson({ a: undefined, b: [undefined] })).toBe('{"b":[null]}');
    expect(canonicalJson([])).toBe('[]');
    expect(canonicalJson({})).toBe('{}');
    expect(canonicalJson(undefined)).toBe('null');
  });

  it('every JSON value is written with sorted keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copy = JSON.parse(JSON.stringify(value)) as unknown;
        expect(JSON.parse(canonicalJson(copy))).toEqual(copy);
      }),
    );
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: 'binary' }), { maxLength: 20 }), (keys) => {
        const value = Object.fromEntries(keys.map((key) => [key, 1]));
        const expected = keys.sort().map((key) => `${JSON.stringify(key)}:1`);
        expect(canonicalJson(value)).toBe(`{${expected.join(',')}}`);
      }),
    );
  });
});

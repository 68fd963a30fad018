import fc from 'fast-check';
import { partialJson } from './partial-json.js';

describe('partialJson', () => {
  it.each<[string, unknown]>([
    ['', undefined],
    ['{', {}],
    ['{"city"', {}],
    ['{"city":', {}],
    ['{"city":"Pa', { city: 'Pa' }],
    ['{"city":"Pa\\', { city: 'Pa' }],
    ['{"city":"Pa\\u00', { city: 'Pa' }],
    ['{"city":"Paris","days":1', { city: 'Paris', days: 1 }],
    ['{"days":1.', { days: 1 }],
    ['{"days":-', {}],
    ['{"a":tr', { a: true }],
    ['{"a":[1,{"b":nu', { a: [1, { b: null }] }],
    ['[1,2,', [1, 2]],
    ['"wor', 'wor'],
    ['{"__proto__":{"a":1', undefined],
    ['{"a":"x\u0001', undefined],
  ])('of %j it shows %j', (text, value) => {
    expect(partialJson(text)).toEqual(value);
  });

  it('shows something of every beginning of an object, and the whole of a whole text', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (value, cut) => {
        fc.pre(!JSON.stringify(value).includes('__proto__') && !JSON.stringify(value).includes('constructor'));
        const text = JSON.stringify(value);
        expect(partialJson(text)).toEqual(JSON.parse(text));
        expect(partialJson(text.slice(0, 1 + (cut % text.length)))).toBeDefined();
      }),
    );
  });
});

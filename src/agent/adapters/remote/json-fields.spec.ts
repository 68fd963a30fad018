import { foreignJson } from './json-fields.js';

describe('foreignJson', () => {
  it.each(['__proto__', '\\u005f_proto__', '__pr\\u006Fto__', '__\\u0070roto__', '__pro\\u0074o__'])(
    'a key %s is left out',
    (key) => {
      const value = foreignJson(`{"a":{"${key}":{"b":1}},"c":"\\u00e9"}`, 'It') as { readonly a: object };
      expect(Object.getOwnPropertyNames(value.a)).toEqual([]);
      expect(value).toEqual({ a: {}, c: 'é' });
    },
  );
});

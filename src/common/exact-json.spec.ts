import fc from 'fast-check';
import { exactJsonText, parseExactJson, withIntegerTexts, withRoundedIntegers } from './exact-json.js';

describe('parseExactJson', () => {
  it('integers beyond 2^53 are what their text says, others are numbers', () => {
    const text = '{"id": 2512292042121000001, "list": [-9007199254740993, 9007199254740991, 1.5, 1e3, -0]}';
    expect(parseExactJson(text)).toEqual({
      id: 2512292042121000001n,
      list: [-9007199254740993n, 9007199254740991, 1.5, 1000, -0],
    });
  });

  it('other texts are read as JSON.parse reads them', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(undefined, 2), (text, indent) => {
        const value: unknown = JSON.parse(text);
        const written = JSON.stringify(value, null, indent);
        fc.pre(!/\d{16}/.test(written));
        expect(parseExactJson(written)).toEqual(value);
      }),
    );
  });

  it.each([
    '',
    ' ',
    '{',
    '{"a"',
    '{"a":}',
    '{"a":1,}',
    '{a:1}',
    '[1,]',
    '[1 2]',
    '01',
    '1.',
    '.5',
    '+1',
    '"',
    '"\\"',
    '"\n"',
  ])('%j is refused, as JSON.parse refuses it', (text) => {
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
    expect(() => parseExactJson(text)).toThrow(SyntaxError);
  });

  it('two equal members and a bottomless text are refused', () => {
    expect(() => parseExactJson('{"amount":1,"amount":5000}')).toThrow('The member "amount" is there twice');
    expect(() => parseExactJson('['.repeat(100_000))).toThrow('nested deeper than 500 levels');
  });

  it('an integer may be written with a fraction of zeros, and no number is infinite', () => {
    expect(parseExactJson('2512292042121000001.0')).toBe(2512292042121000001n);
    expect(() => parseExactJson('1e400')).toThrow('The number 1e400 is too large');
  });

  it('__proto__ is a member like others', () => {
    const value = parseExactJson('{"__proto__":{"a":1}}');
    expect(Object.keys(value as object)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});

describe('exactJsonText', () => {
  it('bigints are written as integers, everything else as JSON.stringify writes it', () => {
    const text = '{"id":2512292042121000001,"a":["2512292042121000001",null,-9007199254740993],"b":"\\u0000"}';
    expect(exactJsonText(parseExactJson(text))).toBe(text);
    expect(exactJsonText({ at: new Date(0), none: undefined })).toBe('{"at":"1970-01-01T00:00:00.000Z"}');
    expect(exactJsonText(undefined)).toBeUndefined();
  });

  it('a circular value is refused', () => {
    const circle: Record<string, unknown> = {};
    circle['itself'] = circle;
    expect(() => exactJsonText(circle)).toThrow(TypeError);
  });
});

describe('values with bigints', () => {
  const value = parseExactJson('{"id":2512292042121000001,"a":[1]}');

  it('they become text for others and numbers for checks', () => {
    expect(withIntegerTexts(value)).toEqual({ id: '2512292042121000001', a: [1] });
    expect(withRoundedIntegers(value)).toEqual({ id: 2512292042121000000, a: [1] });
  });

  it('different integers become different numbers', () => {
    const list = withRoundedIntegers(parseExactJson('[2512292042121000001,2512292042121000002,2512292042121000001]'));
    expect(new Set(list as number[]).size).toBe(2);
  });
});

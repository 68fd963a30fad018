import { ago, bytes, duration, isObject, objectIn, pretty, time } from './format.js';

describe('formats', () => {
  it.each([
    [0, '0 ms'],
    [849.6, '850 ms'],
    [3200, '3.2 s'],
    [250_000, '4 min 10 s'],
    [240_000, '4 min'],
    [7_500_000, '2 h 5 min'],
    [86_400_000, '1 d'],
    [100_800_000, '1 d 4 h'],
  ])('%d ms is %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  it.each([
    [0, '0 bytes'],
    [999, '999 bytes'],
    [1000, '1.0 KB'],
    [4_700_000, '4.7 MB'],
  ])('%d bytes are %s', (size, text) => {
    expect(bytes(size)).toBe(text);
  });

  it.each([
    [30, 'just now'],
    [150, '2 min. ago'],
    [7300, '2 hr. ago'],
    [90_000, 'yesterday'],
  ])('%d seconds ago is %s', (seconds, text) => {
    const now = Date.parse('2026-01-31T12:00:00Z');
    expect(ago(new Date(now - seconds * 1000).toISOString(), now)).toBe(text);
  });

  it('a missing time is a dash, and one that is none stays as it is', () => {
    expect([time(null), time(undefined), time('soon')]).toEqual(['–', '–', 'soon']);
  });

  it('JSON is indented, other text stays', () => {
    expect(pretty('{"a":1}')).toBe('{\n  "a": 1\n}');
    expect(pretty({ a: 1 })).toBe('{\n  "a": 1\n}');
    expect(pretty('{"a":')).toBe('{"a":');
  });

  it('only objects are objects', () => {
    expect([{}, [], null, 'x'].map(isObject)).toEqual([true, false, false, false]);
    expect([objectIn('{"a":1}'), objectIn('[1]'), objectIn('{')]).toEqual([{ a: 1 }, undefined, undefined]);
  });
});

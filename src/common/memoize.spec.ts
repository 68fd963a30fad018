import { memoize } from './memoize.js';

describe('memoize', () => {
  it('each value is computed once, also undefined', () => {
    const make = jest.fn((key: number) => (key === 2 ? undefined : `value ${key}`));
    const of = memoize(10, make);
    expect([of(1), of(2), of(1), of(2)]).toEqual(['value 1', undefined, 'value 1', undefined]);
    expect(make).toHaveBeenCalledTimes(2);
  });

  it('the oldest key is dropped when the cache is full', () => {
    const make = jest.fn((key: number) => key * 2);
    const of = memoize(2, make);
    expect([of(1), of(2), of(3), of(3), of(2)]).toEqual([2, 4, 6, 6, 4]);
    expect(make).toHaveBeenCalledTimes(3);
    of(1);
    expect(make).toHaveBeenCalledTimes(4);
  });

  it('errors are not cached', () => {
    let isBroken = true;
    const of = memoize(2, (key: string) => {
      if (isBroken) throw new Error('broken');
      return key;
    });
    expect(() => of('a')).toThrow('broken');
    isBroken = false;
    expect(of('a')).toBe('a');
  });
});

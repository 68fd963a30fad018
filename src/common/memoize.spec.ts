import { memoize } from './memoize.js';

describe('memoize', () => {
  it('makes each value once, undefined included', () => {
    const make = jest.fn((key: number) => (key === 2 ? undefined : `value ${key}`));
    const of = memoize(10, make);
    expect([of(1), of(2), of(1), of(2)]).toEqual(['value 1', undefined, 'value 1', undefined]);
    expect(make).toHaveBeenCalledTimes(2);
  });

  it('forgets the key that was added first when it is full', () => {
    const make = jest.fn((key: number) => key * 2);
    const of = memoize(2, make);
    expect([of(1), of(2), of(3), of(3), of(2)]).toEqual([2, 4, 6, 6, 4]);
    expect(make).toHaveBeenCalledTimes(3);
    of(1);
    expect(make).toHaveBeenCalledTimes(4);
  });

  it('does not keep errors', () => {
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

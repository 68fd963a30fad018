import { ticks } from './axis.js';

describe('the axis of a timeline', () => {
  it.each([
    [1, [0, 1]],
    [10, [0, 2, 4, 6, 8, 10]],
    [4300, [0, 1000, 2000, 3000, 4000]],
    [60_000, [0, 10_000, 20_000, 30_000, 40_000, 50_000]],
  ])('of %d ms has round times', (length, times) => {
    expect(ticks(length)).toEqual(times);
  });

  it('never has more than six times', () => {
    for (let length = 1; length < 100_000; length += 37) expect(ticks(length).length).toBeLessThanOrEqual(6);
  });
});

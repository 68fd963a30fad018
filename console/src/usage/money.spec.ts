import { billionths, money, perMillion, perToken } from './money.js';

describe('costs', () => {
  it.each([
    [0, '0 USD'],
    [1_250_000_000, '1.25 USD'],
    [1_234_567_890_000, '1,234.57 USD'],
    [123_456, '0.000123 USD'],
  ])('%d is %s', (cost, text) => {
    expect(money(cost, 'USD')).toBe(text);
  });

  it('are typed in units, and prices for a million tokens', () => {
    expect([billionths('1.5'), billionths(''), billionths('-1'), billionths('x')]).toEqual([
      1_500_000_000,
      undefined,
      undefined,
      undefined,
    ]);
    expect([perToken('3'), perToken('0.15'), perToken('')]).toEqual([3000, 150, undefined]);
    expect(perMillion(150)).toBe('0.15');
  });
});

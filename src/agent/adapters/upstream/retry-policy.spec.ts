import { ProxyError } from '../../../common/index.js';
import { retryAfterMs, retryDelayMs } from './retry-policy.js';
import { UpstreamStatusError } from './upstream-error.js';

const slowDown = (headers: Record<string, string | string[]>): UpstreamStatusError =>
  new UpstreamStatusError(429, headers, '');

describe('retryDelayMs', () => {
  it.each([
    ['0', 0],
    ['2', 2000],
    [' 1.5 ', 1500],
    ['2, 2', 2000],
    [new Date(Date.now() - 900_000).toUTCString(), 0],
  ])('Retry-After: %s asks for %i ms', (after, ms) => {
    expect(retryDelayMs(slowDown({ 'retry-after': after }), 0, 0)).toBe(ms);
  });

  it.each(['-1', '-1, -1', '', 'soon', '99999999999999999999999999x', '1e999'])(
    'Retry-After: %s is ignored',
    (after) => {
      expect(retryDelayMs(slowDown({ 'retry-after': after }), 0, 0)).toBe(250);
      expect(retryAfterMs(slowDown({ 'retry-after': after }))).toBeUndefined();
    },
  );

  it.each(['toUTCString', 'toISOString'] as const)('a date in the future is waited for: %s', (format) => {
    const ms = retryAfterMs(slowDown({ 'retry-after': new Date(Date.now() + 30_000)[format]() })) ?? 0;
    expect(ms).toBeGreaterThan(20_000);
    expect(ms).toBeLessThanOrEqual(30_000);
  });

  it('the first of several headers counts, and retry-after-ms before it', () => {
    expect(retryAfterMs(slowDown({ 'retry-after': ['3', '4'] }))).toBe(3000);
    expect(retryAfterMs(slowDown({ 'retry-after': '3', 'retry-after-ms': '40' }))).toBe(40);
  });

  it.each([
    [403, undefined],
    [407, undefined],
    [429, 250],
    [503, 250],
  ])('a proxy that refuses with %i: %s', (status, delay) => {
    expect(retryDelayMs(new ProxyError(status, {}), 0, 0)).toBe(delay);
  });
});

import { ProxyError } from '../../../common/index.js';
import { retryAfterMs, retryDelayMs } from './retry-policy.js';
import { UpstreamStatusError, UpstreamStreamError } from './upstream-error.js';

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

  it('a call that the server could not read is made again, in its words and in a stream: Groq', () => {
    const body = {
      error: { message: 'Failed to call a function.', type: 'invalid_request_error', code: 'tool_use_failed' },
    };
    expect(retryDelayMs(new UpstreamStatusError(400, {}, JSON.stringify(body)), 0, 0)).toBe(250);
    expect(retryDelayMs(new UpstreamStreamError({ ...body.error, status_code: 400 }), 0, 0)).toBe(250);
    const other = { error: { ...body.error, code: 'invalid_value' } };
    expect(retryDelayMs(new UpstreamStatusError(400, {}, JSON.stringify(other)), 0, 0)).toBeUndefined();
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

  /** What a 429 with this body and these headers asks for. */
  const asked = (body: unknown, headers: Record<string, string> = {}): number | undefined =>
    retryDelayMs(new UpstreamStatusError(429, headers, JSON.stringify(body)), 0, 0);

  it.each([
    [{ 'x-ratelimit-reset-requests': '76ms', 'x-ratelimit-reset-tokens': '2.5s' }, 2500],
    [{ 'x-ratelimit-reset-requests': '6m0s' }, undefined],
    [{ 'x-ratelimit-reset': '7' }, 7000],
    [{ 'x-ratelimit-reset-tokens': '1m0.5s', 'retry-after': '3' }, 3000],
    [
      {
        'x-ratelimit-reset-requests': '2m59.56s',
        'x-ratelimit-remaining-requests': '14370',
        'x-ratelimit-reset-tokens': '7.66s',
        'x-ratelimit-remaining-tokens': '0',
      },
      7660,
    ],
    [
      {
        'x-ratelimit-reset-requests-day': '33011.38',
        'x-ratelimit-remaining-requests-day': '1000',
        'x-ratelimit-reset-tokens-minute': '11.38',
        'x-ratelimit-remaining-tokens-minute': '500',
      },
      11_380,
    ],
    [{ 'x-ratelimit-reset-tokens': 'soon' }, 250],
  ])('the limits in %j ask for %s ms', (headers, ms) => expect(asked({}, headers)).toBe(ms));

  it('the limits of an answer that fails otherwise do not count', () => {
    const error = new UpstreamStatusError(500, { 'x-ratelimit-reset-tokens': '5s' }, '');
    expect(retryDelayMs(error, 0, 0)).toBe(250);
  });

  it.each([
    [{ error: { details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.07s' }] } }, 34_070],
    [[{ error: { message: 'Quota exceeded. Please retry in 20.5s.' } }], 20_500],
    [{ error: { message: 'Rate limit reached. Please try again in 5.2s. Visit …' } }, 5200],
    [{ error: { message: 'Please try again in 76ms.' } }, 76],
    [{ error: { message: 'Please try again in 20 seconds.' } }, 20_000],
    [{ error: { message: 'Please retry after 1 minute' } }, 60_000],
    [{ error: { message: 'Please try again in 6m0s.' } }, undefined],
    [{ error: { message: 'Try again in a moment' } }, 250],
  ])('the error %j asks for %s ms', (body, ms) => expect(asked(body)).toBe(ms));

  it('the headers that OpenRouter quotes are read', () => {
    const reset = String(Date.now() + 20_000);
    const ms = asked({ error: { code: 429, metadata: { headers: { 'X-RateLimit-Reset': reset } } } }) ?? 0;
    expect(ms).toBeGreaterThan(10_000);
    expect(ms).toBeLessThanOrEqual(20_000);
  });

  it('an error in a stream may say it too', () => {
    const error = new UpstreamStreamError({ code: 429, message: 'Please try again in 5.2s' });
    expect(retryDelayMs(error, 0, 0)).toBe(5200);
  });

  it.each(['insufficient_quota', 'usage_limit_reached'])('%s is not tried again', (code) => {
    expect(asked({ error: { message: 'x', code } }, { 'retry-after': '1' })).toBeUndefined();
  });

  it.each(['tokens per day (TPD)', 'requests per day', 'your daily limit', 'per-week limit'])(
    'a limit with %s is not tried again',
    (words) => expect(asked({ error: { message: `Limit reached: ${words}. Try again in 2s` } })).toBeUndefined(),
  );
});

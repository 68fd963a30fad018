import { holdsCredential, maskCredentials } from './credential-mask.js';

const KEY = `parley_sk_${'a1'.repeat(30)}Z`;
const TICKET = 'parley_tk_eyJpZCI6Ing_-ifQ.abcDEF-_123';
const JWT = 'eyJhbGciOiJFUzI1NiIsImtpZCI6ImsifQ.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl';

describe('maskCredentials', () => {
  it.each([
    ['a key', KEY],
    ['a ticket', TICKET],
    ['a JWT', JWT],
    ['a JWT whose header begins with its type', 'eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2ln'],
    ['a JWE', 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..aXY.Y2lwaGVy.dGFn'],
    ['a key that was cut', KEY.slice(0, 40)],
    ['a key whose characters are escaped', KEY.replace('p', '%70').replace('_', '%5f')],
    ['a JWT whose dots are escaped', JWT.replaceAll('.', '%2E')],
  ])('%s is masked wherever it is', (_, secret) => {
    for (const text of [
      secret,
      `GET /x/${secret}/y 404`,
      `{"token":"${secret}"}`,
      `Bearer ${secret},`,
      `a%20${secret}`,
    ]) {
      const masked = maskCredentials(text);
      expect(masked).toContain('[secret]');
      for (const part of secret.split('.')) if (part.length > 3) expect(masked).not.toContain(part);
    }
    expect(maskCredentials(`GET /x/${secret}/y 404`)).toBe('GET /x/[secret]/y 404');
    expect(holdsCredential(secret)).toBe(true);
  });

  it.each([
    '',
    'a parley_sk_ prefix',
    'parley_sk_short',
    'heyJude-is-a-song-of.theirs.json',
    '100% of %2F and %E0%A4',
    'run_0f6f3c0d-8a11-4a55-9d3a-5b1f7f9d2c1e',
    'eyJhbGciOiJFUzI1NiIsImtpZCI6ImsifQ',
  ])('%j is unchanged', (text) => {
    expect(maskCredentials(text)).toBe(text);
    expect(holdsCredential(text)).toBe(false);
  });

  it.each([['eyJ'], ['parley_sk_'], ['%70'], ['eyJhbGci'], ['a.'], ['%e0']])(
    'a text that repeats %s takes time in proportion to its length',
    (piece) => {
      const time = (length: number): number => {
        const text = piece.repeat(length / piece.length);
        const runs = [1, 2, 3].map(() => {
          const start = performance.now();
          maskCredentials(text);
          return performance.now() - start;
        });
        return Math.min(...runs);
      };
      // Four times as long takes sixteen times as long where it is not linear: seconds at this length.
      expect(time(1_000_000)).toBeLessThan(1000);
    },
  );
});

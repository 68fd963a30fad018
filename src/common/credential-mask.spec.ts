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
    ['a secret of a webhook', `whsec_${Buffer.alloc(32, 251).toString('base64')}`],
    ['an escaped one', `whsec_${encodeURIComponent(Buffer.alloc(32, 251).toString('base64'))}`],
    ['a key of OpenAI', 'sk-proj-abcdEFGH1234567890abcd_-XY'],
    ['a key of Anthropic', 'sk-ant-api03-AbCdEfGh12345678-9AA'],
    ['a key of Google', `AIza${'Sy-_4'.repeat(7)}`],
    ['a key of Groq', `gsk_${'a1B2'.repeat(13)}`],
    ['a key of xAI', `xai-${'a1B2'.repeat(20)}`],
    ['a token of Hugging Face', `hf_${'aBcD1'.repeat(7)}`],
    ['a key id of AWS', 'AKIAIOSFODNN7EXAMPLE'],
    ['a token of GitHub', `ghp_${'a1B2c3'.repeat(6)}`],
    ['a newer one', `github_pat_${'a1B2c3'.repeat(12)}`],
    ['a token of Slack', 'xoxb-123456789012-abcdefABCDEF'],
    ['a key of Stripe', `sk_live_${'a1B2'.repeat(6)}`],
  ])('%s is masked', (_, secret) => {
    for (const text of [secret, `the key ${secret}.`, `{"apiKey":"${secret}"}`, `x=${secret}`, `at f (${secret})`]) {
      const masked = maskCredentials(text);
      expect(masked).toContain('[secret]');
      expect(masked).not.toContain(secret.slice(6, 18));
    }
  });

  it.each([
    ['postgres://parley:s3cr3t@db:5432/x', 'postgres://parley:[secret]@db:5432/x'],
    ['cannot reach redis://:s3cr3t@cache/0.', 'cannot reach redis://:[secret]@cache/0.'],
    ['{"url":"amqps://u:p%40ss@h"}', '{"url":"amqps://u:[secret]@h"}'],
    ['host=db password=s3cr3t dbname=x', 'host=db password=[secret] dbname=x'],
    ['Authorization: Basic Ym9iOmh1bnRlcjI=', 'Authorization: Basic [secret]'],
    ['authorization: bearer abcdef012345', 'authorization: bearer [secret]'],
    ['/a/1/content?exp=1&kid=k&sig=abcDEF_-1&x=2', '/a/1/content?exp=1&kid=k&sig=[secret]&x=2'],
    [
      'https://b/x?X-Amz-Credential=AKIA%2F1&X-Amz-Signature=0a',
      'https://b/x?X-Amz-Credential=[secret]&X-Amz-Signature=[secret]',
    ],
    ['https://g/v1/models?key=abc&alt=sse', 'https://g/v1/models?key=[secret]&alt=sse'],
    ['/x?access_token=a.b#c', '/x?access_token=[secret]#c'],
  ])('of %j only the secret is masked', (text, masked) => {
    expect(maskCredentials(text)).toBe(masked);
    expect(maskCredentials(masked)).toBe(masked);
  });

  it.each([
    '',
    'DATABASE_URL must be sqlite:<file>, or postgres://user:password@host:port/database',
    'Bearer realm="parley", error="invalid_token"',
    'Basic authentication is not supported; use a bearer token-of-some-kind',
    'desk-0f6f3c0d-8a11-4a55-9d3a-5b1f7f9d2c1e',
    'sk-learn-is-a-library-without-a-digit',
    'http://localhost:8090/runs?sort=key&order=asc',
    'user@host:8090',
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

  it.each([
    ...['eyJ', 'parley_sk_', '%70', 'eyJhbGci', 'a.', '%e0', 'a:', '://', 'a://b:', '-sk-a', 'whsec_', '?key='],
    ...['basic ', 'bearer a', 'pwd=a '],
  ])('a text that repeats %s takes time in proportion to its length', (piece) => {
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
  });
});

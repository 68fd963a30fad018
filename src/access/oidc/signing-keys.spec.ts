import { SignJWT } from 'jose';
import { OidcHarness, outcome, verify } from './testing/oidc-harness.js';

const MINUTE = 60_000;
const DISCOVERY = '/.well-known/openid-configuration';
const oidc = new OidcHarness();

describe('the keys of an issuer', () => {
  it('are read once for many tokens at the same time, and again after 10 minutes', async () => {
    const verifier = oidc.verifier();
    const tokens = await Promise.all(Array.from({ length: 20 }, (_, n) => oidc.issuer.token({ sub: `user-${n}` })));
    await Promise.all(tokens.map((token) => outcome(verifier, token)));
    expect(oidc.issuer.requests).toEqual([DISCOVERY, '/jwks']);
    oidc.now += 10 * MINUTE;
    await outcome(verifier, await oidc.issuer.token({ exp: oidc.seconds(MINUTE) }));
    expect(oidc.issuer.keyRequests).toBe(2);
  });

  it('a new key is found at its oidc.first token, and the tokens of the old one hold until it is removed', async () => {
    const verifier = oidc.verifier();
    const old = await oidc.issuer.token();
    expect(await outcome(verifier, old)).toBe('accepted');
    oidc.issuer.keys = [oidc.second, oidc.first];
    expect(await outcome(verifier, await oidc.issuer.token())).toBe('accepted');
    expect(await outcome(verifier, await oidc.issuer.token({ sub: 'bob' }, { key: oidc.first }))).toBe('accepted');
    oidc.issuer.keys = [oidc.second];
    oidc.now += 10 * MINUTE;
    const late = { exp: oidc.seconds(10 * MINUTE) };
    expect(await outcome(verifier, await oidc.issuer.token(late, { key: oidc.first }))).toBe('AUTH_FAILED');
  });

  it('unknown keys are asked for at most once in 30 s', async () => {
    const verifier = oidc.verifier();
    await verify(verifier, await oidc.issuer.token());
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const token = await oidc.issuer.token({}, { key: { ...oidc.second, kid: `unknown-${attempt}` } });
      expect(await outcome(verifier, token)).toBe('AUTH_FAILED');
    }
    expect(oidc.issuer.keyRequests).toBe(2);
    oidc.now += 30_000;
    await outcome(verifier, await oidc.issuer.token({}, { key: { ...oidc.second, kid: 'unknown' } }));
    expect(oidc.issuer.keyRequests).toBe(3);
  });

  it('while the issuer is down, its last keys are used for an hour more; then tokens get 503', async () => {
    const verifier = oidc.verifier();
    await verify(verifier, await oidc.issuer.token());
    oidc.issuer.answer = (_path, response) => (response.writeHead(503).end(), true);
    oidc.now += 10 * MINUTE;
    expect(await outcome(verifier, await oidc.issuer.token({ exp: oidc.seconds(MINUTE) }))).toBe('accepted');
    oidc.now += 60 * MINUTE - 1;
    expect(await outcome(verifier, await oidc.issuer.token({ exp: oidc.seconds(MINUTE) }))).toBe('accepted');
    oidc.now += 1;
    const token = await oidc.issuer.token({ exp: oidc.seconds(10 * MINUTE) });
    expect(await outcome(verifier, token)).toBe('IDENTITY_UNAVAILABLE');
    oidc.issuer.answer = undefined;
    oidc.now += 30_000;
    expect(await outcome(verifier, token)).toBe('accepted');
  });

  it('an issuer that is down is asked at most once in 30 s', async () => {
    oidc.issuer.answer = (_path, response) => (response.destroy(), true);
    const verifier = oidc.verifier();
    const token = await oidc.issuer.token();
    for (let attempt = 0; attempt < 5; attempt += 1)
      expect(await outcome(verifier, token)).toBe('IDENTITY_UNAVAILABLE');
    expect(oidc.issuer.requests).toEqual([DISCOVERY]);
  });

  it('an unknown key gets 503 while the issuer cannot be asked for it', async () => {
    const verifier = oidc.verifier();
    await verify(verifier, await oidc.issuer.token());
    oidc.issuer.answer = (_path, response) => (response.destroy(), true);
    expect(await outcome(verifier, await oidc.issuer.token({}, { key: oidc.second }))).toBe('IDENTITY_UNAVAILABLE');
  });

  it.each<[string, object | string]>([
    ['of another issuer', { issuer: 'https://login.example.org', jwks_uri: 'URL/jwks' }],
    ['with a slash after the issuer', { issuer: 'URL/', jwks_uri: 'URL/jwks' }],
    ['without keys', { issuer: 'URL' }],
    ['whose keys are on another machine without TLS', { issuer: 'URL', jwks_uri: 'http://192.0.2.1/jwks' }],
    ['whose keys have a private address', { issuer: 'URL', jwks_uri: 'https://10.0.0.1/jwks' }],
    ['whose keys have a link-local address', { issuer: 'URL', jwks_uri: 'https://169.254.169.254/jwks' }],
    ['whose keys are a file', { issuer: 'URL', jwks_uri: 'file:///etc/passwd' }],
    ['that is not JSON', '<html>'],
    ['of more than 1 MiB', `"${'x'.repeat(1024 * 1024)}"`],
  ])('a discovery document %s is not used', async (_, document) => {
    const text = (typeof document === 'string' ? document : JSON.stringify(document)).replaceAll(
      'URL',
      oidc.issuer.url,
    );
    oidc.issuer.answer = (path, response) => path === DISCOVERY && (response.end(text), true);
    expect(await outcome(oidc.verifier(), await oidc.issuer.token())).toBe('IDENTITY_UNAVAILABLE');
    expect(oidc.issuer.keyRequests).toBe(0);
  });

  it('a redirect is not followed', async () => {
    oidc.issuer.answer = (path, response) =>
      path === '/jwks' && (response.writeHead(302, { location: `${oidc.issuer.url}/other` }).end(), true);
    expect(await outcome(oidc.verifier(), await oidc.issuer.token())).toBe('IDENTITY_UNAVAILABLE');
    expect(oidc.issuer.requests).not.toContain('/other');
  });

  it('a secret among the keys is not used', async () => {
    const secret = Buffer.alloc(32, 7);
    oidc.issuer.keys = [{ ...oidc.first, publicJwk: { kty: 'oct', kid: 'first', k: secret.toString('base64url') } }];
    const token = await new SignJWT({
      iss: oidc.issuer.url,
      aud: 'parley',
      sub: 'mallory',
      iat: oidc.seconds(0),
      exp: oidc.seconds(MINUTE),
    })
      .setProtectedHeader({ alg: 'HS256', kid: 'first' })
      .sign(secret);
    expect(await outcome(oidc.verifier(), token)).toBe('AUTH_FAILED');
  });
});

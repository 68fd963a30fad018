import { createHmac, generateKeyPairSync, type webcrypto } from 'node:crypto';
import { exportSPKI, importJWK, type JWTPayload, SignJWT } from 'jose';
import { issuerKey, TokenIssuer } from '../../../test/support/token-issuer.js';
import { OidcHarness, outcome, verify } from './testing/oidc-harness.js';

const MINUTE = 60_000;
const oidc = new OidcHarness();

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
const claims = (more: JWTPayload = {}): JWTPayload => ({
  iss: oidc.issuer.url,
  aud: 'parley',
  sub: 'mallory',
  iat: oidc.seconds(0),
  exp: oidc.seconds(10 * MINUTE),
  ...more,
});

describe('a token of the issuer', () => {
  it('becomes its user, with the scopes of the token, until it expires', async () => {
    const exp = oidc.seconds(5 * MINUTE);
    const token = await oidc.issuer.token({ exp, scope: 'openid runs:read agents:support-*' });
    expect(await verify(oidc.verifier(), token)).toEqual({
      tenantId: 'default',
      actor: { kind: 'user', id: 'alice' },
      userId: 'alice',
      scopes: ['openid', 'runs:read', 'agents:support-*'],
      roles: [],
      expiresAt: (exp + 60) * 1000,
    });
  });

  it('a claim at a dotted path is mapped to roles, and the roles to scopes', async () => {
    const verifier = oidc.verifier({ roles: { claim: 'realm_access.roles', map: { staff: ['service', 'approver'] } } });
    const token = await oidc.issuer.token({ scope: '', realm_access: { roles: ['staff', 'other', 7, 'user'] } });
    expect(await verify(verifier, token)).toMatchObject({
      roles: ['service', 'approver'],
      scopes: expect.arrayContaining(['runs:write', 'runs:read', 'approvals:decide', 'data:tenant']),
    });
  });

  it('a claim whose name has dots is found, and nothing that a prototype has', async () => {
    const verifier = oidc.verifier({ roles: { claim: 'https://parley.example/roles' } });
    const token = await oidc.issuer.token({ 'https://parley.example/roles': ['service', 'constructor', 'toString'] });
    expect(await verify(verifier, token)).toMatchObject({ roles: ['service'] });
    const inherited = oidc.verifier({ user: { claim: 'constructor.name' } });
    expect(await outcome(inherited, await oidc.issuer.token())).toBe('AUTH_FAILED');
  });

  it('the user has the prefix of the issuer', async () => {
    expect(await verify(oidc.verifier({ userPrefix: 'test|' }), await oidc.issuer.token())).toMatchObject({
      userId: 'test|alice',
    });
  });

  it('is remembered: the oidc.second time there is nothing to wait for', async () => {
    const verifier = oidc.verifier();
    const token = await oidc.issuer.token();
    const identity = await verify(verifier, token);
    expect(verify(verifier, token)).toEqual(identity);
    oidc.now += MINUTE + 1;
    expect(verify(verifier, token)).toBeInstanceOf(Promise);
  });

  it('a remembered token is refused once it has expired', async () => {
    const verifier = oidc.verifier({ skewS: 0 });
    const token = await oidc.issuer.token({ exp: oidc.seconds(5000) });
    expect(await outcome(verifier, token)).toBe('accepted');
    oidc.now += 6000;
    expect(await outcome(verifier, token)).toBe('AUTH_FAILED');
  });

  it('a remembered token is refused once its tenant is suspended', async () => {
    const active = ['default'];
    const verifier = oidc.verifier({}, active);
    const token = await oidc.issuer.token();
    expect(await outcome(verifier, token)).toBe('accepted');
    active.pop();
    expect(await outcome(verifier, token)).toBe('PERMISSION_DENIED');
  });
});

describe('the tenant of a token', () => {
  const byClaim = { tenant: { claim: 'org', map: { 'org-1': 'acme', 'org-2': 'gone' } } };

  it('is mapped from a claim', async () => {
    expect(await verify(oidc.verifier(byClaim), await oidc.issuer.token({ org: 'org-1' }))).toMatchObject({
      tenantId: 'acme',
    });
    expect(
      await verify(oidc.verifier({ tenant: { claim: 'org' } }), await oidc.issuer.token({ org: 'acme' })),
    ).toMatchObject({
      tenantId: 'acme',
    });
  });

  it.each([undefined, '', 7, ['org-1'], 'org-2', 'org-3', 'acme', 'constructor', '__proto__'])(
    'the claim %j is refused with 403',
    async (org) => {
      expect(await outcome(oidc.verifier(byClaim), await oidc.issuer.token({ org }))).toBe('PERMISSION_DENIED');
    },
  );
});

describe('a forged token', () => {
  it('without a signature is refused', async () => {
    const body = encoded(claims());
    for (const alg of ['none', 'None', 'NONE', 'nOnE']) {
      expect(await outcome(oidc.verifier(), `${encoded({ alg, typ: 'JWT' })}.${body}.`)).toBe('AUTH_FAILED');
      const withKid = `${encoded({ alg, kid: 'first' })}.${body}.AAAA`;
      expect(await outcome(oidc.verifier(), withKid)).toBe('AUTH_FAILED');
    }
  });

  it('with the public key as the secret of an HMAC is refused', async () => {
    const rsa = await issuerKey('rsa', 'RS256');
    oidc.issuer.keys = [rsa];
    const publicKey = (await importJWK({ ...rsa.publicJwk, ext: true }, 'RS256', {
      extractable: true,
    })) as webcrypto.CryptoKey;
    const forms = [await exportSPKI(publicKey), JSON.stringify(rsa.publicJwk), rsa.publicJwk.n ?? ''];
    for (const secret of forms) {
      const signed = `${encoded({ alg: 'HS256', kid: 'rsa', typ: 'at+jwt' })}.${encoded(claims())}`;
      const mac = createHmac('sha256', secret).update(signed).digest('base64url');
      expect(await outcome(oidc.verifier(), `${signed}.${mac}`)).toBe('AUTH_FAILED');
    }
    expect(await outcome(oidc.verifier(), await oidc.issuer.token({}, { alg: 'RS256' }))).toBe('accepted');
  });

  it('with an algorithm that the issuer is not allowed to use is refused', async () => {
    expect(await outcome(oidc.verifier({ algorithms: ['RS256'] }), await oidc.issuer.token())).toBe('AUTH_FAILED');
  });

  it.each(['../../first', "first' OR '1'='1", 'file:///dev/null', '', 'second', 'a'.repeat(400)])(
    'with the kid %j is refused',
    async (kid) => {
      const token = await oidc.issuer.token({}, { key: { ...oidc.second, kid } });
      expect(await outcome(oidc.verifier(), token)).toBe('AUTH_FAILED');
    },
  );

  it('with the right kid and another key is refused', async () => {
    expect(await outcome(oidc.verifier(), await oidc.issuer.token({}, { key: { ...oidc.second, kid: 'first' } }))).toBe(
      'AUTH_FAILED',
    );
  });

  it('that brings its own key in jwk, jku, x5u or x5c is refused, and no address of it is requested', async () => {
    const own = await TokenIssuer.start(oidc.second);
    try {
      for (const header of [
        { jwk: oidc.second.publicJwk },
        { jku: `${own.url}/jwks` },
        { x5u: `${own.url}/cert` },
        { x5c: ['MIIB'] },
        { jwk: oidc.second.publicJwk, jku: `${own.url}/jwks`, kid: 'second' },
      ]) {
        const token = await new SignJWT(claims())
          .setProtectedHeader({ alg: 'ES256', ...header })
          .sign(oidc.second.privateKey);
        expect(await outcome(oidc.verifier(), token)).toBe('AUTH_FAILED');
      }
      expect(own.requests).toEqual([]);
    } finally {
      await own.close();
    }
  });

  it('with a critical header that is not understood is refused', async () => {
    const header = { alg: 'ES256', kid: 'first', crit: ['exp'], exp: 1 };
    const [, body] = (await oidc.issuer.token()).split('.');
    const signature = (await oidc.issuer.token()).split('.')[2] ?? '';
    expect(await outcome(oidc.verifier(), `${encoded(header)}.${body}.${signature}`)).toBe('AUTH_FAILED');
  });

  it('of more than 8 KiB is refused before its signature is checked', async () => {
    const token = await oidc.issuer.token({ padding: 'x'.repeat(8192) });
    expect(await outcome(oidc.verifier(), token)).toBe('AUTH_FAILED');
    expect(oidc.issuer.requests).toEqual([]);
  });

  it('of an issuer that is not configured is refused, and nobody is asked', async () => {
    const token = await oidc.issuer.token({ iss: 'https://login.example.org' });
    expect(await outcome(oidc.verifier(), token)).toBe('AUTH_FAILED');
    expect(await outcome(oidc.verifier(), await oidc.issuer.token({ iss: `${oidc.issuer.url}/` }))).toBe('AUTH_FAILED');
    expect(oidc.issuer.requests).toEqual([]);
  });

  it('that was changed after it was signed is refused, also when the original is remembered', async () => {
    const verifier = oidc.verifier();
    const token = await oidc.issuer.token();
    await verify(verifier, token);
    const [head, , signature] = token.split('.');
    expect(await outcome(verifier, `${head}.${encoded(claims({ sub: 'admin' }))}.${signature}`)).toBe('AUTH_FAILED');
  });

  it('a key of another kind with the same kid does not help', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const token = await new SignJWT(claims()).setProtectedHeader({ alg: 'RS256', kid: 'first' }).sign(privateKey);
    expect(await outcome(oidc.verifier(), token)).toBe('AUTH_FAILED');
  });
});

describe('the claims of a token', () => {
  it.each<[string, JWTPayload]>([
    ['of another audience', { aud: 'other' }],
    ['without an audience', { aud: undefined }],
    ['that has expired', { exp: Math.floor(Date.now() / 1000) - 61 }],
    ['without an expiry', { exp: undefined }],
    ['whose expiry is a text', { exp: '9999999999' as unknown as number }],
    ['that is not valid yet', { nbf: Math.floor(Date.now() / 1000) + 120 }],
    ['without a time of issue', { iat: undefined }],
    ['without a user', { sub: undefined }],
    ['whose user is empty', { sub: '' }],
    ['whose user is a number', { sub: 7 as unknown as string }],
    ['whose user is a list', { sub: ['alice'] as unknown as string }],
    ['whose user is too long', { sub: 'a'.repeat(257) }],
    ['whose user has a control character', { sub: 'alice\n' }],
    ['whose user is a service', { sub: 'service:ci' }],
  ])('a token %s is refused', async (_, more) => {
    expect(await outcome(oidc.verifier(), await oidc.issuer.token(more))).toBe('AUTH_FAILED');
  });

  it('an expiry and a beginning within the skew are accepted', async () => {
    const token = await oidc.issuer.token({ exp: oidc.seconds(-30_000), nbf: oidc.seconds(30_000) });
    expect(await outcome(oidc.verifier(), token)).toBe('accepted');
  });

  it('one of several audiences is enough', async () => {
    expect(
      await outcome(oidc.verifier({ audience: ['a', 'parley'] }), await oidc.issuer.token({ aud: ['x', 'parley'] })),
    ).toBe('accepted');
  });

  it('a prefix does not turn a user into a service', async () => {
    expect(await outcome(oidc.verifier({ userPrefix: 'service' }), await oidc.issuer.token({ sub: ':ci' }))).toBe(
      'AUTH_FAILED',
    );
  });

  it('only clients of the list are accepted, in azp and in client_id', async () => {
    const verifier = oidc.verifier({ clients: ['web', 'app'] });
    expect(await outcome(verifier, await oidc.issuer.token({ azp: 'web' }))).toBe('accepted');
    expect(await outcome(verifier, await oidc.issuer.token({ client_id: 'app' }))).toBe('accepted');
    expect(await outcome(verifier, await oidc.issuer.token({ azp: 'web', client_id: 'other' }))).toBe('AUTH_FAILED');
    expect(await outcome(verifier, await oidc.issuer.token({ azp: ['web'] }))).toBe('AUTH_FAILED');
    expect(await outcome(verifier, await oidc.issuer.token())).toBe('AUTH_FAILED');
  });

  it('only types of the list are accepted', async () => {
    const verifier = oidc.verifier({ types: ['at+jwt'] });
    expect(await outcome(verifier, await oidc.issuer.token({}, { typ: 'application/AT+JWT' }))).toBe('accepted');
    expect(await outcome(verifier, await oidc.issuer.token({}, { typ: 'JWT' }))).toBe('AUTH_FAILED');
  });
});

describe('texts that are not tokens', () => {
  it.each(['parley_sk_abc', 'a.b.c', 'eyJ', 'eyJhbGciOiJub25lIn0', `${'eyJ.'.repeat(4)}x`])(
    '%s is left to others',
    async (text) => {
      expect(await outcome(oidc.verifier(), text)).toBe('not a token');
    },
  );

  it.each(['eyJ.eyJ.', 'eyJhbGciOiJFUzI1NiJ9.bnVsbA.x', 'eyJhbGciOiJFUzI1NiJ9.W10.x'])(
    '%s is refused',
    async (text) => {
      expect(await outcome(oidc.verifier(), text)).toBe('AUTH_FAILED');
    },
  );
});

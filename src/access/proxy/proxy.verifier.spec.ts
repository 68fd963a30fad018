import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { readSettings } from '../../config/index.js';
import { AccessSettings } from '../access.settings.js';
import { presentedToken } from '../identity/credential.js';
import type { Identity } from '../identity/identity.js';
import { ProxySettings } from './proxy.settings.js';
import { ProxyVerifier } from './proxy.verifier.js';

const SECRET = 'a-secret-of-the-proxy';

/** A request from an address, with raw headers: name, value, name, value… */
function requestFrom(address: string, ...headers: string[]): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: address });
  const request = new IncomingMessage(socket);
  request.rawHeaders = headers;
  const distinct: Record<string, string[]> = {};
  for (let i = 0; i < headers.length; i += 2) {
    (distinct[headers[i]?.toLowerCase() ?? ''] ??= []).push(headers[i + 1] ?? '');
  }
  request.headersDistinct = distinct;
  return request;
}

async function verify(env: NodeJS.ProcessEnv, request: IncomingMessage): Promise<Identity | undefined> {
  const all = { AUTH: 'proxy', PROXY_AUTH_PEERS: '10.0.0.10, fd00::/8', ...env };
  const tenants = { isActive: (tenant: string) => ['default', 'acme'].includes(tenant) };
  const { roles } = readSettings(AccessSettings, all);
  const proxy = new ProxyVerifier(readSettings(ProxySettings, all), roles, tenants);
  const address = request.socket.remoteAddress ?? '';
  return await proxy.verify({ token: presentedToken(request), request, address });
}

async function outcome(env: NodeJS.ProcessEnv, request: IncomingMessage): Promise<string> {
  try {
    return (await verify(env, request))?.userId ?? 'nobody';
  } catch (error) {
    return (error as { code: string }).code;
  }
}

describe('a user that a proxy names', () => {
  it.each(['10.0.0.10', '::ffff:10.0.0.10', 'fd00::1'])('is taken over from the peer %s', async (peer) => {
    expect(await verify({}, requestFrom(peer, 'X-Forwarded-User', 'alice'))).toEqual({
      tenantId: 'default',
      actor: { kind: 'proxy', id: 'alice' },
      userId: 'alice',
      scopes: ['runs:write', 'runs:read', 'approvals:decide'],
      roles: ['user'],
      expiresAt: undefined,
    });
  });

  it.each(['10.0.0.11', '127.0.0.1', '::1', '2001:db8::1', '', 'unknown'])(
    'is ignored from the peer %j',
    async (peer) => {
      const headers = ['X-Forwarded-User', 'alice', 'X-Forwarded-For', '10.0.0.10', 'X-Real-IP', '10.0.0.10'];
      expect(await outcome({}, requestFrom(peer, ...headers))).toBe('nobody');
    },
  );

  it.each<[string, string[]]>([
    ['repeated', ['X-Forwarded-User', 'alice', 'x-forwarded-user', 'bob']],
    ['empty', ['X-Forwarded-User', '']],
    ['blank', ['X-Forwarded-User', '  ']],
    ['too long', ['X-Forwarded-User', 'a'.repeat(257)]],
    ['with a control character', ['X-Forwarded-User', 'alice\u0000']],
    ['of a service', ['X-Forwarded-User', 'service:ci']],
  ])('is refused when it is %s', async (_, headers) => {
    expect(await outcome({}, requestFrom('10.0.0.10', ...headers))).toBe('AUTH_FAILED');
  });

  it('is read as UTF-8', async () => {
    const name = Buffer.from('Zoë', 'utf8').toString('latin1');
    expect(await outcome({}, requestFrom('10.0.0.10', 'X-Forwarded-User', name))).toBe('Zoë');
  });

  it('does not mix with a credential: the credential is left to its own verifier', async () => {
    const headers = ['X-Forwarded-User', 'alice', 'Authorization', 'Bearer some-token'];
    expect(await outcome({}, requestFrom('10.0.0.10', ...headers))).toBe('nobody');
  });

  it('absent, the request has no credential', async () => {
    expect(await outcome({}, requestFrom('10.0.0.10', 'X-Forwarded-Groups', 'admin'))).toBe('nobody');
  });
});

describe('the roles of a proxy', () => {
  const env = { PROXY_AUTH_ROLES_HEADER: 'X-Forwarded-Groups' };

  it('give scopes; names that are not roles give nothing', async () => {
    const headers = ['X-Forwarded-User', 'alice', 'X-Forwarded-Groups', 'service, staff,auditor,constructor'];
    expect(await verify(env, requestFrom('10.0.0.10', ...headers))).toMatchObject({
      roles: ['service', 'auditor'],
      scopes: ['runs:write', 'runs:read', 'audit:read', 'usage:read'],
    });
  });

  it('absent, the user may do nothing', async () => {
    expect(await verify(env, requestFrom('10.0.0.10', 'X-Forwarded-User', 'alice'))).toMatchObject({ scopes: [] });
  });

  it.each([['service', 'admin'], ['']])(
    'in the headers %j %j are refused',
    async (...values: (string | undefined)[]) => {
      const headers = values.flatMap((value) => ['X-Forwarded-Groups', value ?? '']).slice(0, values.length * 2);
      expect(await outcome(env, requestFrom('10.0.0.10', 'X-Forwarded-User', 'alice', ...headers))).toBe('AUTH_FAILED');
    },
  );
});

describe('the tenant of a proxy', () => {
  const env = { PROXY_AUTH_TENANT_HEADER: 'X-Tenant' };

  it('is fixed, or that of the header', async () => {
    const headers = ['X-Forwarded-User', 'alice', 'X-Tenant', 'acme'];
    expect(await verify(env, requestFrom('10.0.0.10', ...headers))).toMatchObject({ tenantId: 'acme' });
    expect(await verify({}, requestFrom('10.0.0.10', ...headers))).toMatchObject({ tenantId: 'default' });
    expect(await verify({ PROXY_AUTH_TENANT: 'acme' }, requestFrom('10.0.0.10', ...headers))).toMatchObject({
      tenantId: 'acme',
    });
  });

  it('is refused with 403 when it does not exist, and with 401 when it is missing, empty or repeated', async () => {
    const user = ['X-Forwarded-User', 'alice'];
    expect(await outcome(env, requestFrom('10.0.0.10', ...user, 'X-Tenant', 'gone'))).toBe('PERMISSION_DENIED');
    expect(await outcome(env, requestFrom('10.0.0.10', ...user))).toBe('AUTH_FAILED');
    expect(await outcome(env, requestFrom('10.0.0.10', ...user, 'X-Tenant', ''))).toBe('AUTH_FAILED');
    const twice = ['X-Tenant', 'acme', 'X-Tenant', 'default'];
    expect(await outcome(env, requestFrom('10.0.0.10', ...user, ...twice))).toBe('AUTH_FAILED');
  });
});

describe('the secret of a proxy', () => {
  const env = { PROXY_AUTH_SECRET: SECRET };
  const from = (...headers: string[]) => requestFrom('10.0.0.10', 'X-Forwarded-User', 'alice', ...headers);

  it('is required where it is set', async () => {
    expect(await outcome(env, from('X-Proxy-Secret', SECRET))).toBe('alice');
    expect(await outcome(env, from())).toBe('AUTH_FAILED');
    expect(await outcome(env, from('X-Proxy-Secret', `${SECRET}x`))).toBe('AUTH_FAILED');
    expect(await outcome(env, from('X-Proxy-Secret', SECRET, 'X-Proxy-Secret', SECRET))).toBe('AUTH_FAILED');
  });
});

describe('the settings of a proxy', () => {
  it.each<[string, NodeJS.ProcessEnv]>([
    ['PROXY_AUTH_PEERS', { PROXY_AUTH_PEERS: '' }],
    ['PROXY_AUTH_PEERS', { PROXY_AUTH_PEERS: '0.0.0.0/0' }],
    ['PROXY_AUTH_PEERS', { PROXY_AUTH_PEERS: '10.0.0.1,::/0' }],
    ['PROXY_AUTH_PEERS', { PROXY_AUTH_PEERS: '10.0.0.0/33' }],
    ['PROXY_AUTH_PEERS', { PROXY_AUTH_PEERS: 'proxy.example.org' }],
    ['PROXY_AUTH_USER_HEADER', { PROXY_AUTH_USER_HEADER: 'Authorization' }],
    ['PROXY_AUTH_USER_HEADER', { PROXY_AUTH_ROLES_HEADER: 'x-forwarded-user' }],
    ['PROXY_AUTH_TENANT_HEADER', { PROXY_AUTH_TENANT: 'a', PROXY_AUTH_TENANT_HEADER: 'X-Tenant' }],
  ])('a mistake in %s stops the start: %j', (name, env) => {
    const all = { AUTH: 'proxy', PROXY_AUTH_PEERS: '10.0.0.10', ...env };
    expect(() => readSettings(ProxySettings, all)).toThrow(name);
    expect(() => readSettings(ProxySettings, { ...all, AUTH: 'none' })).not.toThrow('must be set');
  });
});

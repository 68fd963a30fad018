import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { AuthenticatedCaller, type ActAsMismatch, type Caller } from './caller.js';
import type { Identity } from './identity.js';

const KEY: Identity = {
  tenantId: 'acme',
  actor: { kind: 'key', id: 'k1', account: 'ci' },
  userId: undefined,
  scopes: ['runs:read'],
  roles: [],
  expiresAt: undefined,
};

function request(userId?: string): IncomingMessage {
  const message = new IncomingMessage(new Socket());
  if (userId !== undefined) message.headersDistinct['x-user-id'] = [userId];
  return message;
}

function caller(identity: Partial<Identity>, named?: string, mismatch: ActAsMismatch = 'refuse'): AuthenticatedCaller {
  return new AuthenticatedCaller({ ...KEY, ...identity }, request(named), mismatch);
}

describe('a key', () => {
  it('acts as the user of its account, whatever the id of the session', () => {
    const own = { tenantId: 'acme', userId: 'service:ci' };
    expect(caller({}).principal).toEqual(own);
    expect((caller({}) as Caller).actingFor(undefined, 'session-1')).toEqual(own);
    expect(caller({}).reach).toEqual({ ...own, of: 'user' });
  });

  it('acts for the users that its patterns match, and for no others', () => {
    const scopes = ['users:eu-*'];
    expect(caller({ scopes }, 'eu-1').principal.userId).toBe('eu-1');
    expect(caller({ scopes }).actingFor({ field: 'user_id', userId: 'eu-2' }).userId).toBe('eu-2');
    expect(() => caller({ scopes }, 'us-1').principal).toThrow('X-User-Id names a user that the key may not act for');
  });

  it('reaches the tenant by id with users:*, and lists only its own', () => {
    const one = caller({ scopes: ['users:*'] });
    expect(one.reach).toEqual({ tenantId: 'acme', of: 'tenant' });
    expect(one.listReach).toMatchObject({ of: 'user', userId: 'service:ci' });
    expect(caller({ scopes: ['users:*'] }, 'eve').reach).toMatchObject({ of: 'user', userId: 'eve' });
  });

  it('cannot act for the user of another key', () => {
    expect(() => caller({ scopes: ['users:*'] }, 'service:other').principal).toThrow('must not begin with service:');
  });

  it('is refused when a request names two users', () => {
    const one = caller({ scopes: ['users:*'] }, 'eve');
    expect(() => one.actingFor({ field: 'user_id', userId: 'bob' })).toThrow(
      'user_id and X-User-Id name different users',
    );
    expect(one.actingFor({ field: 'user_id', userId: 'eve' }).userId).toBe('eve');
  });
});

describe("a user's credential", () => {
  const alice = { userId: 'alice', actor: { kind: 'user', id: 'alice' } } as const;

  it('may name itself and nobody else', () => {
    expect(caller(alice, 'alice').principal.userId).toBe('alice');
    expect(() => caller(alice).actingFor({ field: 'user_id', userId: 'bob' })).toThrow('user_id names another user');
  });

  it('stays the user with ACT_AS_MISMATCH=ignore', () => {
    expect(caller(alice, 'bob', 'ignore').principal.userId).toBe('alice');
  });

  it('reaches its own data only, whatever its scopes', () => {
    expect(caller({ ...alice, scopes: ['users:*'] }).reach).toMatchObject({ of: 'user', userId: 'alice' });
  });
});

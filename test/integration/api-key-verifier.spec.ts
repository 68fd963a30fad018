import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { AccessCache } from '../../src/access/cache/access-cache.js';
import { TypeOrmApiKeyStore } from '../../src/access/adapters/typeorm-api-key-store.js';
import { TypeOrmTenantStore } from '../../src/access/adapters/typeorm-tenant-store.js';
import {
  ApiKeys,
  ApiKeyVerifier,
  type Identity,
  KeyActs,
  keyOf,
  type NewApiKey,
  Tenants,
} from '../../src/access/index.js';
import { SqlAuditLog } from '../../src/audit/adapters/audit-log.sql.js';
import { AuditMetrics, AuditTrail } from '../../src/audit/index.js';
import { Metrics } from '../../src/common/index.js';
import { type Database, openDatabase } from '../../src/database/index.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { mistyped, TEST_MANAGER } from '../support/keys.js';
import { settingsOf } from '../support/ledger.js';
import { ManualClock } from '../support/manual-clock.js';

const ALL = { of: 'installation' } as const;
const REQUEST = new IncomingMessage(new Socket());

describeOnDatabases('ApiKeyVerifier', (open) => {
  let test: TestDatabase;
  let database: Database;
  let store: TypeOrmApiKeyStore;
  let keys: ApiKeys;
  let tenants: Tenants;
  let verifier: ApiKeyVerifier;
  const clock = new ManualClock();

  beforeEach(async () => {
    test = await open();
    database = await openDatabase(settingsOf(test));
    store = new TypeOrmApiKeyStore(database);
    const cache = new AccessCache(clock);
    const tenantStore = new TypeOrmTenantStore(database);
    const trail = new AuditTrail(new SqlAuditLog(database), database, new AuditMetrics(new Metrics()), clock);
    keys = new ApiKeys(store, tenantStore, database, cache, new KeyActs(trail, clock));
    tenants = new Tenants(tenantStore, database, cache, trail, clock);
    verifier = new ApiKeyVerifier(store, cache, clock);
  });
  afterEach(async () => {
    await verifier.onModuleDestroy();
    await database.close();
    await test.drop();
  });

  const verify = (token: string | undefined, address = '192.0.2.7'): Identity | undefined | Promise<Identity> =>
    verifier.verify({ token, request: REQUEST, address });
  const codeOf = async (work: () => unknown): Promise<string> => {
    try {
      await work();
      return 'none';
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  const create = async (fields: Partial<NewApiKey> = {}): Promise<string> =>
    (await keys.create('default', { account: 'ci', ...fields }, TEST_MANAGER)).secret;
  const idOf = (key: string): string => key.slice(10, 22);

  it('a token of another kind, or none, is left to other verifiers', () => {
    expect(verify(undefined)).toBeUndefined();
    expect(verify('eyJhbGciOi')).toBeUndefined();
  });

  it('a key becomes the identity of its account', async () => {
    const key = await create({ scopes: ['runs:read'], limits: { requests: 5 } });
    expect(await verify(key)).toEqual({
      tenantId: 'default',
      actor: { kind: 'key', id: idOf(key), account: 'ci' },
      userId: undefined,
      scopes: ['runs:read'],
      roles: [],
      expiresAt: expect.any(Number) as unknown,
      limits: { requests: 5 },
    });
  });

  it('a key that was seen within 5 s needs no query and no promise, whether it is valid or not', async () => {
    const key = await create();
    const forged = keyOf(idOf(key), new Uint8Array(32));
    const lookups = jest.spyOn(store, 'findForVerification');
    const identity = await verify(key);
    expect(await codeOf(() => verify(forged))).toBe('AUTH_FAILED');
    expect(lookups).toHaveBeenCalledTimes(2);
    expect(verify(key)).toBe(identity);
    expect(() => verify(forged)).toThrow('The credential is not valid');
    expect(lookups).toHaveBeenCalledTimes(2);
    clock.advance(5000);
    await verify(key);
    expect(lookups).toHaveBeenCalledTimes(3);
  });

  it('many first requests of one key look it up once', async () => {
    const key = await create();
    const lookups = jest.spyOn(store, 'findForVerification');
    await Promise.all(Array.from({ length: 50 }, async () => verify(key)));
    expect(lookups).toHaveBeenCalledTimes(1);
  });

  it('a wrong checksum is refused without a query', async () => {
    const key = await create();
    const lookups = jest.spyOn(store, 'findForVerification');
    expect(() => verify(mistyped(key))).toThrow('The credential is not valid');
    expect(lookups).not.toHaveBeenCalled();
  });

  it('without the database nobody is let in who is not remembered', async () => {
    const [known, unknown] = [await create(), await create()];
    await verify(known);
    jest.spyOn(store, 'findForVerification').mockRejectedValue(new Error('away'));
    expect(verify(known)).toBeDefined();
    expect(await codeOf(() => verify(unknown))).toBe('IDENTITY_UNAVAILABLE');
  });

  it('the first failed check is told: revoked before expired, expired before the network', async () => {
    const key = await create({ expiresInMs: 60_000, networks: ['10.0.0.0/8'] });
    const messageOf = (): Promise<string> =>
      Promise.resolve()
        .then(() => verify(key))
        .then(String, (error: Error) => error.message);
    expect(await messageOf()).toBe('The credential is not valid');
    clock.advance(60_000);
    expect(await messageOf()).toBe('The credential is not valid: the key is expired');
    await keys.revoke(ALL, idOf(key), TEST_MANAGER);
    expect(await messageOf()).toBe('The credential is not valid: the key is revoked');
  });

  it.each([
    ['10.1.2.3', true],
    ['::ffff:10.1.2.3', true],
    ['2001:db8::1', true],
    ['11.1.2.3', false],
    ['2001:db9::1', false],
    ['', false],
  ])('a key of the networks 10.0.0.0/8 and 2001:db8::/32 is accepted from %s: %s', async (address, expected) => {
    const key = await create({ networks: ['10.0.0.0/8', '2001:db8::/32'] });
    expect(await codeOf(() => verify(key, address))).toBe(expected ? 'none' : 'AUTH_FAILED');
  });

  it('an identity holds until its key is revoked, rotated away, or its tenant suspended', async () => {
    const [revoked, rotated, kept] = [await create(), await create(), await create({ expiresInMs: null })];
    const held = async (key: string): Promise<boolean> => verifier.isCurrent(identities.get(key) as Identity);
    const identities = new Map<string, Identity | undefined>();
    for (const key of [revoked, rotated, kept]) identities.set(key, await verify(key));
    expect([await held(revoked), await held(rotated), await held(kept)]).toEqual([true, true, true]);
    await keys.revoke(ALL, idOf(revoked), TEST_MANAGER);
    await keys.rotate(ALL, idOf(rotated), { overlapMs: 1000 }, TEST_MANAGER);
    clock.advance(1000);
    expect([await held(revoked), await held(rotated), await held(kept)]).toEqual([false, false, true]);
    await tenants.suspend('default', TEST_MANAGER.origin);
    expect(await held(kept)).toBe(false);
  });

  it('a key is rotated once, also by two at the same time', async () => {
    const key = await create();
    const codes = await Promise.all([1, 2].map(() => codeOf(() => keys.rotate(ALL, idOf(key), {}, TEST_MANAGER))));
    expect(codes.sort()).toEqual(['API_KEY_ENDED', 'none']);
    expect((await keys.list(ALL, { limit: 10 })).items).toHaveLength(2);
  });

  it('the new key of a rotation has the account, user, scopes, networks and limits of the old one', async () => {
    const fields = { scopes: ['runs:read'], userId: 'alice', networks: ['10.0.0.0/8'], limits: { runs: 1 }, name: 'n' };
    const old = await keys.find(ALL, idOf(await create({ ...fields, expiresInMs: 3_600_000 })));
    clock.advance(1000);
    const { key } = await keys.rotate(ALL, old.id, {}, TEST_MANAGER);
    const { id: _, createdAt, expiresAt, ...rest } = key;
    expect(old).toMatchObject(rest);
    expect((expiresAt ?? 0) - createdAt).toBe(3_600_000);
    expect((await keys.find(ALL, old.id)).overlapUntil).toBe(createdAt + 86_400_000);
  });

  it('of an IPv6 address, the /48 is recorded', async () => {
    const key = await create();
    await verify(key, '2001:db8:1:2::3');
    await verifier.onModuleDestroy();
    expect(await keys.find(ALL, idOf(key))).toMatchObject({ lastUsedNetwork: '2001:db8:1::/48' });
  });
});

import { ApiKeys, keyOf, Tenants } from '../../src/access/index.js';
import { Clock, SERVER_ORIGIN } from '../../src/common/index.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { apiKey, bearer, TEST_MANAGER } from '../support/keys.js';
import { ManualClock } from '../support/manual-clock.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const INSTALLATION = { of: 'installation' } as const;
const INVALID = 'The credential is not valid';

interface Answer {
  readonly status: number;
  readonly message: string | undefined;
  readonly challenge: string | null;
}

describeOnDatabases('API keys', (open) => {
  let database: TestDatabase;
  let server: TestServer;
  /** Another process on the same database. */
  let other: TestServer;
  const clock = new ManualClock();

  beforeAll(async () => {
    database = await open();
    const options = { database, env: { AUTH: 'keys' }, overrides: [{ provide: Clock, useValue: clock }] };
    server = await startServer(options);
    other = await startServer(options);
  });
  afterAll(async () => {
    await server.close();
    await other.close();
    await database.drop();
  });

  const ask = async (at: TestServer, headers: Record<string, string>): Promise<Answer> => {
    const answer = await fetch(`${at.url}/v1/models`, { headers });
    const body = (await answer.json()) as { error?: { message?: string } };
    return { status: answer.status, message: body.error?.message, challenge: answer.headers.get('www-authenticate') };
  };
  const use = (key: string, at = server): Promise<Answer> => ask(at, bearer(key));
  const idOf = async (key: string): Promise<string> => (await server.get(ApiKeys).identify(key))?.key.id ?? '';

  it('a request without a credential is refused', async () => {
    const refused = await ask(server, {});
    expect(refused).toMatchObject({ status: 401, challenge: 'Bearer realm="parley"' });
  });

  it('a key is accepted as a bearer token and in X-API-Key', async () => {
    const key = await apiKey(server);
    expect((await use(key)).status).toBe(200);
    expect((await ask(server, { 'x-api-key': key })).status).toBe(200);
    expect((await use(key, other)).status).toBe(200);
  });

  it('a key of an unknown id, with another secret, with a wrong checksum, or of another form is refused', async () => {
    const key = await apiKey(server);
    const unknown = await apiKey(server);
    const refused = { status: 401, message: INVALID, challenge: 'Bearer realm="parley", error="invalid_token"' };
    await server.get(ApiKeys).revoke(INSTALLATION, await idOf(unknown), TEST_MANAGER);
    const forged = keyOf(key.slice(10, 22), new Uint8Array(32));
    const stranger = keyOf('000000000000', new Uint8Array(32));
    for (const token of [forged, stranger, `${key.slice(0, -1)}_`, mistypedSecret(key), 'something']) {
      expect(await use(token)).toEqual(refused);
      expect(await use(token)).toEqual(refused);
    }
  });

  it('a key is refused from when it expires, also while it is remembered', async () => {
    const key = await apiKey(server, { expiresInMs: HOUR_MS });
    expect((await use(key)).status).toBe(200);
    clock.advance(HOUR_MS - 2000);
    expect((await use(key)).status).toBe(200);
    clock.advance(2000);
    expect(await use(key)).toMatchObject({ status: 401, message: `${INVALID}: the key is expired` });
  });

  it('a key without a lifetime ends after 90 days, one that never expires does not', async () => {
    const usual = await apiKey(server);
    const forever = await apiKey(server, { expiresInMs: null });
    clock.advance(90 * DAY_MS);
    expect((await use(usual)).message).toBe(`${INVALID}: the key is expired`);
    expect((await use(forever)).status).toBe(200);
  });

  it('a revoked key is refused at once by the process that revoked it, and after 5 s by others', async () => {
    const key = await apiKey(server);
    expect((await use(key)).status).toBe(200);
    expect((await use(key, other)).status).toBe(200);
    await server.get(ApiKeys).revoke(INSTALLATION, await idOf(key), TEST_MANAGER);
    expect(await use(key)).toMatchObject({ status: 401, message: `${INVALID}: the key is revoked` });
    clock.advance(5000);
    expect((await use(key, other)).message).toBe(`${INVALID}: the key is revoked`);
  });

  it('a key is accepted only from its networks, and a refusal does not say why', async () => {
    const here = await apiKey(server, { networks: ['10.0.0.0/8', '127.0.0.0/8'] });
    const elsewhere = await apiKey(server, { networks: ['10.0.0.0/8', '2001:db8::/32'] });
    expect((await use(here)).status).toBe(200);
    expect(await use(elsewhere)).toMatchObject({ status: 401, message: INVALID });
  });

  it('a rotated key works beside the new one until the overlap ends', async () => {
    const old = await apiKey(server, { account: 'rotating', expiresInMs: null });
    expect((await use(old)).status).toBe(200);
    const { secret } = await server
      .get(ApiKeys)
      .rotate(INSTALLATION, await idOf(old), { overlapMs: HOUR_MS }, TEST_MANAGER);
    expect([(await use(old)).status, (await use(secret)).status]).toEqual([200, 200]);
    clock.advance(HOUR_MS);
    expect((await use(old)).message).toBe(`${INVALID}: the key is expired`);
    expect((await use(secret)).status).toBe(200);
  });

  it('the keys of a suspended tenant are refused until it is resumed', async () => {
    const key = await apiKey(server, { tenant: 'acme' });
    expect([(await use(key)).status, (await use(key, other)).status]).toEqual([200, 200]);
    await server.get(Tenants).suspend('acme', SERVER_ORIGIN);
    expect(await use(key)).toMatchObject({ status: 401, message: INVALID });
    clock.advance(5000);
    expect((await use(key, other)).status).toBe(401);
    await server.get(Tenants).resume('acme', SERVER_ORIGIN);
    expect((await use(key)).status).toBe(200);
  });

  it('the last use is recorded with its network, at most once a minute', async () => {
    const key = await apiKey(server);
    const id = await idOf(key);
    const recorded = async (): Promise<number> => {
      const { lastUsedAt, lastUsedNetwork } = await server.get(ApiKeys).find(INSTALLATION, id);
      expect(lastUsedNetwork).toBe(lastUsedAt === null ? null : '127.0.0.0/24');
      return lastUsedAt ?? 0;
    };
    expect(await recorded()).toBe(0);
    await use(key);
    const first = await until(async () => (await recorded()) || false);
    clock.advance(MINUTE_MS - 2000);
    await use(key);
    await use(key, other);
    expect(await recorded()).toBe(first);
    clock.advance(2000);
    await use(key, other);
    await until(async () => (await recorded()) >= first + MINUTE_MS);
  });

  it('the database contains no part of a secret', async () => {
    const key = await apiKey(server, { name: 'a name' });
    const stored = JSON.stringify(await server.get(ApiKeys).find(INSTALLATION, await idOf(key)));
    expect(stored).not.toContain(key.slice(22, 30));
  });
});

/** A key whose last character of the secret was mistyped. */
function mistypedSecret(key: string): string {
  return `${key.slice(0, 64)}${key[64] === 'x' ? 'y' : 'x'}${key.slice(65)}`;
}

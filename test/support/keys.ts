import { ApiKeys, type KeyManager, type NewApiKey, Tenants } from '../../src/access/index.js';
import { AppError, commandOrigin } from '../../src/common/index.js';
import type { TestServer } from './server.js';

/** What a test asks of a key; otherwise it has the defaults of `npm run key -- create`. */
export interface TestKey extends Partial<Omit<NewApiKey, 'userId'>> {
  /** Created if it does not exist. Default: `default`. */
  readonly tenant?: string;
  /** The user that the key is pinned to. Default: none. */
  readonly user?: string;
}

/** Who creates the keys of tests: it may grant everything. */
export const TEST_MANAGER: KeyManager = {
  name: 'cli:test',
  origin: commandOrigin('test'),
  authorize: () => undefined,
};

/** Creates an API key in the database of a server, which need not have `AUTH=keys`. Returns the key as clients send it. */
export async function apiKey(
  server: TestServer,
  { tenant = 'default', user, ...fields }: TestKey = {},
): Promise<string> {
  await ensureTenant(server, tenant);
  const key = { account: 'test', userId: user ?? null, ...fields };
  return (await server.get(ApiKeys).create(tenant, key, TEST_MANAGER)).secret;
}

/** A key with one other character at its end, so that its checksum is wrong. */
export function mistyped(key: string): string {
  return `${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`;
}

/** The headers of a request with a credential. */
export function bearer(token: string): { readonly authorization: string } {
  return { authorization: `Bearer ${token}` };
}

async function ensureTenant(server: TestServer, id: string): Promise<void> {
  try {
    await server.get(Tenants).create(id, TEST_MANAGER.origin);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'TENANT_EXISTS') throw error;
  }
}

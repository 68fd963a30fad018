import { randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiKey, bearer } from './keys.js';
import { type ServerOptions, startServer, type TestServer } from './server.js';

/** The statuses with which a server refuses who is asking. */
export type Refusal = 401 | 403 | 429;

/** Each of them, and its code on most wires. */
export const REFUSALS: readonly Refusal[] = [401, 403, 429];
export const REFUSAL_CODES = { 401: 'AUTH_FAILED', 403: 'PERMISSION_DENIED', 429: 'RATE_LIMIT_EXCEEDED' } as const;

/** A server, and a key for it. */
export interface KeyedServer {
  readonly url: string;
  readonly key: string;
}

/** Servers with `AUTH=keys`, and keys that they refuse or take. */
export class RefusingServers {
  private readonly started: TestServer[] = [];
  private common: Promise<TestServer> | undefined;

  constructor(private readonly options: Pick<ServerOptions, 'model' | 'providers'> = {}) {}

  private async start(env: NodeJS.ProcessEnv = {}): Promise<TestServer> {
    const server = await startServer({ ...this.options, env: { AUTH: 'keys', ...env } });
    this.started.push(server);
    return server;
  }

  close(): Promise<unknown> {
    return Promise.all(this.started.map((one) => one.close()));
  }

  /** @param scopes of the key; default: those of a new key */
  async accepted(scopes?: readonly string[]): Promise<KeyedServer> {
    this.common ??= this.start();
    return keyFor(await this.common, scopes);
  }

  /** A server and a key that it refuses with this status. */
  async refused(status: Refusal): Promise<KeyedServer> {
    if (status === 403) return this.accepted(['docs:read']);
    if (status === 429) return this.usedUp(1);
    // An address may try few invalid credentials, so each client gets a server of its own for them.
    const { url, key } = await keyFor(await this.start());
    return { url, key: key.replace(/.{6}$/, 'zzzzzz') };
  }

  /** A server and a key that has just made its only request, until the next of its minute. */
  async usedUp(perMinute: number): Promise<KeyedServer> {
    const file = join(mkdtempSync(join(tmpdir(), 'parley-limits-')), 'limits.json');
    writeFileSync(file, JSON.stringify({ user: { requests: { perMinute, burst: 1 } } }));
    const { url, key } = await keyFor(await this.start({ LIMITS_FILE: file }));
    await (await fetch(`${url}/whoami`, { headers: bearer(key) })).text();
    return { url, key };
  }
}

async function keyFor(server: TestServer, scopes?: readonly string[]): Promise<KeyedServer> {
  const account = `a-${randomUUID()}`;
  return { url: server.url, key: await apiKey(server, { account, ...(scopes && { scopes }) }) };
}

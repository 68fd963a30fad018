import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import 'reflect-metadata';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { serve } from '../../src/index.js';
import { SERVER_ORIGIN } from '../../src/common/index.js';
import { openSideChannel } from '../side-channel.js';

/**
 * Parley as `npm start` runs it, with the default agent, its log and its tools; the model is the one at
 * `modelUrl`. The environment may hold further settings.
 *
 * @param databaseUrl an empty PostgreSQL database, or that of the other instances of a fleet, which have the same
 *   BENCH_DATA_DIR; without it, SQLite in a temporary folder
 */
export async function startParley(modelUrl: string, databaseUrl: string | undefined): Promise<void> {
  Object.assign(process.env, {
    DATA_DIR: process.env.BENCH_DATA_DIR ?? ownFolder(),
    HOST: '127.0.0.1',
    PORT: '0',
    LLM_BASE_URL: modelUrl,
    LLM_API_KEY: 'bench',
    LLM_MODEL: 'bench',
    LLM_START_CHECK: 'false',
    // Every stream of a row counts, also those at the end of a burst.
    DATABASE_WAIT_MS: '10000',
    RUN_CONCURRENCY: process.env.BENCH_RUN_CONCURRENCY ?? '4000',
  });
  if (databaseUrl !== undefined) process.env.DATABASE_URL = databaseUrl;
  const app = await serve();
  const { port } = app.getHttpServer().address() as AddressInfo;
  openSideChannel(port, async ({ ask }) => (ask === 'key' ? { key: await newKey(app) } : undefined));
}

/** A folder that is removed when the process ends. */
function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A new key, which may read. */
async function newKey(app: NestFastifyApplication): Promise<string> {
  // Loaded here, so that servers without keys can be compared too.
  const { ApiKeys } = await import('../../src/access/index.js');
  const manager = { name: 'cli:bench', origin: SERVER_ORIGIN, authorize: () => undefined };
  const created = await app
    .get(ApiKeys, { strict: false })
    .create('default', { account: 'bench', scopes: ['runs:read'] }, manager);
  return created.secret;
}

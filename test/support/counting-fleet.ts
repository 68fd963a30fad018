import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CountingModelServer } from './counting-model-server.js';
import type { TestDatabase } from './databases.js';
import type { RedisServer } from './redis-server.js';

/** The script of servers whose tools count their calls on the disk. */
export const COUNTING_SERVER = join(__dirname, '../fault/fixtures/counting-server.mjs');

/** The environment of servers on one database that count the calls of a tool. Prepares their folder. */
export function countingEnv(
  { env }: TestDatabase,
  model: CountingModelServer,
  redis: RedisServer | undefined,
): Readonly<Record<string, string>> {
  const folder = join(env.DATA_DIR, 'counts');
  mkdirSync(folder);
  const policy = join(env.DATA_DIR, 'policy.json');
  writeFileSync(policy, JSON.stringify({ rules: [{ tool: '*', effect: 'allow' }] }));
  return {
    LLM_BASE_URL: model.url,
    LLM_API_KEY: 'k',
    COUNT_DIR: folder,
    TOOL_POLICY_FILE: policy,
    ...(redis && { REDIS_URL: redis.url }),
  };
}

/** One line for each call of the unsafe tool that took effect. */
export function unsafeCalls({ env }: TestDatabase): readonly string[] {
  return readFileSync(join(env.DATA_DIR, 'counts/effects-unsafe'), 'utf8').trim().split('\n');
}

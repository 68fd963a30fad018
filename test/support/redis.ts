import { spawnSync } from 'node:child_process';

/** The Redis of specs. */
export const REDIS_URL = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379/9';

/** Why specs with Redis are skipped; undefined if they can run. */
export const NO_REDIS = answers() ? undefined : 'no Redis';

/** Asked of another process, because `describe` cannot wait. */
function answers(): boolean {
  const { hostname, port } = new URL(REDIS_URL);
  const script = `require('net').connect(${port || '6379'}, '${hostname}').once('connect', () => process.exit(0)).once('error', () => process.exit(1))`;
  return spawnSync(process.execPath, ['-e', script], { timeout: 5000 }).status === 0;
}

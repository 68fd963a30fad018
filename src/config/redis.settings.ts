import { describeAddress, parseUrl } from './rules.js';
import { type Rule, setting, settings } from './setting.js';

/** The Redis or Valkey server that the processes of one installation share. */
export class RedisSettings extends settings('Redis', {
  url: setting('REDIS_URL', redisAddress(), {
    unset: 'none; required by `LIMITS_STORE=redis`',
    secret: true,
    description:
      'A Redis or Valkey server: `redis://user:password@host:port/number` or `rediss://…`. Several processes on one PostgreSQL then exchange events and signals over it at once; without it they look into the database (operations.md). `LIMITS_STORE=redis` counts requests in it.',
  }),
}) {}

/** The address of a Redis server. */
function redisAddress(): Rule<string> {
  return {
    expectation: 'redis://user:password@host:port/number, or rediss:// for TLS',
    parse: (value) => (/^rediss?:$/.test(parseUrl(value)?.protocol ?? '') ? value : undefined),
    describe: describeAddress,
  };
}

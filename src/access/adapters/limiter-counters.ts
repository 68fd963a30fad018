import { createHash } from 'node:crypto';
import type * as IoRedis from 'ioredis';
import { type RateLimiterAbstract, RateLimiterPostgres, RateLimiterRedis } from 'rate-limiter-flexible';
import { loadPackage } from '../../common/index.js';
import type { RequestDatabase } from '../../database/index.js';
import { type Count, Counters } from '../limits/counters.js';

/** How long a command to Redis may take before the store counts as unavailable. */
const REDIS_TIMEOUT_MS = 250;
const REDIS_CONNECT_MS = 1000;
/** The longest pause between two attempts to connect to Redis. */
const REDIS_RECONNECT_MS = 5000;
const TABLE = 'rate_limits';
const PREFIX = 'parley-limits';

/** The limiter itself never refuses: what a total means is decided by its reader. */
const UNLIMITED = { points: Number.MAX_SAFE_INTEGER, duration: 60 };

/** Counters in a store of the library `rate-limiter-flexible`. */
export class LimiterCounters extends Counters {
  constructor(
    private readonly limiter: RateLimiterAbstract,
    private readonly release?: () => Promise<unknown>,
  ) {
    super();
  }

  async add(key: string, points: number, seconds: number): Promise<Count> {
    const name = digest(key);
    const window = { customDuration: seconds };
    const { consumedPoints, msBeforeNext } =
      points < 0 ? await this.limiter.reward(name, -points, window) : await this.limiter.penalty(name, points, window);
    return { total: Number(consumedPoints), resetMs: msBeforeNext };
  }

  async close(): Promise<void> {
    await this.release?.();
  }
}

/**
 * Counters that processes share in Redis. A connection that is lost is opened again.
 *
 * @throws StartupError if the package `ioredis` is not installed
 */
export async function redisCounters(url: string): Promise<Counters> {
  const { Redis } = loadPackage<typeof IoRedis>('ioredis', 'LIMITS_STORE=redis');
  const client = new Redis(url, {
    lazyConnect: true,
    // The commands of one request are sent together.
    enableAutoPipelining: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: REDIS_TIMEOUT_MS,
    connectTimeout: REDIS_CONNECT_MS,
    retryStrategy: (attempt) => Math.min(attempt * 200, REDIS_RECONNECT_MS),
  });
  // Each failing command is reported by its caller.
  client.on('error', () => undefined);
  await client.connect().catch(() => undefined);
  const limiter = new RateLimiterRedis({
    ...UNLIMITED,
    keyPrefix: PREFIX,
    storeClient: client,
    rejectIfRedisNotReady: true,
  });
  return new LimiterCounters(limiter, async () => client.disconnect());
}

/** Counters that processes share in a table of the PostgreSQL database, which the library creates. */
export async function postgresCounters(database: RequestDatabase): Promise<Counters> {
  const limiter = await new Promise<RateLimiterPostgres>((resolve, reject) => {
    const created = new RateLimiterPostgres(
      {
        ...UNLIMITED,
        keyPrefix: '',
        tableName: TABLE,
        storeClient: database.read.manager.connection,
        storeType: 'typeorm',
      },
      (error) => (error ? reject(error) : resolve(created)),
    );
  });
  return new LimiterCounters(limiter);
}

/** Keys of bounded length that show no names of users. */
function digest(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

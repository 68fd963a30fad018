import { Metrics } from '../../common/index.js';
import { LimiterCounters } from '../adapters/limiter-counters.js';
import { MemoryCounters } from '../adapters/memory-counters.js';
import { CountedRateLimits } from './counted-rate-limits.js';
import { type Count, Counters } from './counters.js';
import { InsuredCounters } from './insured-counters.js';
import { LeasedCounters } from './leased-counters.js';
import { LimitMetrics } from './limit.metrics.js';
import { type Bucket, rateBucket } from './rate-limits.js';

const USER = rateBucket('user', ['acme', 'alice'], { perMinute: 30, burst: 10 });
const TENANT = rateBucket('tenant', ['acme'], { perMinute: 12, burst: 12 });

const METRICS = (): LimitMetrics => new LimitMetrics(new Metrics());

/** A store that can fail, and that counts what it is asked. */
class Store extends Counters {
  readonly counters = new MemoryCounters();
  failure: Error | undefined;
  asked = 0;

  async add(key: string, points: number, seconds: number): Promise<Count> {
    this.asked += 1;
    await Promise.resolve();
    if (this.failure) throw this.failure;
    return this.counters.add(key, points, seconds);
  }

  async close(): Promise<void> {}
}

async function takeAll(limits: CountedRateLimits, bucket: Bucket, times: number): Promise<number> {
  let allowed = 0;
  for (let index = 0; index < times; index += 1) if ((await limits.take([bucket])).allowed) allowed += 1;
  return allowed;
}

describe('Rate limits', () => {
  beforeEach(() => void jest.useFakeTimers({ now: 1_000_000 }));
  afterEach(() => void jest.useRealTimers());

  it('allow the burst, then refuse until it is refilled', async () => {
    const limits = new CountedRateLimits(new MemoryCounters(), METRICS());
    expect(await takeAll(limits, USER, 15)).toBe(10);
    const refused = await limits.take([USER]);
    expect(refused).toMatchObject({ allowed: false, retryAfterSeconds: 20 });
    jest.advanceTimersByTime(19_500);
    expect((await limits.take([USER])).retryAfterSeconds).toBe(1);
    jest.advanceTimersByTime(500);
    expect((await limits.take([USER])).allowed).toBe(true);
  });

  it('allow no more in a minute than the rate, however often the burst is used up', async () => {
    const limits = new CountedRateLimits(new MemoryCounters(), METRICS());
    let allowed = 0;
    for (let second = 0; second < 60; second += 1) {
      allowed += await takeAll(limits, USER, 12);
      jest.advanceTimersByTime(1000);
    }
    expect(allowed).toBe(30);
  });

  it('count the buckets of different owners separately', async () => {
    const limits = new CountedRateLimits(new MemoryCounters(), METRICS());
    const ab = rateBucket('user', ['a', 'bc'], { perMinute: 30, burst: 1 });
    const abc = rateBucket('user', ['ab', 'c'], { perMinute: 30, burst: 1 });
    expect(await takeAll(limits, ab, 2)).toBe(1);
    expect(await takeAll(limits, abc, 2)).toBe(1);
  });

  it('take nothing from any bucket for a refused request', async () => {
    const limits = new CountedRateLimits(new MemoryCounters(), METRICS());
    expect(await takeAll(limits, USER, 10)).toBe(10);
    for (let index = 0; index < 50; index += 1) await limits.take([USER, TENANT]);
    expect((await limits.take([TENANT])).buckets[0]).toMatchObject({ name: 'tenant', limit: 12, remaining: 11 });
  });

  it('show the bucket with the fewest points first', async () => {
    const limits = new CountedRateLimits(new MemoryCounters(), METRICS());
    const { buckets } = await limits.take([TENANT, USER], 3);
    expect(buckets).toEqual([
      { name: 'user', limit: 10, windowSeconds: 20, remaining: 7, resetSeconds: 20 },
      { name: 'tenant', limit: 12, windowSeconds: 60, remaining: 9, resetSeconds: 60 },
    ]);
  });

  it('ask a leased store once for a tenth of the limit', async () => {
    const store = new Store();
    const limits = new CountedRateLimits(new LeasedCounters(store), METRICS());
    const bucket = rateBucket('user', ['alice'], { perMinute: 100, burst: 100 });
    const decisions = await Promise.all(Array.from({ length: 30 }, async () => limits.take([bucket])));
    expect(decisions.every(({ allowed }) => allowed)).toBe(true);
    expect(store.asked).toBe(3);
    expect(await takeAll(limits, bucket, 100)).toBe(70);
    const { asked } = store;
    expect(await takeAll(limits, bucket, 50)).toBe(0);
    expect(store.asked - asked).toBeLessThanOrEqual(1);
  });

  it('allow two processes with leases together no more than the limit', async () => {
    const store = new Store();
    const bucket = rateBucket('user', ['alice'], { perMinute: 100, burst: 100 });
    const processes = [0, 1].map(() => new CountedRateLimits(new LeasedCounters(store), METRICS()));
    const allowed = await Promise.all(processes.map((limits) => takeAll(limits, bucket, 100)));
    expect(allowed.reduce((sum, one) => sum + one)).toBe(100);
  });

  it('count in this process while the shared store is unavailable, and warn once', async () => {
    const store = new Store();
    const insured = new InsuredCounters(store, new MemoryCounters(), METRICS());
    const warn = jest.spyOn(insured['logger'], 'warn').mockReturnValue(undefined);
    const log = jest.spyOn(insured['logger'], 'log').mockReturnValue(undefined);
    const limits = new CountedRateLimits(insured, METRICS());
    store.failure = new Error('connection lost');
    expect(await takeAll(limits, USER, 15)).toBe(10);
    jest.advanceTimersByTime(5000);
    expect((await limits.take([USER])).allowed).toBe(false);
    expect(warn).toHaveBeenCalledTimes(1);
    store.failure = undefined;
    jest.advanceTimersByTime(5000);
    // This request asks the store again, and does not wait for its answer.
    expect((await limits.take([USER])).allowed).toBe(false);
    expect((await limits.take([USER])).allowed).toBe(true);
    expect(log).toHaveBeenCalledTimes(1);
  });

  it('do not wait for a shared store that has failed and is silent', async () => {
    const store = new Store();
    const insured = new InsuredCounters(store, new MemoryCounters(), METRICS());
    jest.spyOn(insured['logger'], 'warn').mockReturnValue(undefined);
    const limits = new CountedRateLimits(insured, METRICS());
    store.failure = new Error('connection lost');
    await limits.take([USER]);
    const silent = jest.spyOn(store, 'add').mockReturnValue(new Promise(() => undefined));
    jest.advanceTimersByTime(5000);
    expect(await takeAll(limits, USER, 15)).toBe(9);
    expect(silent).toHaveBeenCalledTimes(1);
  });

  it('name no user in the keys of a shared store', async () => {
    const keys: unknown[] = [];
    const penalty = (key: string): Promise<unknown> => {
      keys.push(key);
      return Promise.resolve({ consumedPoints: 1, msBeforeNext: 1 });
    };
    await new LimiterCounters({ penalty } as never).add(USER.key, 1, 60);
    expect(keys[0]).toMatch(/^[\w-]{43}$/);
  });
});

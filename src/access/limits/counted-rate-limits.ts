import type { OnApplicationShutdown } from '@nestjs/common';
import type { Count, Counters } from './counters.js';
import type { LimitMetrics } from './limit.metrics.js';
import { type Bucket, type BucketState, type RateDecision, RateLimits, type RateWindow } from './rate-limits.js';

/** A window of a bucket with what was counted in it. */
interface CountedWindow {
  readonly key: string;
  readonly window: RateWindow;
  readonly count: Count;
}

/**
 * Rate limits over counters with fixed windows. What was taken for a refused request is given back, so a
 * client that keeps trying does not lengthen its own wait. Between the two steps another request of the same
 * owner can be refused that would have fitted. A window that ends between two bursts lets both through: the
 * longer window limits how often that happens.
 */
export class CountedRateLimits extends RateLimits implements OnApplicationShutdown {
  constructor(
    private readonly counters: Counters,
    private readonly metrics: LimitMetrics,
  ) {
    super();
  }

  async take(buckets: readonly [Bucket, ...Bucket[]], points = 1): Promise<RateDecision> {
    const counted = await Promise.all(buckets.map((bucket) => this.count(bucket, points)));
    const exceeded = counted.flat().filter(isExceeded);
    const allowed = exceeded.length === 0;
    if (!allowed) {
      this.subtract(counted.flat(), points);
      const refusing = buckets.find((_, index) => counted[index]?.some(isExceeded));
      if (refusing) this.metrics.rejections.with(refusing.name).add();
    }
    const states = buckets.map((bucket, index) => stateOf(bucket, counted[index] ?? [], allowed ? 0 : points));
    states.sort((one, other) => one.remaining - other.remaining);
    const retryAfterSeconds = Math.max(0, ...exceeded.map(({ count }) => secondsOf(count)));
    return { allowed, retryAfterSeconds, buckets: states as [BucketState, ...BucketState[]] };
  }

  giveBack(buckets: readonly Bucket[]): void {
    for (const bucket of buckets) {
      const windows = bucket.windows.map((window) => ({ key: windowKey(bucket, window), window }));
      this.subtract(windows, 1);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.counters.close();
  }

  private count(bucket: Bucket, points: number): Promise<CountedWindow[]> {
    return Promise.all(
      bucket.windows.map(async (window) => {
        const key = windowKey(bucket, window);
        return { key, window, count: await this.counters.add(key, points, window.seconds, window.limit) };
      }),
    );
  }

  /** Nobody waits for it; a store that fails now forgets the points with the window. */
  private subtract(counted: readonly Pick<CountedWindow, 'key' | 'window'>[], points: number): void {
    for (const { key, window } of counted) {
      this.counters.add(key, -points, window.seconds, window.limit).catch(() => undefined);
    }
  }
}

function isExceeded({ window, count }: CountedWindow): boolean {
  return count.total > window.limit;
}

function windowKey({ key, windows }: Bucket, { seconds }: RateWindow): string {
  return windows.length === 1 ? key : `${key}/${seconds}`;
}

/** @param givenBack points that the totals still contain although they were given back */
function stateOf({ name, windows }: Bucket, counted: readonly CountedWindow[], givenBack: number): BucketState {
  const [{ limit, seconds }] = windows;
  let remaining = limit;
  let resetSeconds = seconds;
  for (const { window, count } of counted) {
    const left = Math.max(0, window.limit - (count.total - givenBack));
    if (left > remaining) continue;
    remaining = left;
    resetSeconds = secondsOf(count);
  }
  return { name, limit, windowSeconds: seconds, remaining, resetSeconds };
}

function secondsOf({ resetMs }: Count): number {
  return Math.max(1, Math.ceil(resetMs / 1000));
}

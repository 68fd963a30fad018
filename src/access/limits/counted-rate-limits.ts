import type { OnApplicationShutdown } from '@nestjs/common';
import type { Count, Counters } from './counters.js';
import type { LimitMetrics } from './limit.metrics.js';
import { type Bucket, type BucketState, type RateDecision, RateLimits, type RateWindow } from './rate-limits.js';

/** A window of a bucket with what was counted in it. */
interface CountedWindow {
  readonly bucket: Bucket;
  readonly window: RateWindow;
  readonly count: Count;
}

type Buckets = readonly [Bucket, ...Bucket[]];

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

  take(buckets: Buckets, points = 1): RateDecision | Promise<RateDecision> {
    const counted = buckets.flatMap((bucket) => bucket.windows.map((window) => this.count(bucket, window, points)));
    // Counters of this process answer at once, and then no promise is made.
    if (!counted.some(isPending)) return this.decide(buckets, counted as CountedWindow[], points);
    return Promise.all(counted.map(async (one) => one)).then((done) => this.decide(buckets, done, points));
  }

  giveBack(buckets: readonly Bucket[]): void {
    for (const bucket of buckets) {
      for (const window of bucket.windows) this.subtract(bucket, window, 1);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.counters.close();
  }

  private count(bucket: Bucket, window: RateWindow, points: number): CountedWindow | Promise<CountedWindow> {
    const count = this.counters.add(windowKey(bucket, window), points, window.seconds, window.limit);
    return count instanceof Promise ? count.then((one) => ({ bucket, window, count: one })) : { bucket, window, count };
  }

  private decide(buckets: Buckets, counted: readonly CountedWindow[], points: number): RateDecision {
    const exceeded = counted.filter(isExceeded);
    const [refusing] = exceeded;
    if (refusing) {
      for (const { bucket, window } of counted) this.subtract(bucket, window, points);
      this.metrics.rejections.with(refusing.bucket.name).add();
    }
    const givenBack = refusing ? points : 0;
    const states = buckets.map((bucket) => stateOf(bucket, counted, givenBack));
    states.sort((one, other) => one.remaining - other.remaining);
    const retryAfterSeconds = Math.max(0, ...exceeded.map(({ count }) => secondsOf(count)));
    return { allowed: !refusing, retryAfterSeconds, buckets: states as [BucketState, ...BucketState[]] };
  }

  /** Not awaited. If the store fails, the points are lost until the window ends. */
  private subtract(bucket: Bucket, window: RateWindow, points: number): void {
    const count = this.counters.add(windowKey(bucket, window), -points, window.seconds, window.limit);
    if (count instanceof Promise) count.catch(() => undefined);
  }
}

function isPending(counted: CountedWindow | Promise<CountedWindow>): counted is Promise<CountedWindow> {
  return counted instanceof Promise;
}

function isExceeded({ window, count }: CountedWindow): boolean {
  return count.total > window.limit;
}

function windowKey({ key, windows }: Bucket, { seconds }: RateWindow): string {
  return windows.length === 1 ? key : `${key}/${seconds}`;
}

/** @param givenBack points that the totals still contain although they were given back */
function stateOf(bucket: Bucket, counted: readonly CountedWindow[], givenBack: number): BucketState {
  const { name, windows } = bucket;
  const [{ limit, seconds }] = windows;
  let remaining = limit;
  let resetSeconds = seconds;
  for (const { bucket: counts, window, count } of counted) {
    if (counts !== bucket) continue;
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

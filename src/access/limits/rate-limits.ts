/** How often something may happen: on average, and at once. */
export interface Rate {
  readonly perMinute: number;
  /** How many may come at once after a pause. */
  readonly burst: number;
}

/** A number of points that may be taken within a time. */
export interface RateWindow {
  readonly limit: number;
  /** Whole seconds, at least 1. */
  readonly seconds: number;
}

/** What is taken from: what one user, account, tenant or address may do. */
export interface Bucket {
  /** Shown to clients in the headers, such as `user`. */
  readonly name: string;
  /** Whose bucket it is, unique among all buckets. */
  readonly key: string;
  /** The first is shown to clients. All of them hold. */
  readonly windows: readonly [RateWindow, ...RateWindow[]];
}

/** How much is left in a bucket. */
export interface BucketState {
  readonly name: string;
  /** The burst. */
  readonly limit: number;
  /** How long it takes until a used-up burst is there again. */
  readonly windowSeconds: number;
  readonly remaining: number;
  /** Until the window that leaves least ends. */
  readonly resetSeconds: number;
}

/** Whether something may happen. */
export interface RateDecision {
  readonly allowed: boolean;
  /** After how many whole seconds it may be tried again; at least 1 unless it is allowed. */
  readonly retryAfterSeconds: number;
  /** Those that were asked, that with the fewest points left first. */
  readonly buckets: readonly [BucketState, ...BucketState[]];
}

/** Counts how often things happen, and decides whether they may (contract access, section 6). */
export abstract class RateLimits {
  /**
   * Takes points from all of the buckets, or from none. Does not fail: while a shared store is unavailable,
   * this process counts for itself. Returns at once where nothing has to be asked.
   *
   * @param points default 1
   */
  abstract take(buckets: readonly [Bucket, ...Bucket[]], points?: number): RateDecision | Promise<RateDecision>;

  /** Gives back one point that was taken from each of the buckets for something that did not happen. */
  abstract giveBack(buckets: readonly Bucket[]): void;
}

const MINUTE = 60;

/** A bucket that holds a burst and is refilled at a rate. */
export function rateBucket(name: string, owner: readonly string[], { perMinute, burst }: Rate): Bucket {
  const seconds = Math.max(1, Math.ceil((burst * MINUTE) / perMinute));
  const shortWindow = { limit: burst, seconds };
  // A burst of a minute or more is the stricter of the two.
  const windows: Bucket['windows'] =
    seconds >= MINUTE ? [shortWindow] : [shortWindow, { limit: perMinute, seconds: MINUTE }];
  return { name, key: keyOf(name, owner), windows };
}

/** A bucket with one window. */
export function windowBucket(name: string, owner: readonly string[], window: RateWindow): Bucket {
  return { name, key: keyOf(name, owner), windows: [window] };
}

/** No two owners have the same key, whatever characters are in their names. */
function keyOf(name: string, owner: readonly string[]): string {
  return `${name}:${owner.map((part) => `${part.length}.${part}`).join('')}`;
}

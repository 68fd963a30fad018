import { type Count, Counters } from './counters.js';

/** Windows that are longer are counted exactly. */
const LEASED_SECONDS = 60;
/** Above this number of leases, those whose window has ended are removed. */
const KEPT_LEASES = 10_000;

/** Points that were added to the shared counter and are used one by one. */
interface Lease {
  /** The shared total without the points that are left. */
  used: number;
  left: number;
  readonly resetAt: number;
}

/**
 * Adds to a slow store in batches of a tenth of the limit, and counts within a batch in this process. Each process
 * may hold back up to one batch of a window that others could have used (contract access, section 6).
 */
export class LeasedCounters extends Counters {
  private readonly leases = new Map<string, Lease>();
  /** The request of each counter to the store: those behind it wait, and use what it brings or fail with it. */
  private readonly asked = new Map<string, Promise<unknown>>();

  constructor(private readonly shared: Counters) {
    super();
  }

  async add(key: string, points: number, seconds: number, limit: number): Promise<Count> {
    if (seconds > LEASED_SECONDS) return this.shared.add(key, points, seconds, limit);
    for (;;) {
      const count = this.fromLease(key, points, limit);
      if (count) return count;
      const asked = this.asked.get(key);
      if (!asked) break;
      await asked;
    }
    if (points < 0) return { total: 0, resetMs: 0 };
    const asking = this.lease(key, points, seconds, limit).finally(() => this.asked.delete(key));
    this.asked.set(key, asking);
    return asking;
  }

  close(): Promise<void> {
    return this.shared.close();
  }

  /** Undefined when there is no lease with enough points, and the store may have some. */
  private fromLease(key: string, points: number, limit: number): Count | undefined {
    const lease = this.leases.get(key);
    const resetMs = lease ? lease.resetAt - Date.now() : 0;
    if (!lease || resetMs <= 0) return undefined;
    // Beyond the limit no other process has points either.
    if (points > 0 && lease.left < points && lease.used + points <= limit) return undefined;
    lease.used += points;
    lease.left -= points;
    return { total: lease.used, resetMs };
  }

  private async lease(key: string, points: number, seconds: number, limit: number): Promise<Count> {
    const batch = Math.max(points, Math.floor(limit / 10));
    const { total, resetMs } = await this.shared.add(key, batch, seconds, limit);
    if (this.leases.size >= KEPT_LEASES) this.removeEnded();
    const used = total - batch + points;
    this.leases.set(key, { used, left: batch - points, resetAt: Date.now() + resetMs });
    return { total: used, resetMs };
  }

  private removeEnded(): void {
    const now = Date.now();
    for (const [key, { resetAt }] of this.leases) if (resetAt <= now) this.leases.delete(key);
  }
}

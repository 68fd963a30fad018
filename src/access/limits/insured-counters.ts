import { Logger } from '@nestjs/common';
import { type Count, Counters } from './counters.js';
import type { LimitMetrics } from './limit.metrics.js';

/** Milliseconds after which a store that failed is asked again. */
const RETRY_MS = 2000;

/** Shared counters, and those of this process while the shared store is unavailable. */
export class InsuredCounters extends Counters {
  private readonly logger = new Logger('RateLimits');
  /** When a store that failed is asked again; undefined while it is available. */
  private retryAt: number | undefined;

  constructor(
    private readonly shared: Counters,
    private readonly local: Counters,
    private readonly metrics: LimitMetrics,
  ) {
    super();
    metrics.watchStore(() => this.retryAt === undefined);
  }

  async add(key: string, points: number, seconds: number, limit: number): Promise<Count> {
    if (this.retryAt !== undefined && Date.now() < this.retryAt) return this.local.add(key, points, seconds, limit);
    try {
      const count = await this.shared.add(key, points, seconds, limit);
      this.noteAvailable();
      return count;
    } catch (error) {
      this.noteFailure(error);
      return this.local.add(key, points, seconds, limit);
    }
  }

  async close(): Promise<void> {
    await this.shared.close();
    await this.local.close();
  }

  private noteAvailable(): void {
    if (this.retryAt === undefined) return;
    this.retryAt = undefined;
    this.logger.log('The shared store of the rate limits is available again');
  }

  /** One warning for each outage. */
  private noteFailure(error: unknown): void {
    this.metrics.storeFailures.add();
    if (this.retryAt === undefined) {
      const reason = error instanceof Error ? error.message : String(error);
      this.logger.warn(
        `The shared store of the rate limits is unavailable (${reason}): this process counts for itself`,
      );
    }
    this.retryAt = Date.now() + RETRY_MS;
  }
}

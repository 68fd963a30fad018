import { Logger } from '@nestjs/common';
import { type Count, Counters } from './counters.js';
import type { LimitMetrics } from './limit.metrics.js';

/** Milliseconds after which a store that failed is tried again. */
const RETRY_MS = 2000;

/**
 * Shared counters, and those of this process while the shared store is unavailable. Only the requests that find out that
 * the store fails wait for it: later ones ask it again without waiting for its answer.
 */
export class InsuredCounters extends Counters {
  private readonly logger = new Logger('RateLimits');
  /** When a store that failed is tried again; undefined while it is available. */
  private retryAt: number | undefined;
  private isAsking = false;

  constructor(
    private readonly shared: Counters,
    private readonly local: Counters,
    private readonly metrics: LimitMetrics,
  ) {
    super();
    metrics.watchStore(() => this.retryAt === undefined);
  }

  async add(key: string, points: number, seconds: number, limit: number): Promise<Count> {
    const ask = async (): Promise<Count> => this.shared.add(key, points, seconds, limit);
    if (this.retryAt === undefined) {
      try {
        return await ask();
      } catch (error) {
        this.noteFailure(error);
      }
    } else if (Date.now() >= this.retryAt) void this.askAgain(ask);
    return this.local.add(key, points, seconds, limit);
  }

  async close(): Promise<void> {
    await this.shared.close();
    await this.local.close();
  }

  /** Finds out whether the store is available again. Never throws. */
  private async askAgain(ask: () => Promise<Count>): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    try {
      await ask();
      this.retryAt = undefined;
      this.logger.log('The shared store of the rate limits is available again');
    } catch (error) {
      this.noteFailure(error);
    } finally {
      this.isAsking = false;
    }
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

import { Injectable, Logger } from '@nestjs/common';
import { Chores } from '../chores/index.js';
import { Clock } from '../common/index.js';
import { DAY_MS } from '../config/index.js';
import { Retention } from '../retention/index.js';
import { UsageLedger } from './ports/usage-ledger.js';
import { UsageMetrics } from './usage.metrics.js';
import { Spending } from './spending.js';

const EVERY_MS = 60_000;
/** How long counters of periods are kept after their last change. They are made again on demand. */
const COUNTERS_KEPT_MS = 70 * DAY_MS;
const BATCH = 500;

/** Keeps the ledger of spending tidy: one instance does it in each minute. */
@Injectable()
export class UsageChore {
  constructor(
    private readonly ledger: UsageLedger,
    private readonly retention: Retention,
    private readonly metrics: UsageMetrics,
    private readonly clock: Clock,
    chores: Chores,
  ) {
    chores.register({ name: 'usage', everyMs: EVERY_MS, work: (signal) => this.work(signal) });
  }

  /** Makes young counters again, and replaces old entries by sums per day. */
  async work(signal: AbortSignal): Promise<void> {
    const now = this.clock.now();
    for (const counter of await this.ledger.dueForRecount(now)) {
      if (signal.aborted) return;
      const difference = await this.ledger.check(counter, true);
      if (difference) this.metrics.repaired.add();
    }
    await this.ledger.pruneCounters(now - COUNTERS_KEPT_MS);
    for (const { tenants, ms } of await this.retention.groups('usage'))
      while (!signal.aborted && (await this.ledger.compact(now - ms, BATCH, tenants)) > 0);
  }
}

/** How long an entry stays reserved at least before it is looked at, in milliseconds. */
const ABANDONED_MS = 60_000;

/** Closes what runs that are over have left reserved: one instance does it in each minute. */
@Injectable()
export class AbandonedReservations {
  private readonly logger = new Logger(AbandonedReservations.name);

  constructor(
    private readonly spending: Spending,
    private readonly clock: Clock,
    chores: Chores,
  ) {
    chores.register({ name: 'usage-reservations', everyMs: EVERY_MS, work: () => this.close() });
  }

  /** Closes them as estimated. @throws the driver's error */
  async close(): Promise<void> {
    const abandoned = await this.spending.closeAbandoned(this.clock.now() - ABANDONED_MS, BATCH);
    if (abandoned > 0) this.logger.warn(`${abandoned} reservations of runs that are over were closed`);
  }
}

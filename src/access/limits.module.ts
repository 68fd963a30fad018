import { Global, Module } from '@nestjs/common';
import { Clock } from '../common/index.js';
import { Database } from '../database/index.js';
import { postgresCounters, redisCounters } from './adapters/limiter-counters.js';
import { MemoryCounters } from './adapters/memory-counters.js';
import { KeysModule } from './keys.module.js';
import { CountedRateLimits } from './limits/counted-rate-limits.js';
import type { Counters } from './limits/counters.js';
import {
  LimitActs,
  LimitMetrics,
  LimitsSettings,
  LimitTable,
  OpenSlots,
  OwnerRates,
  RateLimits,
  RequestRates,
  StoredLimits,
  TenantLimits,
  TenantSettingsLimits,
} from './limits/index.js';
import { InsuredCounters } from './limits/insured-counters.js';
import { LeasedCounters } from './limits/leased-counters.js';

/** What callers may do. Needs the database and the settings from global modules. */
@Global()
@Module({
  imports: [KeysModule],
  providers: [
    {
      provide: RateLimits,
      useFactory: async (settings: LimitsSettings, database: Database, metrics: LimitMetrics) =>
        new CountedRateLimits(await countersIn(settings, database, metrics), metrics),
      inject: [LimitsSettings, Database, LimitMetrics],
    },
    {
      provide: LimitTable,
      useFactory: ({ file }: LimitsSettings, clock: Clock, stored: StoredLimits) => new LimitTable(file, clock, stored),
      inject: [LimitsSettings, Clock, StoredLimits],
    },
    { provide: StoredLimits, useClass: TenantSettingsLimits },
    LimitActs,
    LimitMetrics,
    TenantLimits,
    RequestRates,
    OwnerRates,
    OpenSlots,
  ],
  exports: [RateLimits, LimitTable, RequestRates, OwnerRates, OpenSlots, TenantLimits],
})
export class LimitsModule {}

/** The counters in the configured store (`LIMITS_STORE`). */
async function countersIn(
  { store, redisUrl }: LimitsSettings,
  database: Database,
  metrics: LimitMetrics,
): Promise<Counters> {
  const local = new MemoryCounters();
  if (store === 'postgres')
    return new InsuredCounters(new LeasedCounters(await postgresCounters(database)), local, metrics);
  return redisUrl !== undefined && store === 'redis'
    ? new InsuredCounters(await redisCounters(redisUrl), local, metrics)
    : local;
}

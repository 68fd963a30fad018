import { type DynamicModule, Global, Module } from '@nestjs/common';
import { KeysModule, LimitTable, StoredLimits, TenantLimits, TenantSettingsLimits } from '../access/index.js';
import { Clock, Metrics, SystemClock } from '../common/index.js';
import { DatabaseModule, type DatabaseSettings } from '../database/index.js';

/** What commands need of the server: its database, keys and tenants; no network, no models, no runs. */
@Global()
@Module({ providers: [{ provide: Clock, useClass: SystemClock }, Metrics], exports: [Clock, Metrics] })
export class CliModule {
  static forRoot(database: DatabaseSettings): DynamicModule {
    return {
      module: CliModule,
      imports: [DatabaseModule.forRoot(database), KeysModule],
      providers: [
        { provide: StoredLimits, useClass: TenantSettingsLimits },
        // Servers read their LIMITS_FILE themselves; commands show and change what differs from it.
        {
          provide: LimitTable,
          useFactory: (clock: Clock, stored: StoredLimits) => new LimitTable({}, clock, stored),
          inject: [Clock, StoredLimits],
        },
        TenantLimits,
      ],
    };
  }
}

import { type DynamicModule, Global, Module } from '@nestjs/common';
import { AuditSettings, AuditStoreModule } from '../audit/index.js';
import {
  KeysModule,
  LimitActs,
  LimitTable,
  StoredLimits,
  TenantLimits,
  TenantSettingsLimits,
} from '../access/index.js';
import { Clock, IdFactory, Metrics, SystemClock, TimeOrderedIds } from '../common/index.js';
import { DataProtectionStoreModule } from '../data-protection/index.js';
import { DatabaseModule, type DatabaseSettings } from '../database/index.js';
import { UsageSettings, UsageStoreModule } from '../usage/index.js';
import type { CommandNeeds } from './command.js';

/** What commands need of the server: its database, keys, tenants, usage, budgets, audit trail and erasures; no network, no models, no runs. */
@Global()
@Module({
  providers: [{ provide: Clock, useClass: SystemClock }, { provide: IdFactory, useClass: TimeOrderedIds }, Metrics],
  exports: [Clock, IdFactory, Metrics],
})
export class CliModule {
  /** @param needs what one command needs besides */
  static forRoot(
    database: DatabaseSettings,
    usage: UsageSettings,
    audit: AuditSettings,
    needs: CommandNeeds = { imports: [], extensions: [] },
  ): DynamicModule {
    return {
      module: CliModule,
      imports: [
        DatabaseModule.forRoot(database, needs.extensions, { makesKeys: false }),
        AuditStoreModule,
        DataProtectionStoreModule,
        KeysModule,
        UsageStoreModule,
        ...needs.imports,
      ],
      exports: [UsageSettings, AuditSettings],
      providers: [
        { provide: UsageSettings, useValue: usage },
        { provide: AuditSettings, useValue: audit },
        LimitActs,
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

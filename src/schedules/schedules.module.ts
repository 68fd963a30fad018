import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { UserCleaners, UserExporters } from '../data-protection/index.js';
import { TypeOrmScheduleStore } from './adapters/typeorm-schedule-store.js';
import { DeclaredSchedules } from './declared-schedules.js';
import { ScheduleTransactions } from './schedule-transactions.js';
import type { ScheduleRights } from './ports/schedule-rights.js';
import { ScheduleStore } from './ports/schedule-store.js';
import { SCHEDULE_EXPORT } from './schedule-export.js';
import { ScheduleFiring } from './schedule-firing.js';
import { ScheduleOutcomes } from './schedule-outcomes.js';
import { ScheduleRunner } from './schedule-runner.js';
import { ScheduleMetrics } from './schedule.metrics.js';
import { Schedules } from './schedules.js';

/** Schedules: every process fires what is due. Needs `Runs`, `Announcements`, agents and user settings from global modules. */
@Global()
@Module({
  providers: [
    { provide: ScheduleStore, useClass: TypeOrmScheduleStore },
    DeclaredSchedules,
    ScheduleTransactions,
    ScheduleFiring,
    ScheduleMetrics,
    ScheduleOutcomes,
    ScheduleRunner,
    Schedules,
  ],
  exports: [ScheduleFiring, ScheduleRunner, Schedules],
})
export class SchedulesModule {
  constructor(users: UserCleaners, exporters: UserExporters, store: ScheduleStore) {
    exporters.register(SCHEDULE_EXPORT);
    users.register({
      cleanUser: async ({ user, write }) => {
        await write(async (tx) => ({ schedules: await store.removeOfUser(tx, user.tenantId, user.userId) }));
      },
    });
  }

  /** @param rights binds `ScheduleRights` */
  static forRoot(rights: Provider<ScheduleRights>): DynamicModule {
    return { module: SchedulesModule, providers: [rights] };
  }
}

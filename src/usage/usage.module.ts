import { Global, Module } from '@nestjs/common';
import { UserCleaners, UserExporters } from '../data-protection/index.js';
import { TypeOrmBudgetStore } from './adapters/typeorm-budget-store.js';
import { TypeOrmPriceStore } from './adapters/typeorm-price-store.js';
import { SqlUsageErasure } from './adapters/usage-erasure.sql.js';
import { SqlUsageLedger } from './adapters/usage-ledger.sql.js';
import { SqlUsageReports } from './adapters/usage-reports.sql.js';
import { Books } from './books.js';
import { BudgetActs } from './budget-acts.js';
import { BudgetEvents } from './budget-events.js';
import { Budgets } from './budgets.js';
import { BudgetStore } from './ports/budget-store.js';
import { PriceStore } from './ports/price-store.js';
import { UsageErasure } from './ports/usage-erasure.js';
import { UsageLedger } from './ports/usage-ledger.js';
import { UsageReports } from './ports/usage-reports.js';
import { Prices, PricesFile } from './prices.js';
import { Spending } from './spending.js';
import { UsageCheck } from './usage-check.js';
import { AbandonedReservations, UsageChore } from './usage-chores.js';
import { UsageCleaner } from './usage-cleaner.js';
import { UsageReport } from './usage-report.js';
import { USAGE_EXPORT } from './usage-export.js';
import { UsageMetrics } from './usage.metrics.js';

const PROVIDERS = [
  { provide: PriceStore, useClass: TypeOrmPriceStore },
  { provide: BudgetStore, useClass: TypeOrmBudgetStore },
  { provide: UsageLedger, useClass: SqlUsageLedger },
  { provide: UsageReports, useClass: SqlUsageReports },
  UsageMetrics,
  BudgetEvents,
  Books,
  Prices,
  Budgets,
  UsageCheck,
  UsageReport,
];

/** Usage and budgets for commands: what is stored. Needs the database, settings, clock, ids and metrics. */
@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class UsageStoreModule {}

/** Usage and budgets of a server. Needs `Chores` and `UserCleaners` from global modules too. */
@Global()
@Module({
  imports: [UsageStoreModule],
  providers: [
    { provide: UsageErasure, useClass: SqlUsageErasure },
    BudgetActs,
    Spending,
    AbandonedReservations,
    UsageChore,
    UsageCleaner,
    PricesFile,
  ],
  exports: [UsageStoreModule, BudgetActs, Spending, PricesFile],
})
export class UsageModule {
  constructor(users: UserCleaners, exporters: UserExporters, usage: UsageCleaner) {
    users.register(usage);
    exporters.register(USAGE_EXPORT);
  }
}

import { Module } from '@nestjs/common';
import { HttpModule } from '../http/index.js';
import { ApiKeysController } from './api-keys.controller.js';
import { AuditController } from './audit.controller.js';
import { BudgetsController } from './budgets.controller.js';
import { SchedulesController } from './hooks/schedules.controller.js';
import { WebhookDeliveriesController } from './hooks/webhook-deliveries.controller.js';
import { WebhooksController } from './hooks/webhooks.controller.js';
import { LimitsController } from './limits.controller.js';
import { TenantRetentionController } from './tenant-retention.controller.js';
import { TenantsController } from './tenants.controller.js';
import { TicketsController } from './tickets.controller.js';
import { PricesController } from './prices.controller.js';
import { UsageController } from './usage.controller.js';
import { UsersController } from './users.controller.js';

/**
 * Keys, limits, tenants, tickets, usage, budgets, prices, the audit trail, webhooks, schedules and erasures over REST. Needs
 * `src/access`, `src/usage`, `src/audit`, `src/data-protection`, `src/webhooks`, `src/schedules`, `PublicAddress` and `Clock`
 * from global modules.
 */
@Module({
  imports: [HttpModule],
  controllers: [
    ApiKeysController,
    LimitsController,
    TenantsController,
    TenantRetentionController,
    TicketsController,
    UsageController,
    BudgetsController,
    PricesController,
    AuditController,
    SchedulesController,
    WebhooksController,
    WebhookDeliveriesController,
    UsersController,
  ],
})
export class AdminModule {}

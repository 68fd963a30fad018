import { type DynamicModule, Global, Module } from '@nestjs/common';
import { UserCleaners, UserExporters } from '../data-protection/index.js';
import { OutgoingHttp } from '../outgoing/index.js';
import { SessionCleaners, SessionModule } from '../agent/session/index.js';
import { TypeOrmDeliveryStore } from './adapters/typeorm-delivery-store.js';
import { TypeOrmWebhookStore } from './adapters/typeorm-webhook-store.js';
import { Announcements, BudgetAnnouncements } from './announcements.js';
import { DELIVERY_EXPORT } from './delivery-export.js';
import { DeliveryStore } from './ports/delivery-store.js';
import { WebhookStore } from './ports/webhook-store.js';
import { RunAnnouncements } from './run-announcements.js';
import { WebhookAddresses } from './webhook-addresses.js';
import { WebhookAttempts } from './webhook-attempts.js';
import { WebhookChanges } from './webhook-changes.js';
import { WebhookChores, WebhookUpkeep } from './webhook-upkeep.js';
import { WebhookDeliveries } from './webhook-deliveries.js';
import { WebhookDirectory } from './webhook-directory.js';
import { WEBHOOK_HTTP, WebhookRequests } from './webhook-requests.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { WebhookSender } from './webhook-sender.js';
import { WebhookStates } from './webhook-states.js';
import { WebhookMetrics } from './webhook.metrics.js';
import { WebhookSettings } from './webhook.settings.js';
import { Webhooks } from './webhooks.js';

/** Webhooks: every process announces and delivers. Needs runs, budgets and the outbox from global modules. */
@Global()
@Module({
  imports: [SessionModule],
  providers: [
    { provide: WebhookStore, useClass: TypeOrmWebhookStore },
    { provide: DeliveryStore, useClass: TypeOrmDeliveryStore },
    {
      provide: WEBHOOK_HTTP,
      useFactory: (settings: WebhookSettings) => new OutgoingHttp(settings, { allowedBy: 'WEBHOOK_ALLOWED_NETWORKS' }),
      inject: [WebhookSettings],
    },
    Announcements,
    BudgetAnnouncements,
    RunAnnouncements,
    WebhookAttempts,
    WebhookChanges,
    WebhookChores,
    WebhookDeliveries,
    WebhookDirectory,
    WebhookMetrics,
    WebhookRequests,
    Webhooks,
    WebhookSecrets,
    WebhookSender,
    WebhookStates,
    WebhookUpkeep,
  ],
  exports: [Announcements, WebhookDeliveries, WebhookDirectory, Webhooks],
})
export class WebhooksModule {
  /** @param mayBeLocal whether events may go to this machine */
  static forRoot(mayBeLocal: boolean): DynamicModule {
    const addresses = {
      provide: WebhookAddresses,
      useFactory: (settings: WebhookSettings) => new WebhookAddresses(settings, mayBeLocal),
      inject: [WebhookSettings],
    };
    return { module: WebhooksModule, providers: [addresses] };
  }

  constructor(cleaners: SessionCleaners, users: UserCleaners, exporters: UserExporters, deliveries: DeliveryStore) {
    exporters.register(DELIVERY_EXPORT);
    users.register({
      cleanUser: async ({ user, write }) => {
        await write(async (tx) => ({ webhookDeliveries: await deliveries.removeOfUser(tx, user) }));
      },
    });
    cleaners.register({
      cleanSession: async (tx, { rowId: sessionRowId }) => {
        await deliveries.removeOfRuns(tx, { sessionRowId });
        return undefined;
      },
      cleanRun: async (tx, { rowId: runRowId }) => {
        await deliveries.removeOfRuns(tx, { runRowId });
        return undefined;
      },
    });
  }
}

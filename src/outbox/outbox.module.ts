import { Global, Module } from '@nestjs/common';
import { UserCleaners, UserExporters } from '../data-protection/index.js';
import { OutgoingModule } from '../outgoing/index.js';
import { SessionCleaners, SessionModule } from '../agent/session/index.js';
import { TypeOrmOutboxStore } from './adapters/typeorm-outbox-store.js';
import { DeliveryAttempts } from './delivery-attempts.js';
import { Outbox } from './outbox.js';
import { OUTBOX_EXPORT } from './outbox-export.js';
import { OutboxGauges } from './outbox-gauges.metrics.js';
import { OutboxMetrics } from './outbox.metrics.js';
import { OutboxStore } from './ports/outbox-store.js';
import { SealedSecrets } from './sealed-secrets.js';

/** The outbox: every process writes to it, those with a channel send from it. Needs `RunCauses` from a global module. */
@Global()
@Module({
  imports: [OutgoingModule, SessionModule],
  providers: [
    { provide: OutboxStore, useClass: TypeOrmOutboxStore },
    DeliveryAttempts,
    Outbox,
    OutboxGauges,
    OutboxMetrics,
    SealedSecrets,
  ],
  exports: [Outbox, OutboxMetrics, OutboxStore, SealedSecrets],
})
export class OutboxModule {
  constructor(cleaners: SessionCleaners, users: UserCleaners, exporters: UserExporters, store: OutboxStore) {
    exporters.register(OUTBOX_EXPORT);
    if (!(store instanceof TypeOrmOutboxStore)) return;
    cleaners.register(store);
    users.register(store);
  }
}

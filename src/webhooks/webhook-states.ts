import { Injectable, Logger } from '@nestjs/common';
import { Clock, SERVER_ORIGIN } from '../common/index.js';
import { WebhookStore } from './ports/webhook-store.js';
import { WebhookChanges } from './webhook-changes.js';
import type { Webhook } from './webhook.types.js';

/** The changes that the server itself makes to endpoints. */
@Injectable()
export class WebhookStates {
  private readonly logger = new Logger('Webhooks');

  constructor(
    private readonly store: WebhookStore,
    private readonly changes: WebhookChanges,
    private readonly clock: Clock,
  ) {}

  /** The receiver has accepted an event. Recorded once a minute. */
  async succeeded({ rowId, lastSuccessAt }: Webhook): Promise<void> {
    const now = this.clock.now();
    if (lastSuccessAt === null || lastSuccessAt < now - 60_000) await this.store.succeeded(rowId, now);
  }

  /** Disables an endpoint. @param reason a sentence for its administrators */
  async disable({ id, tenantId, rowId }: Webhook, reason: string): Promise<void> {
    const isChanged = await this.changes.write(async (tx) => {
      const webhook = await this.store.findForUpdate(tx, tenantId, id);
      if (webhook?.enabled !== true) return false;
      await this.store.update(tx, rowId, { enabled: false, disabledReason: reason });
      await this.changes.record(tx, 'webhook.disabled', webhook, SERVER_ORIGIN, { reason });
      return true;
    });
    if (isChanged) this.logger.warn(`The webhook ${id} of the tenant ${tenantId} is disabled: ${reason}`);
  }
}

import { Injectable } from '@nestjs/common';
import { Chores } from '../chores/index.js';
import { Clock } from '../common/index.js';
import { DAY_MS } from '../config/index.js';
import { DeliveryStore, type Waiting } from './ports/delivery-store.js';
import { type WebhookChanges as ChangedFields, WebhookStore } from './ports/webhook-store.js';
import { WebhookChanges } from './webhook-changes.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { WebhookStates } from './webhook-states.js';
import { WebhookSettings } from './webhook.settings.js';

/** Deliveries that may wait for one tenant. */
const MOST_WAITING = 100_000;

/** The upkeep of all endpoints. */
@Injectable()
export class WebhookUpkeep {
  constructor(
    private readonly store: WebhookStore,
    private readonly deliveries: DeliveryStore,
    private readonly states: WebhookStates,
    private readonly changes: WebhookChanges,
    private readonly secrets: WebhookSecrets,
  ) {}

  /** Disables endpoints that have accepted nothing since a time although events were sent. */
  async disableDead(before: number): Promise<void> {
    for (const webhook of await this.store.dead(before))
      await this.states.disable(webhook, 'The receiver took nothing for three days, and deliveries failed');
  }

  /** Disables endpoints of tenants that have too many waiting deliveries, the fullest first, until few enough wait. */
  async disableOverfull(most = MOST_WAITING): Promise<void> {
    const waiting = await this.deliveries.waiting();
    for (const tenantId of new Set(waiting.map((one) => one.tenantId))) {
      const fullest = tooMany(
        waiting.filter((one) => one.tenantId === tenantId),
        most,
      );
      if (fullest.size === 0) continue;
      const webhooks = (await this.store.list(tenantId)).filter(({ rowId }) => fullest.has(rowId));
      for (const webhook of webhooks)
        await this.states.disable(
          webhook,
          `More than ${most} events of the tenant waited, most of them for this webhook`,
        );
    }
  }

  /** Seals secrets with the newest key, so that older keys may be removed. */
  async resealAll(): Promise<void> {
    for (const { id, tenantId, rowId } of await this.store.enabled()) {
      const webhook = await this.store.secretsOf(rowId);
      if (!webhook || !this.isOld(id, webhook.secret)) continue;
      await this.changes.write(async (tx) => {
        const current = await this.store.findForUpdate(tx, tenantId, id);
        if (current) await this.store.update(tx, rowId, this.resealed(id, current));
      });
    }
  }

  private isOld(id: string, secret: string): boolean {
    return this.secrets.resealed(id, secret) !== undefined;
  }

  private resealed(id: string, { secret, oldSecret }: { secret: string; oldSecret: string | null }): ChangedFields {
    const newer = this.secrets.resealed(id, secret);
    const older = oldSecret === null ? undefined : this.secrets.resealed(id, oldSecret);
    return { ...(newer !== undefined && { secret: newer }), ...(older !== undefined && { oldSecret: older }) };
  }
}

/** The endpoints to give up, the fullest first. */
function tooMany(waiting: readonly Waiting[], most: number): ReadonlySet<number> {
  const fullest = new Set<number>();
  let left = waiting.reduce((sum, { count }) => sum + count, 0);
  for (const { webhookRowId, count } of [...waiting].sort((one, other) => other.count - one.count)) {
    if (left <= most) break;
    fullest.add(webhookRowId);
    left -= count;
  }
  return fullest;
}

const EVERY_MS = 60_000;
/** After so long without a success, an endpoint with failed deliveries is disabled. */
const DEAD_MS = 3 * DAY_MS;

/** The chore of webhooks: old deliveries, endpoints that are dead or have too much waiting, secrets under old keys. */
@Injectable()
export class WebhookChores {
  constructor(
    private readonly deliveries: DeliveryStore,
    private readonly upkeep: WebhookUpkeep,
    private readonly settings: WebhookSettings,
    private readonly clock: Clock,
    chores: Chores,
  ) {
    chores.register({ name: 'webhooks', everyMs: EVERY_MS, work: () => this.tidy() });
  }

  /** @throws the driver's error */
  async tidy(): Promise<void> {
    const now = this.clock.now();
    await this.deliveries.prune(now - this.settings.retentionMs);
    await this.upkeep.disableDead(now - DEAD_MS);
    await this.upkeep.disableOverfull();
    await this.upkeep.resealAll();
  }
}

import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppError, Clock } from '../common/index.js';
import { Announcements } from './announcements.js';
import { DeliveryStore } from './ports/delivery-store.js';
import { WebhookStore } from './ports/webhook-store.js';
import { WebhookChanges } from './webhook-changes.js';
import type { DeliveryStatus, Webhook, WebhookDelivery } from './webhook.types.js';

const CURSOR = /^[1-9]\d{0,9}$/;
const DELIVERY_ID = /^msg_[\w-]{1,60}$/;

/** One page of deliveries, newest first. */
export interface DeliveryPage {
  readonly items: readonly WebhookDelivery[];
  readonly nextCursor: string | null;
}

/** What was announced to the endpoints of a tenant (contract hooks, section A4). */
@Injectable()
export class WebhookDeliveries {
  constructor(
    private readonly webhooks: WebhookStore,
    private readonly store: DeliveryStore,
    private readonly announcements: Announcements,
    private readonly changes: WebhookChanges,
    private readonly clock: Clock,
  ) {}

  /** @throws AppError WEBHOOK_NOT_FOUND, INVALID_PARAMETER for an unknown cursor */
  async list(
    tenantId: string,
    webhookId: string,
    query: { readonly status?: DeliveryStatus; readonly limit: number; readonly cursor?: string },
  ): Promise<DeliveryPage> {
    const { status, limit, cursor } = query;
    if (cursor !== undefined && !CURSOR.test(cursor)) throw new AppError('INVALID_PARAMETER', 'Unknown cursor');
    const { rowId } = await this.webhook(tenantId, webhookId);
    const before = cursor === undefined ? undefined : Number(cursor);
    const rows = await this.store.list(rowId, { status, limit: limit + 1, before });
    const last = rows[limit - 1];
    return { items: rows.slice(0, limit), nextCursor: rows.length > limit && last ? String(last.rowId) : null };
  }

  /** Sends a delivery again, with the same id. @throws AppError WEBHOOK_NOT_FOUND, DELIVERY_NOT_FOUND, WEBHOOK_DISABLED */
  async redeliver(tenantId: string, webhookId: string, id: string): Promise<WebhookDelivery> {
    const webhook = await this.enabled(tenantId, webhookId);
    const isThere =
      DELIVERY_ID.test(id) && (await this.changes.writeDeliveries((tx) => this.store.repeat(tx, webhook.rowId, id)));
    return this.found(webhook, isThere ? id : '');
  }

  /** Sends an event without content. @throws AppError WEBHOOK_NOT_FOUND, WEBHOOK_DISABLED */
  async test(tenantId: string, webhookId: string): Promise<WebhookDelivery> {
    const webhook = await this.enabled(tenantId, webhookId);
    const at = this.clock.now();
    const event = { tenantId, type: 'endpoint.test', cause: [randomUUID()], data: {}, at } as const;
    await this.changes.writeDeliveries((tx) => this.announcements.announceTo(tx, webhook, event));
    const [newest] = await this.store.list(webhook.rowId, { limit: 1 });
    return this.found(webhook, newest?.id ?? '');
  }

  private async webhook(tenantId: string, id: string): Promise<Webhook> {
    const webhook = /^wh_\w{1,60}$/.test(id) ? await this.webhooks.find(tenantId, id) : undefined;
    if (!webhook) throw new AppError('WEBHOOK_NOT_FOUND');
    return webhook;
  }

  private async enabled(tenantId: string, id: string): Promise<Webhook> {
    const webhook = await this.webhook(tenantId, id);
    if (!webhook.enabled) throw new AppError('WEBHOOK_DISABLED');
    return webhook;
  }

  private async found({ rowId }: Webhook, id: string): Promise<WebhookDelivery> {
    const delivery = id === '' ? undefined : await this.store.find(rowId, id);
    if (!delivery) throw new AppError('DELIVERY_NOT_FOUND');
    return delivery;
  }
}

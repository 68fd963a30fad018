import { Injectable } from '@nestjs/common';
import {
  Database,
  lockRows,
  queryable,
  type Transaction,
  WebhookDeliveryEntity,
  WebhookEntity,
} from '../../database/index.js';
import { type NewWebhook, type WebhookChanges, WebhookStore } from '../ports/webhook-store.js';
import type { SealedWebhookSecrets, Webhook } from '../webhook.types.js';
import { columnsOf, secretWebhookOf, webhookOf } from './webhook.row.js';

/** How exact the time of the last success is, in milliseconds. */
const SUCCESS_EVERY_MS = 60_000;

/** Endpoints in the server's database. */
@Injectable()
export class TypeOrmWebhookStore extends WebhookStore {
  constructor(private readonly database: Database) {
    super();
  }

  async insert(tx: Transaction, webhook: NewWebhook): Promise<void> {
    const { id, tenantId, createdAt, secret, ...fields } = webhook;
    const { manager } = queryable(tx);
    const columns = { ...columnsOf(fields), id, tenantId, createdAt, secret, enabledAt: createdAt };
    await manager.insert(WebhookEntity, columns);
  }

  async countForUpdate(tx: Transaction, tenantId: string): Promise<number> {
    const { manager, dialect } = queryable(tx);
    // Two additions at once must not both be the twentieth. SQLite has one writer.
    if (dialect === 'postgres')
      await manager.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`parley webhooks ${tenantId}`]);
    return manager.countBy(WebhookEntity, { tenantId });
  }

  async list(tenantId: string): Promise<readonly Webhook[]> {
    const rows = await this.database.read.manager.find(WebhookEntity, { where: { tenantId }, order: { rowId: 'ASC' } });
    return rows.map(webhookOf);
  }

  async find(tenantId: string, id: string): Promise<Webhook | undefined> {
    const row = await this.database.read.manager.findOneBy(WebhookEntity, { tenantId, id });
    return row ? webhookOf(row) : undefined;
  }

  async findForUpdate(
    tx: Transaction,
    tenantId: string,
    id: string,
  ): Promise<(Webhook & SealedWebhookSecrets) | undefined> {
    await lockRows(queryable(tx), 'webhooks WHERE tenant_id = ? AND id = ?', [tenantId, id], { key: 'no' });
    const row = await queryable(tx).manager.findOneBy(WebhookEntity, { tenantId, id });
    return row ? secretWebhookOf(row) : undefined;
  }

  async secretsOf(rowId: number): Promise<SealedWebhookSecrets | undefined> {
    const row = await this.database.read.manager.findOneBy(WebhookEntity, { rowId });
    return row ? secretWebhookOf(row) : undefined;
  }

  async update(tx: Transaction, rowId: number, changes: WebhookChanges): Promise<void> {
    const { secret, oldSecret, oldSecretUntil, disabledReason, enabledAt, ...fields } = changes;
    const columns = {
      ...columnsOf(fields),
      ...defined({ secret, oldSecret, oldSecretUntil, disabledReason, enabledAt }),
      revision: () => 'revision + 1',
    };
    await queryable(tx).manager.update(WebhookEntity, { rowId }, columns);
  }

  async remove(tx: Transaction, rowId: number): Promise<void> {
    const { manager } = queryable(tx);
    await manager.delete(WebhookDeliveryEntity, { webhookRowId: rowId });
    await manager.delete(WebhookEntity, { rowId });
  }

  async succeeded(rowId: number, at: number): Promise<void> {
    await this.database.forRuns.write((tx) =>
      tx.manager
        .createQueryBuilder()
        .update(WebhookEntity)
        .set({ lastSuccessAt: at })
        .where('no = :rowId AND (last_success_at IS NULL OR last_success_at < :before)', {
          rowId,
          before: at - SUCCESS_EVERY_MS,
        })
        .execute(),
    );
  }

  /**
   * Numbers only grow: if the greatest one is the same, none was added; then, if there are as many, none was removed; then
   * equal sums of the revisions mean that none was changed.
   */
  async version(withinMs = 0): Promise<string> {
    const row = await this.database.looks.soon<{
      last: number | null;
      count: number;
      sum: number | null;
    }>('SELECT MAX(no) AS last, COUNT(*) AS count, SUM(revision) AS sum FROM webhooks', [], withinMs);
    const [{ last, count, sum } = { last: null, count: 0, sum: null }] = row;
    return last === null ? '' : `${last} ${count} ${sum}`;
  }

  async enabled(): Promise<readonly Webhook[]> {
    const rows = await this.database.read.manager.find(WebhookEntity, {
      where: { enabled: 1 },
      order: { rowId: 'ASC' },
    });
    return rows.map(webhookOf);
  }

  async dead(before: number): Promise<readonly Webhook[]> {
    const rows = await this.database.read.manager
      .createQueryBuilder(WebhookEntity, 'w')
      .where('w.enabled = 1 AND w.enabled_at < :before', { before })
      .andWhere('(w.last_success_at IS NULL OR w.last_success_at < :before)', { before })
      .andWhere((query) => {
        const failed = query
          .subQuery()
          .select('1')
          .from(WebhookDeliveryEntity, 'd')
          .where(`d.webhook_no = w.no AND d.status = 'failed' AND d.ended_at >= w.enabled_at`);
        return `EXISTS ${failed.getQuery()}`;
      })
      .getMany();
    return rows.map(webhookOf);
  }
}

function defined<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}

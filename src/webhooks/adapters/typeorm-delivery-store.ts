import { Injectable } from '@nestjs/common';
import { In, LessThan } from 'typeorm';
import type { Principal } from '../../common/index.js';
import {
  type ContentSeals,
  Database,
  DATABASE_NOW,
  deliveryPlace,
  lockRows,
  type Queryable,
  queryable,
  readable,
  RunEntity,
  type Transaction,
  WebhookDeliveryEntity,
  WebhookEntity,
} from '../../database/index.js';
import {
  type AttemptResult,
  type ClaimedDeliveries,
  type DeliveryQuery,
  DeliveryStore,
  type Waiting,
} from '../ports/delivery-store.js';
import type { DeliveryAttempt, DeliveryStatus, NewDelivery, WebhookDelivery } from '../webhook.types.js';
import { secretWebhookOf } from './webhook.row.js';

/** The newest attempts that are kept of a delivery. */
const MOST_ATTEMPTS = 20;
/** Characters that are kept of an answer. */
const MOST_TEXT = 1024;

/**
 * The endpoints for which something is due: jumps from one to the next in the index, whatever the number of deliveries.
 * TypeORM's query builder has no recursive expression over itself.
 */
const DUE_WEBHOOKS = `
  WITH RECURSIVE w(no) AS (
    SELECT MIN(webhook_no) FROM webhook_deliveries WHERE status = 'waiting'
    UNION ALL
    SELECT (SELECT MIN(d.webhook_no) FROM webhook_deliveries d WHERE d.status = 'waiting' AND d.webhook_no > w.no)
    FROM w WHERE w.no IS NOT NULL)
  SELECT no FROM w WHERE EXISTS (
    SELECT 1 FROM webhook_deliveries d WHERE d.webhook_no = w.no AND d.status = 'waiting' AND d.due_at <= {now})`;

/** Deliveries in the server's database. */
@Injectable()
export class TypeOrmDeliveryStore extends DeliveryStore {
  private readonly now: string;
  private lastWriteAt = -Infinity;

  constructor(private readonly database: Database) {
    super();
    this.now = DATABASE_NOW[database.dialect];
  }

  get quietMs(): number {
    return performance.now() - this.lastWriteAt;
  }

  async insert(tx: Transaction, deliveries: readonly NewDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    this.lastWriteAt = performance.now();
    const values: NewDelivery[] = [];
    for (const delivery of deliveries) {
      const seal = await this.database.content.of(delivery.tenantId, queryable(tx));
      values.push({ ...delivery, body: seal.json(deliveryPlace(delivery.id), delivery.body) });
    }
    await queryable(tx)
      .manager.createQueryBuilder()
      .insert()
      .into(WebhookDeliveryEntity)
      .values(values)
      .orIgnore()
      .updateEntity(false)
      .execute();
  }

  async agentOf(tx: Transaction, rowId: number): Promise<string | undefined> {
    const run = await queryable(tx).manager.findOne(RunEntity, { select: { agentType: true }, where: { rowId } });
    return run?.agentType;
  }

  async dueWebhooks(withinMs: number): Promise<readonly number[]> {
    const sql = DUE_WEBHOOKS.replace('{now}', this.now);
    const rows = await this.database.looks.soon<{ no: number }>(sql, [], withinMs);
    return rows.map(({ no }) => no);
  }

  async claim(
    webhookRowId: number,
    { leaseMs, inFlight }: { readonly leaseMs: number; readonly inFlight: number },
  ): Promise<ClaimedDeliveries | undefined> {
    const isDue = `d.webhook_no = :webhookRowId AND d.status = 'waiting' AND d.due_at <= ${this.now}`;
    // Reads before it takes the write lock: what waits is usually not due yet.
    const some = await this.database.forRuns.readUnsynced.all(
      `SELECT 1 AS yes FROM webhook_deliveries d WHERE d.webhook_no = ? AND d.status = 'waiting'
       AND d.due_at <= ${this.now} LIMIT 1`,
      [webhookRowId],
    );
    if (some.length === 0) return undefined;
    return this.database.forRuns.write(async (tx) => {
      const { manager } = tx;
      // Whoever has the endpoint takes what is due: the number in flight is that of all processes.
      const isMine = await lockRows(tx, 'webhooks WHERE no = ?', [webhookRowId], { key: 'no', skipLocked: true });
      if (isMine.length === 0) return undefined;
      const row = await manager.findOneBy(WebhookEntity, { rowId: webhookRowId });
      if (row?.enabled !== 1) return undefined;
      const deliveries = manager.createQueryBuilder(WebhookDeliveryEntity, 'd');
      const taken = await deliveries
        .where(`d.webhook_no = :webhookRowId AND d.status = 'waiting' AND d.leased_until > ${this.now}`, {
          webhookRowId,
        })
        .getCount();
      const room = inFlight - taken;
      if (room <= 0) return undefined;
      const due = await manager
        .createQueryBuilder(WebhookDeliveryEntity, 'd')
        .where(isDue, { webhookRowId })
        .orderBy('d.due_at')
        .addOrderBy('d.no')
        .limit(room)
        .getMany();
      if (due.length === 0) return undefined;
      const until = (): string => `${this.now} + ${leaseMs}`;
      await manager
        .createQueryBuilder()
        .update(WebhookDeliveryEntity)
        .set({ leasedUntil: until, dueAt: until })
        .whereInIds(due.map(({ rowId }) => rowId))
        .execute();
      const { content } = this.database;
      const opened = await readable(content, due, (one) => deliveryOf(one, content));
      await this.failUnreadable(tx, due, opened);
      return { webhook: secretWebhookOf(row), deliveries: opened };
    });
  }

  async record(delivery: WebhookDelivery, { status, pauseMs = 0, attempt }: AttemptResult): Promise<void> {
    const { rowId, attempts, log } = delivery;
    const kept = [...log, { ...attempt, text: storable(attempt.text).slice(0, MOST_TEXT) }].slice(-MOST_ATTEMPTS);
    await this.database.forRuns.write(({ manager }) =>
      manager
        .createQueryBuilder()
        .update(WebhookDeliveryEntity)
        .set({
          status,
          attempts: attempts + 1,
          attemptLog: JSON.stringify(kept),
          leasedUntil: null,
          dueAt: () => `${this.now} + ${Math.round(pauseMs)}`,
          endedAt: status === 'waiting' ? null : attempt.at,
        })
        .where(`no = :rowId AND status = 'waiting' AND attempts = :attempts`, { rowId, attempts })
        .execute(),
    );
  }

  async list(webhookRowId: number, { status, limit, before }: DeliveryQuery): Promise<readonly WebhookDelivery[]> {
    const rows = await this.database.read.manager.find(WebhookDeliveryEntity, {
      where: {
        webhookRowId,
        ...(status !== undefined && { status }),
        ...(before !== undefined && { rowId: LessThan(before) }),
      },
      order: { rowId: 'DESC' },
      take: limit,
    });
    return this.opened(rows);
  }

  async find(webhookRowId: number, id: string): Promise<WebhookDelivery | undefined> {
    const row = await this.database.read.manager.findOneBy(WebhookDeliveryEntity, { webhookRowId, id });
    return row ? (await this.opened([row]))[0] : undefined;
  }

  async repeat(tx: Transaction, webhookRowId: number, id: string): Promise<boolean> {
    this.lastWriteAt = performance.now();
    const { affected } = await queryable(tx)
      .manager.createQueryBuilder()
      .update(WebhookDeliveryEntity)
      .set({ status: 'waiting', attempts: 0, dueAt: 0, leasedUntil: null, endedAt: null })
      .where('webhook_no = :webhookRowId AND id = :id', { webhookRowId, id })
      .execute();
    return affected === 1;
  }

  async waiting(): Promise<readonly Waiting[]> {
    const rows = await this.database.read.manager
      .createQueryBuilder(WebhookDeliveryEntity, 'd')
      .innerJoin(WebhookEntity, 'w', 'w.no = d.webhook_no AND w.enabled = 1')
      .select('d.tenant_id', 'tenantId')
      .addSelect('d.webhook_no', 'webhookRowId')
      .addSelect('COUNT(*)', 'count')
      .where(`d.status = 'waiting'`)
      .groupBy('d.tenant_id')
      .addGroupBy('d.webhook_no')
      .getRawMany<Waiting>();
    return rows.map(({ tenantId, webhookRowId, count }) => ({ tenantId, webhookRowId, count: Number(count) }));
  }

  async oldestWaiting(): Promise<number | undefined> {
    const row = await this.database.read.manager
      .createQueryBuilder(WebhookDeliveryEntity, 'd')
      .innerJoin(WebhookEntity, 'w', 'w.no = d.webhook_no AND w.enabled = 1')
      .select('MIN(d.created_at)', 'oldest')
      .where(`d.status = 'waiting'`)
      .getRawOne<{ oldest: number | string | null }>();
    const oldest = row?.oldest ?? undefined;
    return oldest === undefined ? undefined : Number(oldest);
  }

  async prune(createdBefore: number): Promise<void> {
    await this.database.write((tx) => tx.manager.delete(WebhookDeliveryEntity, { createdAt: LessThan(createdBefore) }));
  }

  async removeOfUser(tx: Transaction, { tenantId, userId }: Principal): Promise<number> {
    return (await queryable(tx).manager.delete(WebhookDeliveryEntity, { tenantId, userId })).affected ?? 0;
  }

  async removeOfRuns(
    tx: Transaction,
    of: { readonly sessionRowId: number } | { readonly runRowId: number },
  ): Promise<void> {
    const { manager } = queryable(tx);
    if ('runRowId' in of) {
      await manager.delete(WebhookDeliveryEntity, { runRowId: of.runRowId });
      return;
    }
    const removal = manager.createQueryBuilder().delete().from(WebhookDeliveryEntity);
    const runs = manager
      .createQueryBuilder()
      .subQuery()
      .select('r.no')
      .from(RunEntity, 'r')
      .where('r.session_no = :session');
    await removal.where(`run_no IN ${runs.getQuery()}`, { session: of.sessionRowId }).execute();
  }

  /** Ends what cannot be decrypted: it would take the place of others again and again. */
  private async failUnreadable(
    { manager }: Queryable,
    due: readonly WebhookDeliveryEntity[],
    read: readonly WebhookDelivery[],
  ): Promise<void> {
    const readIds = new Set(read.map(({ rowId }) => rowId));
    const lost = due.flatMap(({ rowId }) => (readIds.has(rowId) ? [] : [rowId]));
    if (lost.length === 0) return;
    const ended = { status: 'failed', leasedUntil: null, endedAt: Date.now() } as const;
    await manager.update(WebhookDeliveryEntity, { rowId: In(lost) }, ended);
  }

  private opened(
    rows: readonly WebhookDeliveryEntity[],
  ): readonly WebhookDelivery[] | Promise<readonly WebhookDelivery[]> {
    const { content } = this.database;
    return content.reading(() => rows.map((row) => deliveryOf(row, content)));
  }
}

/** @throws UnreadableContent */
function deliveryOf(row: WebhookDeliveryEntity, content: ContentSeals): WebhookDelivery {
  const body = content.json(row.tenantId, deliveryPlace(row.id), row.body);
  const { rowId, id, type, runId, traceparent, attempts, dueAt, createdAt, endedAt, attemptLog } = row;
  const status = row.status as DeliveryStatus;
  const log = attemptLog === null ? [] : (JSON.parse(attemptLog) as DeliveryAttempt[]);
  return { rowId, id, type, runId, traceparent, body, status, attempts, dueAt, createdAt, endedAt, log };
}

/** Bytes of strangers as a text that both databases store. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

import { Injectable } from '@nestjs/common';
import { type AuditAction, AuditTrail } from '../audit/index.js';
import type { JsonObject, Origin } from '../common/index.js';
import { type Transaction, UnitOfWork } from '../database/index.js';
import { WebhookDirectory } from './webhook-directory.js';

/** Transactions that change endpoints. */
@Injectable()
export class WebhookChanges {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly directory: WebhookDirectory,
    private readonly trail: AuditTrail,
  ) {}

  /** One atomic write. This process knows of it when it resolves, others within ten seconds. */
  async write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const value = await this.unitOfWork.write(work);
    await this.directory.read();
    return value;
  }

  /** Writes a change into the audit trail, in its transaction. */
  record(
    tx: Transaction,
    action: AuditAction,
    { tenantId, id }: { readonly tenantId: string; readonly id: string },
    by: Origin,
    details: JsonObject = {},
  ): Promise<void> {
    return this.trail.write(tx, { tenantId, action, by, subject: { kind: 'webhook', id }, details });
  }

  /** One atomic write that changes no endpoint. */
  writeDeliveries<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.unitOfWork.write(work);
  }
}

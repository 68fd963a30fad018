import { Injectable } from '@nestjs/common';
import { type AuditAction, AuditTrail } from '../audit/index.js';
import type { JsonObject, Origin } from '../common/index.js';
import { type Transaction, UnitOfWork } from '../database/index.js';
import type { Schedule } from './schedule.types.js';

/** Transactions that change schedules, with their lines in the audit trail. */
@Injectable()
export class ScheduleTransactions {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly trail: AuditTrail,
  ) {}

  /** One atomic write. */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.unitOfWork.write(work);
  }

  /** Writes a change into the audit trail, in its transaction. */
  record(
    tx: Transaction,
    action: AuditAction,
    { tenantId, id, agent }: Pick<Schedule, 'tenantId' | 'id' | 'agent'>,
    by: Origin,
    details: JsonObject = {},
  ): Promise<void> {
    const subject = { kind: 'schedule', id } as const;
    return this.trail.write(tx, { tenantId, action, by, subject, details: { ...details, agent } });
  }
}

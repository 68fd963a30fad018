import { Injectable } from '@nestjs/common';
import { canonicalJson, Clock, isUserKind } from '../common/index.js';
import { type Transaction, UnitOfWork } from '../database/index.js';
import type { AuditAct } from './audit-act.js';
import { AuditMetrics } from './audit.metrics.js';
import { AuditLog, type NewLine } from './ports/audit-log.js';

/** Writes the audit trail (contract access, section 8). */
@Injectable()
export class AuditTrail {
  private lastWriteAt = -Infinity;

  constructor(
    private readonly log: AuditLog,
    private readonly unitOfWork: UnitOfWork,
    private readonly metrics: AuditMetrics,
    private readonly clock: Clock,
  ) {}

  /** How long ago this process has written its last line, in milliseconds; it may not be committed yet. */
  get quietMs(): number {
    return this.clock.monotonic() - this.lastWriteAt;
  }

  /**
   * Writes a line in the transaction of its act: both are committed, or neither is.
   *
   * @throws the driver's error: the act must fail then
   */
  async write(tx: Transaction, act: AuditAct): Promise<void> {
    this.lastWriteAt = this.clock.monotonic();
    await this.log.append(tx, lineFor(act, act.at ?? this.clock.now()), act.content);
    this.metrics.lines.with(act.action).add();
  }

  /** Writes lines of acts that change nothing else, in a transaction of their own. @throws the driver's error */
  async record(...acts: readonly AuditAct[]): Promise<void> {
    await this.unitOfWork.write(async (tx) => {
      for (const act of acts) await this.write(tx, act);
    });
  }

  /**
   * As `record`, unless a line was written under the same mark before, by whichever process.
   *
   * @param mark.id at most 36 characters
   * @param mark.expiresAt until when it is remembered, in milliseconds since the epoch
   */
  async recordOnce(mark: { readonly id: string; readonly expiresAt: number }, act: AuditAct): Promise<void> {
    await this.unitOfWork.write(async (tx) => {
      if (await this.log.isFirst(tx, { ...mark, tenantId: act.tenantId })) await this.write(tx, act);
    });
  }
}

function lineFor(act: AuditAct, at: number): NewLine {
  const { actor, userId, requestId, network } = act.by;
  return {
    tenantId: act.tenantId,
    tenant: act.tenantId,
    at,
    action: act.action,
    outcome: act.outcome ?? 'done',
    actorKind: actor.kind,
    actorId: actor.id,
    isActorUser: isUserKind(actor.kind),
    actorAccount: actor.account ?? null,
    onBehalfOf: userId,
    subjectKind: act.subject?.kind ?? null,
    subjectId: act.subject?.id ?? null,
    runId: act.runId ?? null,
    interruptId: act.interruptId ?? null,
    callId: act.callId ?? null,
    toolName: act.toolName ?? null,
    requestId,
    network,
    details: canonicalJson(act.details ?? {}),
  };
}

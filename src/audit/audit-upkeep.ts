import { Injectable } from '@nestjs/common';
import { Chores } from '../chores/index.js';
import { canonicalJson, Clock, type JsonObject, SERVER_ORIGIN } from '../common/index.js';
import { HOUR_MS } from '../config/index.js';
import { UnitOfWork } from '../database/index.js';
import { Retention } from '../retention/index.js';
import type { AuditAct, AuditAction } from './audit-act.js';
import { lineOf, sealHash } from './audit-line.js';
import { AuditSealing } from './audit-sealing.js';
import { AuditSettings } from './audit.settings.js';
import { AuditTrail } from './audit-trail.js';
import { AuditChains } from './ports/audit-chains.js';
import { type OldEntry, OldEntries } from './ports/old-entries.js';

/** Lines that are removed in one transaction, after one line that tells of it. */
const PRUNED_AT_ONCE = 5000;
const MOVED_AT_ONCE = 500;
const MOVE_EVERY_MS = 60_000;

/** Removes old lines so that the chain goes on (contract access, section 8). */
@Injectable()
export class AuditRetention {
  constructor(
    private readonly chains: AuditChains,
    private readonly unitOfWork: UnitOfWork,
    private readonly settings: AuditSettings,
    private readonly retention: Retention,
    private readonly clock: Clock,
  ) {}

  /** Removes the beginnings of all chains that are older than their tenant keeps them. */
  async work(signal: AbortSignal): Promise<void> {
    const failures: unknown[] = [];
    for (const { tenantId } of await this.chains.list()) {
      try {
        const ms = await this.retention.of('audit', tenantId);
        if (ms === null) continue;
        const before = this.clock.now() - ms;
        while (!signal.aborted && (await this.prune(tenantId, before)) === PRUNED_AT_ONCE);
      } catch (error) {
        // A chain that somebody has damaged does not keep the others.
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  /**
   * Removes a beginning of a chain that is older than a time, after a sealed line that tells of it.
   *
   * @returns how many lines
   */
  async prune(tenantId: string, before: number, most = PRUNED_AT_ONCE): Promise<number> {
    return this.unitOfWork.write(
      async (tx) => {
        const now = this.clock.now();
        const chain = await this.chains.lock(tx, tenantId, now);
        const through = await this.chains.oldBeginning(tx, chain, before, most);
        if (!through) return 0;
        const count = through.seq - (chain.pruned?.seq ?? 0);
        const details = { throughSeq: through.seq, hash: through.hash, lines: count };
        const stored = { ...prunedLine(tenantId, now), details: canonicalJson(details) };
        const seq = chain.seq + 1;
        const line = lineOf({ ...stored, no: 0 }, seq);
        const [key] = this.settings.ring();
        if (!key || !line) throw new Error('The audit trail cannot be sealed');
        const no = await this.chains.addSealed(tx, tenantId, stored);
        await this.chains.seal(tx, chain, [{ seq, no, hash: sealHash(key, chain.hash, line), kid: key.kid }]);
        await this.chains.removeBeginning(tx, chain, through);
        return count;
      },
      undefined,
      `audit:${tenantId}`,
    );
  }
}

/** Moves entries of earlier versions into the audit trail, also those that they write while a newer one runs. */
@Injectable()
export class OldEntryMover {
  constructor(
    private readonly entries: OldEntries,
    private readonly unitOfWork: UnitOfWork,
    private readonly trail: AuditTrail,
  ) {}

  async work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.entries.exist())) {
      await this.unitOfWork.write(async (tx) => {
        for (const entry of await this.entries.take(tx, MOVED_AT_ONCE)) await this.trail.write(tx, actOf(entry));
      });
    }
  }
}

/** Registers what one of all instances does for the audit trail in each period. */
@Injectable()
export class AuditChores {
  constructor(chores: Chores, retention: AuditRetention, mover: OldEntryMover, sealing: AuditSealing) {
    chores.register({ name: 'audit-retention', everyMs: HOUR_MS, work: (signal) => retention.work(signal) });
    chores.register({ name: 'audit-move', everyMs: MOVE_EVERY_MS, work: (signal) => mover.work(signal) });
    chores.register({ name: 'audit-checkpoint', everyMs: HOUR_MS, work: () => sealing.logCheckpoints() });
  }
}

function prunedLine(tenant: string, at: number) {
  const action: AuditAction = 'audit.pruned';
  return {
    tenant,
    at,
    action,
    outcome: 'done',
    actorKind: SERVER_ORIGIN.actor.kind,
    actorId: SERVER_ORIGIN.actor.id,
    actorAccount: null,
    onBehalfOf: null,
    subjectKind: 'audit',
    subjectId: 'beginning',
    runId: null,
    interruptId: null,
    callId: null,
    toolName: null,
    requestId: null,
    network: null,
    payloadHash: null,
  };
}

const ENDINGS: Readonly<Record<string, AuditAction>> = {
  policy_denied: 'policy.denied',
  approved: 'approval.approved',
  denied: 'approval.denied',
  answered: 'input.answered',
};

/** An entry as the line that it would be today. Who decided was among its details. */
function actOf({ tenantId, userId, sessionId, argumentsHash, createdAt, details, ...entry }: OldEntry): AuditAct {
  const value = JSON.parse(details) as JsonObject;
  const kind = entry.toolName === null ? 'input' : 'approval';
  const action = ENDINGS[entry.action] ?? (`${kind}.${entry.action}` as AuditAction);
  return {
    tenantId,
    action,
    by: { ...SERVER_ORIGIN, userId },
    ...(entry.interruptId !== null && { subject: { kind: 'interrupt' as const, id: entry.interruptId } }),
    runId: entry.runId,
    interruptId: entry.interruptId,
    callId: entry.callId,
    toolName: entry.toolName,
    details: { earlier: true },
    content: { userId, value: { ...value, session_id: sessionId, arguments_hash: argumentsHash } },
    at: createdAt,
  };
}

import { Injectable } from '@nestjs/common';
import { Clock, isoTime } from '../common/index.js';
import { UnitOfWork } from '../database/index.js';
import { type Checkpoint, lineOf, sealHash, type StoredLine } from './audit-line.js';
import { AuditMetrics } from './audit.metrics.js';
import { AuditSettings } from './audit.settings.js';
import { AuditChains, type NewSeal, type StoredChain } from './ports/audit-chains.js';

/** Lines that are sealed in one transaction. */
const BATCH = 500;

/**
 * Seals lines after they are committed (contract access, section 8), so that no act waits for another's. Whoever seals holds the
 * lock of the chain, so every process may try; what one that is killed leaves behind, another seals.
 */
@Injectable()
export class AuditSealer {
  private sealing: Promise<void> | undefined;

  constructor(
    private readonly chains: AuditChains,
    private readonly unitOfWork: UnitOfWork,
    private readonly settings: AuditSettings,
    private readonly metrics: AuditMetrics,
    private readonly clock: Clock,
  ) {
    metrics.registry.gauge(
      {
        name: 'parley_audit_unsealed_seconds',
        help: 'How long the oldest line of the audit trail has waited for its seal, in all instances; 0 without one.',
      },
      async () => {
        const oldest = await chains.oldestWaiting();
        return oldest === undefined ? 0 : Math.max(0, clock.now() - oldest) / 1000;
      },
    );
  }

  /** Whether there is anything to seal. @param withinMs how long the answer may take @throws the driver's error */
  isAnyWaiting(withinMs: number): Promise<boolean> {
    return this.chains.isAnyWaiting(withinMs);
  }

  /** Seals every line that is committed when it is called. @throws the driver's error */
  async seal(): Promise<void> {
    await this.sealing;
    await (this.sealing = this.sealAll().finally(() => (this.sealing = undefined)));
  }

  /** The ends of all chains. */
  async checkpoints(): Promise<readonly Checkpoint[]> {
    const at = isoTime(this.clock.now());
    const chains = await this.chains.list();
    return chains.flatMap(({ id, seq, hash }) => (seq === 0 ? [] : [{ chain: id, seq, hash, at }]));
  }

  private async sealAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const tenantId of await this.chains.waiting()) {
      try {
        for (let isMore = true; isMore;) isMore = (await this.sealSome(tenantId)) === BATCH;
      } catch (error) {
        // A chain that somebody has damaged does not stop the others.
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Seals up to a batch of lines of one tenant. Returns how many. */
  private async sealSome(tenantId: string): Promise<number> {
    const count = await this.unitOfWork.write(
      async (tx) => {
        const chain = await this.chains.lock(tx, tenantId, this.clock.now());
        const lines = await this.chains.pending(tx, tenantId, BATCH);
        await this.chains.seal(tx, chain, this.sealsOf(chain, lines));
        return lines.length;
      },
      undefined,
      `audit:${tenantId}`,
    );
    this.metrics.sealed.add(count);
    return count;
  }

  private sealsOf(chain: StoredChain, lines: readonly StoredLine[]): readonly NewSeal[] {
    const [key] = this.settings.ring();
    if (!key) throw new Error('No key is configured for the audit trail');
    let { seq, hash } = chain;
    return lines.map((stored) => {
      const line = lineOf(stored, (seq += 1));
      if (!line) throw new Error(`The line ${stored.no} of the audit trail cannot be sealed: it is not readable`);
      hash = sealHash(key, hash, line);
      return { seq, hash, kid: key.kid, no: stored.no };
    });
  }
}

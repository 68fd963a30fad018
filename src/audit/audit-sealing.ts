import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../common/index.js';
import { AuditSealer } from './audit-sealer.js';
import { AuditTrail } from './audit-trail.js';
import { AuditMetrics } from './audit.metrics.js';
import { SampledActs } from './sampled-acts.js';

/** How often a process looks for lines that are to be sealed, in milliseconds: its own are within 2 s. */
const LOOK_MS = 1000;
/** So long after its last line a process looks each time: the transaction of a line may end later. */
const BUSY_MS = 5000;
/**
 * How often an idle process looks for lines of commands, and of processes that were killed, and how long such a look may wait
 * for others, in milliseconds: they are sealed within ten seconds.
 */
const IDLE_LOOK_MS = 7000;
const IDLE_WITHIN_MS = 1000;

/** Seals while a server runs, and notes the ends of the chains in the log. */
@Injectable()
export class AuditSealing implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('AuditTrail');
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  private idleLook: Promise<void> | undefined;
  private isFailing = false;
  private lookedAt = -Infinity;

  constructor(
    private readonly sealer: AuditSealer,
    private readonly metrics: AuditMetrics,
    private readonly sampled: SampledActs,
    private readonly trail: AuditTrail,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      if (this.trail.quietMs < BUSY_MS || this.isFailing) this.lookSoon();
      else if (this.clock.monotonic() - this.lookedAt >= IDLE_LOOK_MS)
        this.idleLook ??= this.lookIdly().finally(() => (this.idleLook = undefined));
    }, LOOK_MS).unref();
  }

  private lookSoon(): void {
    if (this.timer !== undefined) this.looking ??= this.look().finally(() => (this.looking = undefined));
  }

  private async lookIdly(): Promise<void> {
    try {
      const isAnyWaiting = await this.sealer.isAnyWaiting(IDLE_WITHIN_MS);
      this.lookedAt = this.clock.monotonic();
      if (isAnyWaiting) this.lookSoon();
    } catch (error) {
      this.failed(error);
    }
  }

  /** Seals what this process has written, and notes the ends of the chains. */
  async beforeApplicationShutdown(): Promise<void> {
    if (this.timer === undefined) return;
    clearInterval(this.timer);
    this.timer = undefined;
    await this.looking;
    await this.sampled.flush();
    await this.look();
    await this.logCheckpoints().catch((error: unknown) => this.failed(error));
  }

  /** Writes the ends of all chains into the log, which is kept elsewhere: what was sealed cannot be cut off unnoticed then. */
  async logCheckpoints(): Promise<void> {
    for (const checkpoint of await this.sealer.checkpoints())
      this.logger.log(`Audit checkpoint ${JSON.stringify(checkpoint)}`);
  }

  private async look(): Promise<void> {
    try {
      this.lookedAt = this.clock.monotonic();
      await this.sealer.seal();
      this.isFailing = false;
    } catch (error) {
      this.failed(error);
    }
  }

  /** Logged once, until it works again. */
  private failed(error: unknown): void {
    this.metrics.sealFailures.add();
    if (!this.isFailing) this.logger.error(`The audit trail cannot be sealed: ${String(error)}`);
    this.isFailing = true;
  }
}

import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/index.js';
import { RunTickets } from '../ports/run-tickets.js';
import { Executions } from './executions.js';
import { HeldRuns } from './held-runs.js';

/** How often queued runs are claimed by a sweep while tickets bring them, in milliseconds. */
const CLAIM_MS = 5000;
/** A run that waited for longer than this should have been brought by a ticket. */
const TICKET_MS = 2000;
/** Urgent tickets that are added at once. */
const URGENT = 256;

/** What a sweep does besides what it finds. */
export interface SweepOptions {
  /** Whether runs may be claimed. */
  readonly claims: boolean;
  /** Whether this process has been waiting for tickets for a time. */
  readonly hasWaited: (milliseconds: number) => boolean;
}

/**
 * Searches the ledger for what this process was not notified of: runs that wait, runs of lost processes, cancels.
 */
@Injectable()
export class LedgerSweep {
  /** Called when the lease of another worker has ended, unless it was renewed: its runs need not wait for the next period. */
  onLeaseEnd: () => void = () => undefined;
  private readonly logger = new Logger('Sweep');
  private working: Promise<void> | undefined;
  private again = false;
  /** When queued runs were last claimed, by the monotonic clock. */
  private claimedAt = -Infinity;
  private endTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly leases: HeldRuns,
    private readonly executions: Executions,
    private readonly tickets: RunTickets,
    private readonly clock: Clock,
  ) {}

  /** One sweep at a time; a call during a sweep causes another. Never throws. */
  run(options: SweepOptions): Promise<void> {
    if (this.working) this.again = true;
    else this.working = this.untilQuiet(options);
    return this.working;
  }

  /** Resolves when no sweep is going on. */
  async idle(): Promise<void> {
    await this.working;
  }

  /** `onLeaseEnd` is not called any more. */
  stop(): void {
    clearTimeout(this.endTimer);
  }

  private async untilQuiet(options: SweepOptions): Promise<void> {
    // The field must be set before the first sweep can end.
    await Promise.resolve();
    do {
      this.again = false;
      await this.once(options).catch((error: unknown) => this.logger.error(`A sweep failed: ${String(error)}`));
    } while (this.again);
    this.working = undefined;
  }

  /** Later ends are seen by later sweeps. */
  private awaitEnd(leftMs: number): void {
    clearTimeout(this.endTimer);
    if (leftMs < this.leases.sweepIntervalMs)
      this.endTimer = setTimeout(() => this.onLeaseEnd(), Math.max(0, leftMs) + 1);
  }

  private async once({ claims, hasWaited }: SweepOptions): Promise<void> {
    const found = await this.leases.sweep(this.executions.active);
    if (!claims) return;
    this.awaitEnd(found.nextEndMs);
    const isDue = this.clock.monotonic() - this.claimedAt >= CLAIM_MS;
    const isQueueWanted = found.isQueued && (isDue || !this.tickets.isLive);
    const waitsForTickets = hasWaited(TICKET_MS);
    const { claimed, isFull } = await this.leases.claim(found.isLost || isQueueWanted);
    for (const run of claimed) this.executions.begin(run);
    if (isFull) this.again = true;
    if (!isDue) return;
    this.claimedAt = this.clock.monotonic();
    const missedBefore = this.clock.now() - TICKET_MS;
    const missed = claimed.filter(({ fence, createdAt }) => fence === 1 && createdAt < missedBefore);
    if (waitsForTickets) this.tickets.noteMissed(missed.length);
    if (this.tickets.isLive && found.isQueued) await this.addUrgent();
  }

  /** A run that has waited for long gets a ticket that comes before others. */
  private async addUrgent(): Promise<void> {
    for (const ticket of await this.leases.longWaiting(URGENT)) this.tickets.add(ticket);
  }
}

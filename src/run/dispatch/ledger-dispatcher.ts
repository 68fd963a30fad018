import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { RunFeeds } from '../log/run-feeds.js';
import { Dispatcher, type StartedRun } from '../ports/dispatcher.js';
import type { Lease } from '../ports/run-leases.js';
import { Executions } from './executions.js';
import { HeldRuns } from './held-runs.js';
import { LedgerSweep } from './ledger-sweep.js';
import { TicketIntake } from './ticket-intake.js';

/**
 * Distributes runs over any number of processes on one ledger. A run starts where it was accepted if there is a free
 * slot. Otherwise a ticket tells a process that has one, and a sweep finds what no ticket has brought. Which process
 * gets a run is decided by one conditional update in the ledger.
 */
@Injectable()
export class LedgerDispatcher extends Dispatcher implements OnApplicationBootstrap, OnModuleDestroy {
  accepting = true;
  private draining = false;
  /** Other processes hand no runs to this one. */
  private leaving = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly leases: HeldRuns,
    private readonly executions: Executions,
    private readonly sweeps: LedgerSweep,
    private readonly intake: TicketIntake,
    private readonly feeds: RunFeeds,
  ) {
    super();
    executions.onFree = (isAwaited) => this.freed(isAwaited);
    sweeps.onLeaseEnd = () => void this.sweep();
  }

  /**
   * Joins the workers, and claims what an earlier process left before the first request is served.
   *
   * @throws as `WorkerLease.start`
   */
  async onApplicationBootstrap(): Promise<void> {
    await this.leases.start({
      load: () => ({ busy: this.executions.active.size, draining: this.leaving || !this.accepting }),
      lost: () => this.executions.stopAll('lost'),
    });
    await this.sweep();
    this.intake.start();
    this.timer = setInterval(() => void this.sweep(), this.leases.sweepIntervalMs);
  }

  /** Lets running runs finish for a while, hands the others over, then ends every reader. */
  async onModuleDestroy(): Promise<void> {
    this.accepting = false;
    await this.intake.stop();
    await this.executions.drain();
    clearInterval(this.timer);
    await this.sweeps.idle();
    this.sweeps.stop();
    await this.leases.stop();
    this.feeds.close();
  }

  async leave(): Promise<boolean> {
    this.leaving = true;
    const [hasPeers] = await Promise.all([this.leases.hasPeers(), this.leases.announce()]);
    return hasPeers;
  }

  hasPeers(): Promise<boolean> {
    return this.leases.hasPeers();
  }

  async drain(): Promise<void> {
    this.draining = true;
    await this.intake.stop();
    await this.sweeps.idle();
    await this.executions.handOver();
  }

  reserve(tenantId: string): Lease | undefined {
    if (this.draining) return undefined;
    return this.leases.reserve(tenantId);
  }

  unreserve(tenantId: string): void {
    this.freed(this.leases.free(tenantId));
  }

  doubt(runRowId: number): void {
    this.leases.doubt(runRowId);
    void this.sweep();
  }

  start(started: StartedRun): void {
    this.executions.begin(started.run, started);
  }

  wake(sessionRowId: number): void {
    void this.executions.offerNext(sessionRowId);
  }

  cancel(runRowId: number): boolean {
    return this.executions.stop(runRowId, 'cancel');
  }

  check(): void {
    void this.sweep();
  }

  private freed(isAwaited: boolean): void {
    if (isAwaited) void this.sweep();
    this.intake.wake();
  }

  private sweep(): Promise<void> {
    const hasWaited = (milliseconds: number): boolean => this.intake.hasWaited(milliseconds);
    return this.sweeps.run({ claims: this.accepting && !this.draining, hasWaited });
  }
}

import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { OverdueRuns } from '../end/overdue-runs.js';
import { RunControl, type StopKind } from '../execute/run-control.js';
import { type Execution, RunExecutor } from '../execute/run-executor.js';
import { RunFeeds } from '../log/run-feeds.js';
import { Dispatcher, type StartedRun } from '../ports/dispatcher.js';
import type { Lease } from '../ports/run-leases.js';
import type { WorkerLoad } from '../ports/worker-registry.js';
import type { RunRecord } from '../run-record.js';
import { RunSettings } from '../run.settings.js';
import { LeaseKeeper } from './lease-keeper.js';

/** How long agents may take to stop after the handover began, in milliseconds. */
const HANDOVER_MS = 3000;

interface ActiveRun {
  readonly control: RunControl;
  readonly done: Promise<void>;
}

/**
 * The dispatcher that needs no server: leases are columns of the ledger, wake-ups stay inside the
 * process, and a sweep every second finds what other processes left. Any number of processes may
 * share one ledger.
 */
@Injectable()
export class EmbeddedDispatcher extends Dispatcher implements OnApplicationBootstrap, OnModuleDestroy {
  accepting = true;
  private readonly logger = new Logger(EmbeddedDispatcher.name);
  /** The runs that this process executes, by row id. */
  private readonly active = new Map<number, ActiveRun>();
  private sweeping: Promise<void> | undefined;
  private sweepAgain = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly leases: LeaseKeeper,
    private readonly executor: RunExecutor,
    private readonly overdue: OverdueRuns,
    private readonly feeds: RunFeeds,
    private readonly settings: RunSettings,
  ) {
    super();
  }

  /**
   * Joins the workers, and claims what an earlier process left before the first request is served.
   *
   * @throws as `WorkerLease.start`
   */
  async onApplicationBootstrap(): Promise<void> {
    await this.leases.start({ load: () => this.load(), lost: () => this.stopAll('lost') });
    await this.sweep();
    this.timer = setInterval(() => void this.sweep(), this.settings.sweepIntervalMs);
  }

  /** Lets running runs finish for a while, hands the others over, then ends every reader. */
  async onModuleDestroy(): Promise<void> {
    this.accepting = false;
    await this.settled(this.settings.shutdownGraceMs);
    this.stopAll('shutdown');
    await this.settled(HANDOVER_MS);
    clearInterval(this.timer);
    await this.sweeping;
    await this.leases.stop();
    this.feeds.close();
  }

  reserve(tenantId: string): Lease | undefined {
    return this.leases.reserve(tenantId);
  }

  unreserve(tenantId: string): void {
    if (this.leases.free(tenantId)) this.wake();
  }

  start(started: StartedRun): void {
    this.execute(started.run, started);
  }

  wake(): void {
    void this.sweep();
  }

  cancel(runRowId: number): void {
    this.active.get(runRowId)?.control.stop('cancel');
  }

  /** Executes a run that has a slot. */
  private execute(run: RunRecord, started?: StartedRun): void {
    const lease = this.leases.leaseOf(run);
    const control = new RunControl(lease);
    if (lease.owner !== run.leaseOwner) control.stop('lost');
    // A run that this process lost and claimed again: nothing else would stop its earlier execution.
    this.active.get(run.rowId)?.control.stop('lost');
    const done = this.finish(run, control, this.executor.execute(run, control, started));
    this.active.set(run.rowId, { control, done });
  }

  private async finish(run: RunRecord, control: RunControl, execution: Promise<Execution>): Promise<void> {
    try {
      const outcome = await execution;
      if (outcome === 'handed-over') await this.leases.release(run);
      else if (await this.leases.hasActive(run.sessionRowId)) this.wake();
    } catch (error) {
      this.logger.error(`Run ${run.id} was not released: ${String(error)}`);
    } finally {
      if (this.active.get(run.rowId)?.control === control) this.active.delete(run.rowId);
      if (this.leases.free(run.tenantId)) this.wake();
    }
  }

  /** One sweep at a time; a wake-up during a sweep causes another. */
  private sweep(): Promise<void> {
    if (this.sweeping) this.sweepAgain = true;
    else this.sweeping = this.sweepUntilQuiet();
    return this.sweeping;
  }

  private async sweepUntilQuiet(): Promise<void> {
    // The field must be set before the first sweep can end.
    await Promise.resolve();
    do {
      this.sweepAgain = false;
      await this.sweepOnce().catch((error: unknown) => this.logger.error(`A sweep failed: ${String(error)}`));
    } while (this.sweepAgain);
    this.sweeping = undefined;
  }

  private async sweepOnce(): Promise<void> {
    const { isClaimable, isOverdue } = await this.leases.sweep(this.active);
    if (!this.accepting) return;
    // Also while no run can be executed.
    if (isOverdue && (await this.overdue.end())) this.sweepAgain = true;
    const { claimed, isFull } = await this.leases.claim(isClaimable);
    for (const run of claimed) this.execute(run);
    if (isFull) this.sweepAgain = true;
  }

  private load(): WorkerLoad {
    return { slots: this.settings.concurrency, busy: this.active.size, draining: !this.accepting };
  }

  private stopAll(kind: StopKind): void {
    for (const { control } of this.active.values()) control.stop(kind);
  }

  /** Resolves when all executions have ended, or after a time. */
  private async settled(withinMs: number): Promise<void> {
    const all = Promise.allSettled([...this.active.values()].map(({ done }) => done));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, withinMs)));
    await Promise.race([all, late]);
    clearTimeout(timer);
  }
}

import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Message } from '../../events/index.js';
import { OverdueRuns } from '../end/overdue-runs.js';
import { RunControl } from '../execute/run-control.js';
import { type Execution, RunExecutor } from '../execute/run-executor.js';
import { RunFeeds } from '../log/run-feeds.js';
import { Dispatcher } from '../ports/dispatcher.js';
import type { Lease } from '../ports/run-leases.js';
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
  private reserved = 0;
  private sweeping: Promise<void> | undefined;
  private sweepAgain = false;
  /** True while runs may be waiting for a slot: a new run then waits behind them. */
  private isBehind = false;
  private refusals = 0;
  private timers: NodeJS.Timeout[] = [];

  constructor(
    private readonly leases: LeaseKeeper,
    private readonly executor: RunExecutor,
    private readonly overdue: OverdueRuns,
    private readonly feeds: RunFeeds,
    private readonly settings: RunSettings,
  ) {
    super();
  }

  /** Claims what an earlier process left before the first request is served. */
  async onApplicationBootstrap(): Promise<void> {
    await this.sweep();
    const { sweepIntervalMs, leaseMs } = this.settings;
    this.timers = [
      setInterval(() => void this.sweep(), sweepIntervalMs),
      setInterval(() => this.leases.renew(this.active), Math.ceil(leaseMs / 3)),
    ];
  }

  /** Lets running runs finish for a while, hands the others over, then ends every reader. */
  async onModuleDestroy(): Promise<void> {
    this.accepting = false;
    await this.settled(this.settings.shutdownGraceMs);
    for (const { control } of this.active.values()) control.stop('shutdown');
    await this.settled(HANDOVER_MS);
    for (const timer of this.timers) clearInterval(timer);
    await this.sweeping;
    this.feeds.close();
  }

  reserve(): Lease | undefined {
    if (this.isBehind || this.capacity() <= 0) {
      this.isBehind = true;
      this.refusals += 1;
      return undefined;
    }
    this.reserved += 1;
    return this.leases.lease();
  }

  unreserve(): void {
    this.reserved -= 1;
    if (this.isBehind) this.wake();
  }

  start(run: RunRecord, input: readonly Message[]): void {
    this.reserved -= 1;
    this.execute(run, input);
  }

  wake(): void {
    void this.sweep();
  }

  cancel(runRowId: number): void {
    this.active.get(runRowId)?.control.stop('cancel');
  }

  private execute(run: RunRecord, input?: readonly Message[]): void {
    const control = new RunControl(run.leaseUntil);
    // A run that this process lost and claimed again: nothing else would stop its earlier execution.
    this.active.get(run.rowId)?.control.stop('lost');
    const done = this.finish(run, control, this.executor.execute(run, control, input));
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
      if (this.isBehind) this.wake();
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
    for (const rowId of await this.leases.cancelRequested()) this.cancel(rowId);
    if (!this.accepting) return;
    await this.leases.expireGone();
    // Also while no run can be executed.
    if (await this.overdue.end()) this.sweepAgain = true;
    const capacity = this.capacity();
    if (capacity <= 0) return;
    const { refusals } = this;
    const claimed = await this.leases.claim(capacity);
    for (const run of claimed) this.execute(run);
    const isFull = claimed.length === capacity;
    this.isBehind = isFull || this.refusals !== refusals;
    if (isFull) this.sweepAgain = true;
  }

  private capacity(): number {
    return this.settings.concurrency - this.active.size - this.reserved;
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

import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../common/index.js';
import type { Message } from '../../events/index.js';
import { RunControl } from '../execute/run-control.js';
import { RunExecutor } from '../execute/run-executor.js';
import { RunFeeds } from '../log/run-feeds.js';
import { Dispatcher } from '../ports/dispatcher.js';
import { type Lease, type RunRecord, RunStore } from '../ports/run-store.js';
import { RunSettings } from '../run.settings.js';
import { isGone, leaseOwner } from './lease-owner.js';

/** How long a handed-over agent may take to let go, in milliseconds. */
const HANDOVER_MS = 3000;
/** Runs that waited too long are ended so many at a time. */
const OVERDUE_BATCH = 50;

interface ActiveRun {
  readonly control: RunControl;
  readonly done: Promise<void>;
}

/**
 * The dispatcher that needs no server: leases are rows of the ledger, wake-ups stay inside the
 * process, and a sweep every second finds what other processes left. Any number of processes may
 * share one ledger.
 */
@Injectable()
export class EmbeddedDispatcher extends Dispatcher implements OnApplicationBootstrap, OnModuleDestroy {
  accepting = true;
  private readonly logger = new Logger(EmbeddedDispatcher.name);
  private readonly owner: string;
  private readonly active = new Map<number, ActiveRun>();
  private reserved = 0;
  private sweeping: Promise<void> | undefined;
  private renewing: Promise<void> | undefined;
  private renewingLate: Promise<void> | undefined;
  private sweepAgain = false;
  /** True while runs may be waiting for a slot: whoever comes then waits behind them. */
  private isBehind = false;
  private refusals = 0;
  private timers: NodeJS.Timeout[] = [];

  constructor(
    private readonly store: RunStore,
    private readonly executor: RunExecutor,
    private readonly feeds: RunFeeds,
    private readonly settings: RunSettings,
    private readonly clock: Clock,
  ) {
    super();
    this.owner = leaseOwner(settings.nodeName);
  }

  /** Takes over what an earlier process left before the first request is served. */
  async onApplicationBootstrap(): Promise<void> {
    await this.sweep();
    const { sweepIntervalMs, leaseMs } = this.settings;
    this.timers = [
      setInterval(() => void this.sweep(), sweepIntervalMs),
      setInterval(() => this.renew(), Math.ceil(leaseMs / 3)),
    ];
  }

  /** Lets running runs finish for a while, hands the rest over, then lets every reader go. */
  async onModuleDestroy(): Promise<void> {
    this.accepting = false;
    await this.settled(this.settings.shutdownGraceMs);
    for (const run of this.active.values()) run.control.stop('shutdown');
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
    return this.lease();
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
    // A run that this process lost and took over again: nobody else would tell its old execution.
    this.active.get(run.rowId)?.control.stop('lost');
    const done = this.finish(run, control, this.executor.execute(run, control, input));
    this.active.set(run.rowId, { control, done });
  }

  private async finish(
    run: RunRecord,
    control: RunControl,
    execution: ReturnType<RunExecutor['execute']>,
  ): Promise<void> {
    try {
      const how = await execution;
      if (how === 'handed-over') await this.store.release(run.rowId, run.fence, this.clock.now());
      else if ((await this.store.active(run.sessionRowId)).length > 0) this.wake();
    } catch (error) {
      this.logger.error(`run ${run.id} was not put away: ${String(error)}`);
    } finally {
      if (this.active.get(run.rowId)?.control === control) this.active.delete(run.rowId);
      if (this.isBehind) this.wake();
    }
  }

  /** One sweep at a time; a wake-up during one leads to another. */
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
      await this.sweepOnce().catch((error: unknown) => this.logger.error(`a sweep failed: ${String(error)}`));
    } while (this.sweepAgain);
    this.sweeping = undefined;
  }

  private async sweepOnce(): Promise<void> {
    for (const runRowId of await this.store.cancelRequested(this.owner)) this.cancel(runRowId);
    if (!this.accepting) return;
    for (const owner of await this.store.owners()) {
      if (isGone(owner, this.owner)) await this.store.expire(owner, this.clock.now());
    }
    await this.endOverdue();
    const capacity = this.capacity();
    if (capacity <= 0) return;
    const { refusals } = this;
    const claimed = await this.store.claim(this.lease(), this.clock.now(), capacity);
    for (const run of claimed) this.execute(run);
    const isFull = claimed.length === capacity;
    this.isBehind = isFull || this.refusals !== refusals;
    if (isFull) this.sweepAgain = true;
  }

  /** Runs that waited too long end also while they cannot be executed. */
  private async endOverdue(): Promise<void> {
    const now = this.clock.now();
    const ended = await this.store.endOverdue(now - this.settings.queueTimeoutMs, now, OVERDUE_BATCH);
    if (ended.length === OVERDUE_BATCH) this.sweepAgain = true;
  }

  /** All leases at once but those of runs that are being written; these one by one, while others go on. */
  private renew(): void {
    const lease = this.lease();
    this.renewing ??= this.renewThese(lease, [...this.active.keys()]).finally(() => {
      this.renewing = undefined;
      this.renewingLate ??= this.renewLate(lease).finally(() => (this.renewingLate = undefined));
    });
    this.stopOverdue();
  }

  private async renewLate(lease: Lease): Promise<void> {
    for (const [runRowId, { control }] of this.active) {
      if (control.leaseUntil < lease.until) await this.renewThese(lease, [runRowId]);
    }
  }

  private async renewThese(lease: Lease, runRowIds: readonly number[]): Promise<void> {
    try {
      for (const runRowId of await this.store.renew(lease, runRowIds)) {
        const run = this.active.get(runRowId);
        if (run) run.control.leaseUntil = lease.until;
      }
    } catch (error) {
      this.logger.warn(`leases could not be renewed: ${String(error)}`);
    }
  }

  /** A run whose lease is nearly over may be another's at any moment: stop before that. */
  private stopOverdue(): void {
    const soon = this.clock.now() + this.settings.leaseMs / 6;
    for (const run of this.active.values()) {
      if (run.control.leaseUntil < soon) run.control.stop('lost');
    }
  }

  private capacity(): number {
    return this.settings.concurrency - this.active.size - this.reserved;
  }

  private lease(): Lease {
    return { owner: this.owner, until: this.clock.now() + this.settings.leaseMs };
  }

  private async settled(withinMs: number): Promise<void> {
    const all = Promise.allSettled([...this.active.values()].map((run) => run.done));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, withinMs)));
    await Promise.race([all, late]);
    clearTimeout(timer);
  }
}

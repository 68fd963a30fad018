import { Injectable, Logger } from '@nestjs/common';
import { TurnoverMap } from '../../runtime/index.js';
import { RunControl, type StopKind } from '../execute/run-control.js';
import { type Execution, RunExecutor } from '../execute/run-executor.js';
import type { StartedRun } from '../ports/dispatcher.js';
import { RunTickets } from '../ports/run-tickets.js';
import type { RunRecord } from '../run-record.js';
import { RunSettings } from '../run.settings.js';
import { HeldRuns } from './held-runs.js';

/** How long agents may take to stop after the handover began, in milliseconds. */
const HANDOVER_MS = 3000;

interface ActiveRun {
  readonly control: RunControl;
  readonly done: Promise<void>;
}

/** The runs that this process executes. */
@Injectable()
export class Executions {
  /** Called when a slot is free again. @param isAwaited whether a run may be waiting for it here */
  onFree: (isAwaited: boolean) => void = () => undefined;
  private readonly logger = new Logger('Runs');
  /** By row id. */
  private readonly runs = new TurnoverMap<number, ActiveRun>();
  /** From then on runs are handed over, also those that were accepted or claimed before and begin later. */
  private handsOver = false;
  private leaves = false;

  constructor(
    private readonly leases: HeldRuns,
    private readonly executor: RunExecutor,
    private readonly tickets: RunTickets,
    private readonly settings: RunSettings,
  ) {}

  /** The runs by row id. */
  get active(): ReadonlyMap<number, { readonly control: RunControl }> {
    return this.runs;
  }

  /** Executes a run that has a slot. */
  begin(run: RunRecord, started?: StartedRun): void {
    const lease = this.leases.leaseOf(run);
    const control = new RunControl(lease);
    if (lease.owner !== run.leaseOwner) control.stop('lost');
    if (this.handsOver) control.drain();
    if (this.leaves) control.leave();
    // A run that this process lost and claimed again: nothing else would stop its earlier execution.
    this.runs.get(run.rowId)?.control.stop('lost');
    const done = this.finish(run, control, this.executor.execute(run, control, started));
    this.runs.set(run.rowId, { control, done });
  }

  /** Stops a run if it is executed here. Returns whether it is. */
  stop(runRowId: number, kind: StopKind): boolean {
    const run = this.runs.get(runRowId);
    run?.control.stop(kind);
    return run !== undefined;
  }

  /** Stops all runs. */
  stopAll(kind: StopKind): void {
    for (const { control } of this.runs.values()) control.stop(kind);
  }

  /** Hands all runs to other processes: each after the step that it is in, or after DRAIN_RUN_MS. */
  async handOver(): Promise<void> {
    this.handsOver = true;
    for (const { control } of this.runs.values()) control.drain();
    await this.settled(this.settings.drainRunMs);
    this.stopAll('shutdown');
    await this.settled(HANDOVER_MS);
  }

  /** Lets runs finish for a while, and hands the others over to other processes: at once those that wait before a step. */
  async drain(): Promise<void> {
    this.leaves = true;
    for (const { control } of this.runs.values()) control.leave();
    await this.settled(this.settings.shutdownGraceMs);
    this.stopAll('shutdown');
    await this.settled(HANDOVER_MS);
  }

  /** Adds the ticket of the run of a session that can be claimed next, if there is one. Never throws. */
  async offerNext(sessionRowId: number): Promise<void> {
    try {
      const next = await this.leases.nextOf(sessionRowId);
      if (next) this.tickets.add(next);
    } catch (error) {
      this.logger.warn(`A waiting run could not be looked up: ${String(error)}`);
    }
  }

  private async finish(run: RunRecord, control: RunControl, execution: Promise<Execution>): Promise<void> {
    try {
      if ((await execution) === 'handed-over') await this.leases.release(run);
    } catch (error) {
      this.logger.error(`Run ${run.id} was not released: ${String(error)}`);
    } finally {
      if (this.runs.get(run.rowId)?.control === control) this.runs.delete(run.rowId);
      this.onFree(this.leases.free(run.tenantId));
    }
    // The same run, if it was handed over, or the one that waits behind it.
    await this.offerNext(run.sessionRowId);
  }

  /** Resolves when all executions have ended, or after a time. */
  private async settled(withinMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, withinMs)));
    await Promise.race([this.ended(), late]);
    clearTimeout(timer);
  }

  /** Resolves when nothing is executed. Some runs begin while others end. */
  private async ended(): Promise<void> {
    while (this.runs.size > 0) await Promise.allSettled([...this.runs.values()].map(({ done }) => done));
  }
}

import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/index.js';
import type { RunControl } from '../execute/run-control.js';
import { type Lease, type OwnedRun, RunLeases, type SweepFindings } from '../ports/run-leases.js';
import type { Ticket } from '../ports/run-tickets.js';
import type { RunRecord } from '../run-record.js';
import { RunSettings } from '../run.settings.js';
import { ExecutionSlots, type FilledSlots, type SlotHold } from './execution-slots.js';
import { type HeldLease, type LeaseHolder, WorkerLease } from './worker-lease.js';

/** The runs that this process executes, by row id. */
type ActiveRuns = ReadonlyMap<number, { readonly control: RunControl }>;

/** What there is to do after a sweep. */
export interface SweepResult extends Pick<SweepFindings, 'isQueued' | 'isLost'> {
  /** Milliseconds until the lease of another worker ends, unless it is renewed; Infinity without others. */
  readonly nextEndMs: number;
}

/** The lease of a run whose worker was lost before it could start the run. */
const ENDED: HeldLease = { owner: '', until: 0, deadline: -Infinity };

/** The runs that this process holds, under the lease of its worker. */
@Injectable()
export class HeldRuns {
  private readonly logger = new Logger('Sweep');
  /** Whether other processes execute runs, as the last sweep has found. */
  private hasOthers = false;
  /** Since when runs are held that are not executed, by row id, on the monotonic clock. */
  private strays = new Map<number, number>();
  /** Runs whose accepting commit failed, by row id: when it did, on the monotonic clock. */
  private readonly doubtful = new Map<number, number>();

  constructor(
    private readonly leases: RunLeases,
    private readonly worker: WorkerLease,
    private readonly slots: ExecutionSlots,
    private readonly settings: RunSettings,
    private readonly clock: Clock,
  ) {}

  /** SWEEP_INTERVAL_MS. */
  get sweepIntervalMs(): number {
    return this.settings.sweepIntervalMs;
  }

  /** How many runs this process may claim now. */
  get claimable(): number {
    return this.worker.current && !this.isOverloaded ? this.slots.free : 0;
  }

  /** Shows the other processes at once what this one does. Never throws. */
  announce(): Promise<void> {
    return this.worker.beatNow();
  }

  /** Whether other processes execute runs now. @throws the driver's error */
  async hasPeers(): Promise<boolean> {
    const { suspects } = await this.leases.sweep('');
    return suspects.some(({ id, isOpen }) => isOpen && id !== this.worker.current?.owner);
  }

  /** Whether runs are better started elsewhere. While no other process can take them, waiting would only delay them. */
  private get isOverloaded(): boolean {
    return this.hasOthers && this.slots.isLagging;
  }

  /** Joins the workers. @throws as `WorkerLease.start` */
  start(holder: LeaseHolder): Promise<void> {
    return this.worker.start(holder);
  }

  /** Leaves the workers: what is still held can be claimed by others at once. */
  stop(): Promise<void> {
    return this.worker.stop();
  }

  /**
   * A slot and the lease for a run that is about to be accepted; undefined while this process has none, or the run
   * has to wait for a slot.
   */
  reserve(tenantId: string): Lease | undefined {
    const { current } = this.worker;
    return current && !this.isOverloaded && this.slots.reserve(tenantId) ? current : undefined;
  }

  /** Returns the slot of a run. Returns whether another run may be waiting for it. */
  free(tenantId: string): boolean {
    this.slots.release(tenantId);
    return this.slots.isAwaited(tenantId);
  }

  /** A run that was accepted under this lease may be stored, though its commit failed: nobody executes it. */
  doubt(runRowId: number): void {
    this.doubtful.set(runRowId, this.clock.monotonic());
  }

  /** The lease that a claimed run has; one that has ended when the worker was lost since. */
  leaseOf({ leaseOwner }: RunRecord): HeldLease {
    const { current } = this.worker;
    return current?.owner === leaseOwner ? (current ?? ENDED) : ENDED;
  }

  /**
   * Claims runs for the free slots of this process, if there may be any; none while it has no lease. Those whose slots
   * were taken meanwhile are put back into the queue. Returns as `ExecutionSlots.fill`.
   */
  async claim(isClaimable: boolean): Promise<Omit<FilledSlots<RunRecord>, 'surplus'>> {
    const { current } = this.worker;
    const isWanted = isClaimable || this.slots.isAnyAwaited;
    const most = this.isOverloaded ? 1 : Number.POSITIVE_INFINITY;
    if (!current || !isWanted || this.slots.free <= 0) return { claimed: [], isFull: false };
    const filled = await this.slots.fill((limit) =>
      this.leases.claim(current, Math.min(limit, most), this.slots.perTenant),
    );
    // One that cannot be put back now is given up when it was not executed for as long as a lease.
    for (const { rowId, fence } of filled.surplus) await this.tryRelease(rowId, fence);
    return filled;
  }

  /** Puts a run of this process back into the queue. */
  release(run: RunRecord): Promise<void> {
    return this.leases.release(run.rowId, run.fence);
  }

  /** Takes a slot for the run of a ticket, if there is one for its tenant. */
  hold(tenantId: string): SlotHold {
    return this.slots.hold(tenantId);
  }

  /** Claims the runs of tickets for which slots are held. Returns the slots of those that cannot be claimed. */
  async claimHeld(tickets: readonly Ticket[]): Promise<readonly RunRecord[]> {
    const { current } = this.worker;
    let claimed: readonly RunRecord[] = [];
    try {
      if (current)
        claimed = await this.leases.claimQueued(
          current,
          tickets.map(({ rowId }) => rowId),
        );
    } finally {
      const rowIds = new Set(claimed.map(({ rowId }) => rowId));
      for (const { rowId, tenantId } of tickets) if (!rowIds.has(rowId)) this.slots.release(tenantId);
    }
    return claimed;
  }

  /** The ticket of the run of a session that can be claimed next. */
  nextOf(sessionRowId: number): Promise<Ticket | undefined> {
    return this.leases.nextOf(sessionRowId);
  }

  /** Tickets of runs that have waited for long. */
  longWaiting(limit: number): Promise<readonly Ticket[]> {
    return this.leases.longWaiting(limit);
  }

  /**
   * Finds out what there is to do. Ends the leases of workers that no longer run. Compares the runs of this process
   * with those that it holds in the ledger: stops those whose cancel was requested, puts those back into the queue that
   * are stored although their accepting commit failed, and gives up those that it has not executed for as long as a
   * lease, because their log could not be written or read.
   */
  async sweep(active: ActiveRuns): Promise<SweepResult> {
    const owner = this.worker.current?.owner;
    const found = await this.leases.sweep(owner ?? '');
    // The lease may have been lost during the query.
    const isOwner = owner !== undefined && owner === this.worker.current?.owner;
    const isAnyReleased = isOwner && (await this.check(active, found.owned));
    this.hasOthers = found.suspects.some(({ id, isOpen }) => isOpen && id !== owner);
    const isAnyLost = await this.worker.removeLost(found.suspects);
    const left = found.suspects.flatMap(({ id, isLost, leftMs }) =>
      id === owner || isLost ? [] : (leftMs ?? Infinity),
    );
    return {
      isQueued: found.isQueued,
      isLost: found.isLost || isAnyLost || isAnyReleased,
      nextEndMs: Math.min(Infinity, ...left),
    };
  }

  /** Returns whether there are runs that can be claimed now. */
  private async check(active: ActiveRuns, owned: readonly OwnedRun[]): Promise<boolean> {
    const now = this.clock.monotonic();
    let isAnyReleased = false;
    const strays = new Map<number, number>();
    for (const { rowId, fence, isCanceled } of owned) {
      const run = active.get(rowId);
      if (run && isCanceled) run.control.stop('cancel');
      if (run) continue;
      if (this.doubtful.has(rowId)) {
        const isReleased = await this.tryRelease(rowId, fence);
        if (isReleased) this.doubtful.delete(rowId);
        isAnyReleased ||= isReleased;
        continue;
      }
      const since = this.strays.get(rowId) ?? now;
      if (now - since < this.settings.leaseMs || !(await this.giveUp(rowId, fence))) strays.set(rowId, since);
    }
    this.strays = strays;
    // A commit that has not taken effect by then never does.
    for (const [rowId, at] of this.doubtful) if (now - at >= this.settings.leaseMs) this.doubtful.delete(rowId);
    return isAnyReleased;
  }

  /** Returns false if the run cannot be released now. */
  private async tryRelease(rowId: number, fence: number): Promise<boolean> {
    try {
      await this.leases.release(rowId, fence);
      return true;
    } catch (error) {
      this.logger.warn(`A run that is not executed could not be put back into the queue: ${String(error)}`);
      return false;
    }
  }

  /** Returns false if the run cannot be given up now. */
  private async giveUp(runRowId: number, fence: number): Promise<boolean> {
    try {
      await this.leases.giveUp(runRowId, fence);
      return true;
    } catch (error) {
      this.logger.warn(`A run that is not executed could not be given up: ${String(error)}`);
      return false;
    }
  }
}

import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/index.js';
import type { RunControl } from '../execute/run-control.js';
import { type Lease, RunLeases } from '../ports/run-leases.js';
import type { RunRecord } from '../run-record.js';
import { RunSettings } from '../run.settings.js';
import { isGone, leaseOwner } from './lease-owner.js';

/** The runs that this process executes, by row id. */
type ActiveRuns = ReadonlyMap<number, { readonly control: RunControl }>;

/** The leases of this process: takes them, renews them, and stops runs whose lease may end. */
@Injectable()
export class LeaseKeeper {
  private readonly logger = new Logger(LeaseKeeper.name);
  private readonly owner: string;
  private renewing: Promise<void> | undefined;
  private renewingLate: Promise<void> | undefined;

  constructor(
    private readonly leases: RunLeases,
    private readonly settings: RunSettings,
    private readonly clock: Clock,
  ) {
    this.owner = leaseOwner(settings.nodeName);
  }

  /** A lease that begins now. */
  lease(): Lease {
    return { owner: this.owner, until: this.clock.now() + this.settings.leaseMs };
  }

  /** Claims up to `limit` runs for this process. */
  claim(limit: number): Promise<readonly RunRecord[]> {
    return this.leases.claim(this.lease(), this.clock.now(), limit);
  }

  /** Puts a run of this process back into the queue. */
  release(run: RunRecord): Promise<void> {
    return this.leases.release(run.rowId, run.fence, this.clock.now());
  }

  /** Whether a session has runs that have not ended. */
  hasActive(sessionRowId: number): Promise<boolean> {
    return this.leases.hasActive(sessionRowId);
  }

  /** The row ids of this process's runs whose cancel was requested. */
  cancelRequested(): Promise<readonly number[]> {
    return this.leases.cancelRequested(this.owner);
  }

  /** Ends the leases of processes of this machine that no longer run. */
  async expireGone(): Promise<void> {
    for (const owner of await this.leases.owners()) {
      if (isGone(owner, this.owner)) await this.leases.expire(owner, this.clock.now());
    }
  }

  /** Renews the leases of the active runs, and stops runs whose lease is about to end. */
  renew(active: ActiveRuns): void {
    const lease = this.lease();
    // All at once, except runs that are being written; those follow one by one.
    this.renewing ??= this.renewThese(lease, active, [...active.keys()]).finally(() => {
      this.renewing = undefined;
      this.renewingLate ??= this.renewLate(lease, active).finally(() => (this.renewingLate = undefined));
    });
    this.stopOverdue(active);
  }

  private async renewLate(lease: Lease, active: ActiveRuns): Promise<void> {
    for (const [rowId, { control }] of active) {
      if (control.leaseUntil < lease.until) await this.renewThese(lease, active, [rowId]);
    }
  }

  private async renewThese(lease: Lease, active: ActiveRuns, rowIds: readonly number[]): Promise<void> {
    try {
      for (const rowId of await this.leases.renew(lease, rowIds)) {
        const run = active.get(rowId);
        if (run) run.control.leaseUntil = lease.until;
      }
    } catch (error) {
      this.logger.warn(`Leases could not be renewed: ${String(error)}`);
    }
  }

  /** Another process may claim a run as soon as its lease ends: stops it before. */
  private stopOverdue(active: ActiveRuns): void {
    const soon = this.clock.now() + this.settings.leaseMs / 6;
    for (const { control } of active.values()) if (control.leaseUntil < soon) control.stop('lost');
  }
}

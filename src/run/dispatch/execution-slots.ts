import { Injectable } from '@nestjs/common';
import { Metrics } from '../../common/index.js';
import { RunLimits } from '../ports/run-limits.js';
import { RunSettings } from '../run.settings.js';
import { EventLoopLag } from './event-loop-lag.js';
import { showSlots } from './slot.metrics.js';

/** The result of claiming runs for free slots. */
export interface FilledSlots<Run> {
  /** They have slots. */
  readonly claimed: readonly Run[];
  /** Runs that were claimed although their slots were taken meanwhile: they must be put back. */
  readonly surplus: readonly Run[];
  /** True if every free slot was filled: more runs may be waiting. */
  readonly isFull: boolean;
}

/** Whether a slot was taken; otherwise whether none is free, or none for the tenant. */
export type SlotHold = 'held' | 'full' | 'tenant full';

/**
 * The runs that this process may execute at the same time, and how many of them one tenant may have (contract access,
 * section 6). Runs that find no slot wait in the queue, behind those of their tenant that came before.
 */
@Injectable()
export class ExecutionSlots {
  /** How many runs of one tenant may be executed; undefined without a limit. */
  readonly perTenant: number | undefined;
  private readonly total: number;
  private readonly byTenant = new Map<string, number>();
  private taken = 0;
  /** True while runs may be waiting for any slot: a new run then waits behind them. */
  private isBehind = false;
  /** Tenants whose runs may be waiting because the tenant has all its slots. */
  private readonly waiting = new Set<string>();
  private refusals = 0;

  constructor(
    { slots }: RunSettings,
    { tenantShare }: RunLimits,
    metrics: Metrics,
    private readonly lag: EventLoopLag,
  ) {
    this.total = slots;
    this.perTenant = tenantShare < 1 ? Math.max(1, Math.floor(slots * tenantShare)) : undefined;
    showSlots(metrics, slots, () => this.taken);
  }

  /** Whether the event loop of this process is too late for more runs. */
  get isLagging(): boolean {
    return this.lag.isHigh;
  }

  /** How many runs may be started. */
  get free(): number {
    return this.total - this.taken;
  }

  /** Takes a slot for a new run of a tenant. Returns false if the run has to wait. */
  reserve(tenantId: string): boolean {
    if (this.isBehind || this.free <= 0) this.isBehind = true;
    else if (this.waiting.has(tenantId) || this.isFull(tenantId)) this.waiting.add(tenantId);
    else {
      this.take(tenantId);
      return true;
    }
    this.refusals += 1;
    return false;
  }

  /** Takes a slot for a run that waits, before it is claimed. */
  hold(tenantId: string): SlotHold {
    if (this.free <= 0) {
      this.isBehind = true;
      return 'full';
    }
    if (this.isFull(tenantId)) {
      this.waiting.add(tenantId);
      return 'tenant full';
    }
    this.take(tenantId);
    return 'held';
  }

  /** Takes a slot for a run that was claimed. */
  take(tenantId: string): void {
    this.taken += 1;
    this.byTenant.set(tenantId, this.ofTenant(tenantId) + 1);
  }

  /** Returns a slot. */
  release(tenantId: string): void {
    this.taken -= 1;
    const left = this.ofTenant(tenantId) - 1;
    if (left > 0) this.byTenant.set(tenantId, left);
    else this.byTenant.delete(tenantId);
  }

  /** Whether a run may be waiting for a slot that a tenant has returned. */
  isAwaited(tenantId: string): boolean {
    return this.isBehind || this.waiting.has(tenantId);
  }

  /** Whether any run may be waiting for a slot. */
  get isAnyAwaited(): boolean {
    return this.isBehind || this.waiting.size > 0;
  }

  /**
   * Claims runs for the free slots, and finds out whether others are still waiting. A run that is accepted during the
   * claim may take one of these slots: then a claimed run has none, and is returned as surplus.
   *
   * @param claim claims up to as many runs as there are free slots
   */
  async fill<Run extends { readonly tenantId: string }>(
    claim: (limit: number) => Promise<readonly Run[]>,
  ): Promise<FilledSlots<Run>> {
    const { free, refusals } = this;
    const found = await claim(free);
    const room = Math.max(0, this.free);
    const [claimed, surplus] = [found.slice(0, room), found.slice(room)];
    for (const { tenantId } of claimed) this.take(tenantId);
    const isFull = found.length === free;
    const isUnsure = isFull || surplus.length > 0 || this.refusals !== refusals;
    this.isBehind = isUnsure && (this.isBehind || isFull || surplus.length > 0);
    if (!isUnsure) {
      for (const tenantId of this.waiting) if (!this.isFull(tenantId)) this.waiting.delete(tenantId);
    }
    return { claimed, surplus, isFull: isFull && surplus.length === 0 };
  }

  private isFull(tenantId: string): boolean {
    return this.perTenant !== undefined && this.ofTenant(tenantId) >= this.perTenant;
  }

  private ofTenant(tenantId: string): number {
    return this.byTenant.get(tenantId) ?? 0;
  }
}

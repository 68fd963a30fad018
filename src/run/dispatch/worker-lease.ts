import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { Clock, VERSION } from '../../common/index.js';
import { Fingerprints } from '../../config/index.js';
import { DatabaseSettings, SCHEMA_VERSION } from '../../database/index.js';
import { HELD, type Lease, type Suspect } from '../ports/run-leases.js';
import { type Worker, type WorkerLoad, WorkerRegistry } from '../ports/worker-registry.js';
import { RunSettings } from '../run.settings.js';
import { hasEnded, ownProcess } from './host-process.js';
import { checkPeers } from './peer-check.js';

/** The share of LEASE_MS after which the holder of a lease stops by itself. */
const OWN_SHARE = 10 / 12;
/**
 * The share of LEASE_MS that is written into the ledger, after which others take its runs over. What is left is for
 * finding them, so that nobody waits for more than LEASE_MS.
 */
const LEDGER_SHARE = 11 / 12;

/** The lease under which runs are claimed. It ends for good: a later one has another owner. */
export interface HeldLease extends Lease {
  /** Until then this process may write, by the monotonic clock (`Clock.monotonic`). */
  readonly deadline: number;
}

/** What the lease needs from the process that executes runs. */
export interface LeaseHolder {
  /** How much it executes now. */
  load(): Omit<WorkerLoad, 'slots'>;
  /** The lease has ended, or may have: every run that was claimed under it must stop before it writes. */
  lost(): void;
}

/**
 * This process among the workers: one heartbeat holds all its runs. When the heartbeats fail for too long, or the row
 * is gone, all runs stop, and the process continues under a new id.
 */
@Injectable()
export class WorkerLease {
  private readonly logger = new Logger('Worker');
  private readonly self = ownProcess();
  private holder: LeaseHolder | undefined;
  private joined: (id: string) => void = () => undefined;
  private held: { -readonly [Key in keyof HeldLease]: HeldLease[Key] } | undefined;
  /** The id whose row must be removed before the process registers again. */
  private left: string | undefined;
  private beating: Promise<void> | undefined;
  private timers: NodeJS.Timeout[] = [];
  private deadlineTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly registry: WorkerRegistry,
    private readonly fingerprints: Fingerprints,
    private readonly settings: RunSettings,
    private readonly database: DatabaseSettings,
    private readonly clock: Clock,
  ) {}

  /** The lease that is held now; undefined after it was lost, until the process is registered again. */
  get current(): HeldLease | undefined {
    return this.held;
  }

  /** Calls the listener with each new id of this process among the workers. There is one listener. */
  onJoin(listener: (id: string) => void): void {
    this.joined = listener;
  }

  /** @throws Error if the process must not join the other workers; the driver's error */
  async start(holder: LeaseHolder): Promise<void> {
    this.holder = holder;
    await this.register(holder);
    this.timers = [setInterval(() => this.beat(holder), Math.ceil(this.settings.leaseMs / 3))];
  }

  /** A heartbeat with the present load, after the one that is being sent. Never throws. */
  async beatNow(): Promise<void> {
    await this.beating;
    if (this.holder) this.beat(this.holder);
    await this.beating;
  }

  /** Ends the lease: others may take over at once what is still held. Never throws. */
  async stop(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    clearTimeout(this.deadlineTimer);
    await this.beating;
    const id = this.held?.owner ?? this.left;
    this.held = undefined;
    try {
      if (id) await this.registry.remove(id, 'always');
    } catch (error) {
      this.logger.warn(`The worker could not be removed, its lease will end: ${String(error)}`);
    }
  }

  /**
   * Ends the leases of workers that were not heard of for too long, and of processes of this host that have ended.
   * Returns whether there were any. One that cannot be removed now is left to the next call.
   */
  async removeLost(suspects: readonly Suspect[]): Promise<boolean> {
    let found = false;
    for (const suspect of suspects) {
      if (suspect.id === this.held?.owner) continue;
      const ended = hasEnded(suspect, this.self);
      if (!ended && !suspect.isLost) continue;
      found = true;
      try {
        await this.registry.remove(suspect.id, ended ? 'always' : 'lost');
      } catch (error) {
        this.logger.warn(`The lost worker ${suspect.id} could not be removed: ${String(error)}`);
      }
    }
    return found;
  }

  private beat(holder: LeaseHolder): void {
    if (this.beating) return;
    const beating = (this.held ? this.renew(this.held, holder) : this.register(holder))
      .catch((error: unknown) => this.logger.warn(`A heartbeat failed: ${String(error)}`))
      .finally(() => {
        if (this.beating === beating) this.beating = undefined;
      });
    this.beating = beating;
  }

  private async register(holder: LeaseHolder): Promise<void> {
    const { leaseMs } = this.settings;
    if (this.left !== undefined) await this.registry.remove(this.left, 'always');
    this.left = undefined;
    const worker = this.worker();
    const sentAt = this.clock.monotonic();
    await this.registry.register(worker, this.load(holder), ledgerMs(leaseMs), (others) => {
      const alive = others.filter((other) => !hasEnded(other, this.self));
      if (this.database.address.kind === 'postgres') checkPeers(worker, alive, this.database.migrate !== 'off');
    });
    this.held = { owner: worker.id, until: HELD, deadline: sentAt + leaseMs * OWN_SHARE };
    this.joined(worker.id);
    this.watchDeadline();
  }

  private load(holder: LeaseHolder): WorkerLoad {
    return { slots: this.settings.slots, ...holder.load() };
  }

  private worker(): Worker {
    const isShared = this.database.address.kind === 'postgres';
    return {
      ...this.self,
      id: randomUUID(),
      name: this.settings.nodeName,
      role: this.settings.role,
      version: VERSION,
      schemaVersion: SCHEMA_VERSION,
      fingerprints: isShared ? this.fingerprints.read() : {},
    };
  }

  private async renew(held: NonNullable<typeof this.held>, holder: LeaseHolder): Promise<void> {
    const sentAt = this.clock.monotonic();
    const isKept = await this.registry.heartbeat(held.owner, this.load(holder), ledgerMs(this.settings.leaseMs));
    // Lost meanwhile: a late answer does not bring it back.
    if (this.held !== held) return;
    if (!isKept) {
      this.lose('its row is gone');
      return;
    }
    held.deadline = sentAt + this.settings.leaseMs * OWN_SHARE;
    this.watchDeadline();
  }

  /** Also while a heartbeat gets no answer. */
  private watchDeadline(): void {
    clearTimeout(this.deadlineTimer);
    if (!this.held) return;
    const left = this.held.deadline - this.clock.monotonic();
    if (left <= 0) this.lose('no heartbeat was confirmed in time');
    else this.deadlineTimer = setTimeout(() => this.watchDeadline(), Math.ceil(left));
  }

  private lose(reason: string): void {
    if (!this.held) return;
    this.logger.warn(`This worker lost its lease, because ${reason}: its runs stop here, and it registers again`);
    clearTimeout(this.deadlineTimer);
    this.left = this.held.owner;
    this.held.deadline = -Infinity;
    this.held = undefined;
    this.holder?.lost();
    // A heartbeat without an answer must not keep the process from registering again.
    this.beating = undefined;
    if (this.holder) this.beat(this.holder);
  }
}

/** The lease in the ledger, in whole milliseconds. */
function ledgerMs(leaseMs: number): number {
  return Math.round(leaseMs * LEDGER_SHARE);
}

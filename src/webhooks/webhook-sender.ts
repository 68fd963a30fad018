import { setTimeout } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DeliveryLooks } from '../outbox/index.js';
import { DeliveryStore } from './ports/delivery-store.js';
import { WebhookAttempts } from './webhook-attempts.js';
import { WebhookDirectory } from './webhook-directory.js';

/** How long a process has for an attempt before another one makes it. */
const LEASE_MS = 60_000;
/** Attempts at one endpoint at a time, of all processes together. */
const IN_FLIGHT = 4;
/** How long a process that stops waits for attempts, in milliseconds. */
const SHUTDOWN_MS = 3000;
/** Attempts of this process at a time. A slow endpoint holds `IN_FLIGHT` of them. */
const MOST = 256;

/**
 * Delivers events, to each endpoint separately, so that a slow one does not delay the others. Without endpoints, the
 * database is not read.
 */
@Injectable()
export class WebhookSender implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(WebhookSender.name);
  /** Attempts that are being made, by the row id of the endpoint. */
  private readonly busy = new Map<number, number>();
  private readonly attempts = new Set<Promise<void>>();
  private readonly looks = new DeliveryLooks({
    // Without endpoints nothing is due, and the database need not say so.
    quietMs: () => (this.directory.isEmpty ? Infinity : this.store.quietMs),
    isAnyDue: async (withinMs) => !this.directory.isEmpty && (await this.dueWebhooks(withinMs)).length > 0,
    work: () => this.work(),
    failed: (error) => this.warn(error),
  });
  private isOver = false;

  constructor(
    private readonly store: DeliveryStore,
    private readonly directory: WebhookDirectory,
    private readonly attempt: WebhookAttempts,
  ) {}

  onApplicationBootstrap(): void {
    this.looks.start();
  }

  /** Waits for the attempts that are being made, but not for slow receivers: their events are sent again. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isOver = true;
    await this.looks.stop();
    await Promise.race([Promise.all(this.attempts), setTimeout(SHUTDOWN_MS, undefined, { ref: false })]);
  }

  private async work(): Promise<void> {
    // One endpoint does not keep the others from being served.
    for (const rowId of await this.dueWebhooks(0)) await this.claim(rowId).catch((error: unknown) => this.warn(error));
  }

  /** The enabled endpoints at which deliveries are due. */
  private async dueWebhooks(withinMs: number): Promise<readonly number[]> {
    const due = await this.store.dueWebhooks(withinMs);
    const enabled = this.directory.rowIds();
    return due.filter((rowId) => enabled.has(rowId));
  }

  /** Starts the deliveries that are due at an endpoint, as many as there is room for. */
  private async claim(rowId: number): Promise<void> {
    if (this.isOver || this.attempts.size >= MOST || (this.busy.get(rowId) ?? 0) >= IN_FLIGHT) return;
    const claimed = await this.store.claim(rowId, { leaseMs: LEASE_MS, inFlight: IN_FLIGHT });
    for (const delivery of claimed?.deliveries ?? []) {
      if (claimed) this.begin(rowId, this.attempt.make(claimed.webhook, delivery));
    }
  }

  private begin(rowId: number, attempt: Promise<void>): void {
    this.busy.set(rowId, (this.busy.get(rowId) ?? 0) + 1);
    const done = attempt
      .catch((error: unknown) => this.warn(error))
      .finally(() => {
        this.attempts.delete(done);
        const left = (this.busy.get(rowId) ?? 1) - 1;
        if (left > 0) this.busy.set(rowId, left);
        else this.busy.delete(rowId);
        // What waits behind it need not wait for the next look.
        if (left === 0 && !this.isOver) this.claimSoon(rowId);
      });
    this.attempts.add(done);
  }

  private claimSoon(rowId: number): void {
    const claim: Promise<void> = this.claim(rowId)
      .catch((error: unknown) => this.warn(error))
      .finally(() => this.attempts.delete(claim));
    this.attempts.add(claim);
  }

  private warn(error: unknown): void {
    this.logger.warn(`Webhooks cannot be delivered: ${error instanceof Error ? error.message : String(error)}`);
  }
}

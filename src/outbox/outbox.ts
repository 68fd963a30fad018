import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Chores } from '../chores/index.js';
import { RunCauses } from '../run/index.js';
import { DeliveryAttempts } from './delivery-attempts.js';
import { DeliveryLooks } from './delivery-looks.js';
import type { OutboxChannel } from './outbox-channel.js';
import { PushHostSettings } from './push-hosts.settings.js';
import { OutboxStore } from './ports/outbox-store.js';

/** How long a process has for an attempt before another one makes it. */
const LEASE_MS = 60_000;
/** Attempts at a time: each to another hook. */
const AT_ONCE = 16;
/** How long requests that are over are kept, in milliseconds: seven days. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;
const CHORE_MS = 60_000;

/**
 * Makes the requests that runs cause (contract a2a, section 10): each is a row that was written in the transaction of
 * its cause, so that what is committed is delivered at least once. The requests to one hook are made in order, one at a
 * time.
 */
@Injectable()
export class Outbox implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(Outbox.name);
  private readonly channels = new Map<string, OutboxChannel>();
  private readonly looks: DeliveryLooks;
  private isOver = false;

  constructor(
    private readonly store: OutboxStore,
    private readonly attempts: DeliveryAttempts,
    private readonly settings: PushHostSettings,
    causes: RunCauses,
    chores: Chores,
  ) {
    this.looks = new DeliveryLooks({
      quietMs: () => store.quietMs,
      isAnyDue: (withinMs) => store.isAnyDue(withinMs),
      work: () => this.work(),
      failed: (error) =>
        this.logger.warn(`The outbox could not be read: ${error instanceof Error ? error.message : String(error)}`),
    });
    if (!settings.isOn) return;
    causes.register((tx, cause) => store.write(tx, cause));
    chores.register({ name: 'outbox', everyMs: CHORE_MS, work: () => this.tidy() });
  }

  /** Lets this process make the requests of a kind of hook. To be called while the modules are initialized. */
  register(channel: OutboxChannel): void {
    this.channels.set(channel.name, channel);
  }

  /** Begins to look at what is due. */
  onApplicationBootstrap(): void {
    if (!this.settings.isOn || this.channels.size === 0) return;
    this.looks.start();
  }

  /** Waits for the attempts that are being made. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isOver = true;
    await this.looks.stop();
  }

  private async work(): Promise<void> {
    for (let more = true; more && !this.isOver;) {
      const due = await this.store.claim(LEASE_MS, AT_ONCE);
      await Promise.all(due.map((delivery) => this.attempts.make(delivery, this.channels.get(delivery.hook.channel))));
      more = due.length > 0;
    }
  }

  private async tidy(): Promise<void> {
    await this.store.writeExpired();
    await this.store.prune(KEPT_MS);
  }
}

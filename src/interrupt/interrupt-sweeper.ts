import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../common/index.js';
import { InterruptStore } from './ports/interrupt-store.js';

/** How often expired interrupts are marked, in milliseconds. Readers see them as expired at once. */
const INTERVAL_MS = 15_000;

/** Marks interrupts whose time has passed as expired and writes that to the audit log. */
@Injectable()
export class InterruptSweeper implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(InterruptSweeper.name);
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: InterruptStore,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.sweeping = this.sweep();
    }, INTERVAL_MS);
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.sweeping;
  }

  /** One sweep; never throws. */
  async sweep(): Promise<void> {
    try {
      const expired = await this.store.expireDue(this.clock.now());
      if (expired > 0) this.logger.log(`${expired} unanswered approvals or inputs expired`);
    } catch (error) {
      this.logger.error(`expired approvals could not be marked: ${String(error)}`);
    }
  }
}

import { Injectable, Logger } from '@nestjs/common';
import { Chores } from '../../chores/index.js';
import { Clock } from '../../common/index.js';
import { InterruptStore } from './ports/interrupt-store.js';

/** How often expired interrupts are marked, in milliseconds. Readers see them as expired at once. */
const EVERY_MS = 60_000;

/** Marks interrupts whose time has passed as expired and writes that to the audit log: the chore `interrupt-expiry`. */
@Injectable()
export class InterruptExpiry {
  private readonly logger = new Logger(InterruptExpiry.name);

  constructor(
    private readonly store: InterruptStore,
    private readonly clock: Clock,
    chores: Chores,
  ) {
    chores.register({ name: 'interrupt-expiry', everyMs: EVERY_MS, work: () => this.expireDue() });
  }

  /** @throws the driver's error */
  async expireDue(): Promise<void> {
    const expired = await this.store.expireDue(this.clock.now());
    if (expired > 0) this.logger.log(`${expired} unanswered approvals or inputs expired`);
  }
}

import { Injectable } from '@nestjs/common';
import type { Erasure, UserCleaner } from '../data-protection/index.js';
import { UsageErasure } from './ports/usage-erasure.js';

/** Keeps what a user has used, under a pseudonym: the sums of reports and budgets stay. Budgets for the user alone go. */
@Injectable()
export class UsageCleaner implements UserCleaner {
  constructor(private readonly usage: UsageErasure) {}

  async cleanUser({ user, pseudonym, signal, write }: Erasure): Promise<void> {
    await write(async (tx) => ({ budgets: await this.usage.removeBudgets(tx, user) }));
    const rename = (): Promise<number> =>
      write(async (tx) => ({ usageEntriesKept: await this.usage.renameEntries(tx, user, pseudonym) }));
    while ((await rename()) > 0) signal.throwIfAborted();
    await write(async (tx) => ({ usageDaysKept: await this.usage.renameDays(tx, user, pseudonym) }));
  }
}

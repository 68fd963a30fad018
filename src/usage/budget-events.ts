import { Injectable } from '@nestjs/common';
import type { Transaction } from '../database/index.js';
import type { BudgetEvent } from './usage-entry.js';
import { UsageMetrics } from './usage.metrics.js';

/** Writes what follows from an event of a budget, in the transaction of its cause. */
export type BudgetEventWriter = (tx: Transaction, event: BudgetEvent) => Promise<void>;

/**
 * Tells others that a budget has reached a threshold, once for each budget, subject, period and threshold, or that it is
 * used up, once for each period. The announcement is committed with its cause, or not at all.
 */
@Injectable()
export class BudgetEvents {
  private readonly writers: BudgetEventWriter[] = [];

  constructor(private readonly metrics: UsageMetrics) {}

  /** To be called while the modules are initialized. */
  register(writer: BudgetEventWriter): void {
    this.writers.push(writer);
  }

  async tell(tx: Transaction, event: BudgetEvent): Promise<void> {
    this.metrics.budgetEvents.with(event.type === 'budget.exceeded' ? 'exceeded' : 'threshold', event.subject).add();
    for (const write of this.writers) await write(tx, event);
  }
}

import { Injectable } from '@nestjs/common';
import { EACH } from './budget.js';
import { BudgetStore } from './ports/budget-store.js';
import { type CounterDifference, type CounterView, UsageLedger } from './ports/usage-ledger.js';
import { UsageMetrics } from './usage.metrics.js';

/** What a check of a tenant has found. */
export interface UsageCheckResult {
  /** Counters that were compared with their entries. */
  readonly counters: number;
  readonly differences: readonly CounterDifference[];
}

/** Compares the counters of budgets with the entries that they are for (contract access, section 7.4). */
@Injectable()
export class UsageCheck {
  constructor(
    private readonly budgets: BudgetStore,
    private readonly ledger: UsageLedger,
    private readonly metrics: UsageMetrics,
  ) {}

  /** @param repair whether to set counters that differ to the sums of their entries */
  async tenant(tenantId: string, repair: boolean): Promise<UsageCheckResult> {
    const all = await this.budgets.list(tenantId);
    const counters = (await this.ledger.countersOf(all)).filter((counter) => {
      // A counter of a subject that has a budget of its own counts no more.
      const { subject, name, window } = counter.budget;
      const counts = all.some(
        (other) => other.subject === subject && other.window === window && other.name === counter.name,
      );
      return name !== EACH || subject === 'tenant' || !counts;
    });
    const differences: CounterDifference[] = [];
    for (const counter of counters) {
      const difference = await this.one(counter, repair);
      if (difference) differences.push(difference);
    }
    return { counters: counters.length, differences };
  }

  private async one(counter: CounterView, repair: boolean): Promise<CounterDifference | undefined> {
    const difference = await this.ledger.check(counter, repair);
    if (difference && repair) this.metrics.repaired.add();
    return difference;
  }
}

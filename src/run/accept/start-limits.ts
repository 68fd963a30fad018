import { Injectable } from '@nestjs/common';
import type { Authority } from '../../common/index.js';
import { BudgetActs, BudgetExceeded, Spending, type Starter } from '../../usage/index.js';
import { type CountedStart, RunLimits } from '../ports/run-limits.js';
import { FleetSettings } from '../fleet.settings.js';
import { RunMetrics } from '../run.metrics.js';
import { RunSettings } from '../run.settings.js';
import { DEFAULT_WIRE, type RunRequest } from '../run.types.js';
import type { AcceptOptions } from './accept-transaction.js';

/** Limits as the transaction that accepts a run checks them. */
type Checked = Pick<AcceptOptions, 'queueLimit' | 'queue' | 'active'>;

/** Whether budgets let a run begin. */
@Injectable()
export class StartBudgets {
  constructor(
    private readonly spending: Spending,
    private readonly acts: BudgetActs,
  ) {}

  /** @throws AppError BUDGET_EXCEEDED; the driver's error */
  async admit(starter: Starter): Promise<void> {
    try {
      await this.spending.admit(starter);
    } catch (error) {
      if (error instanceof BudgetExceeded) this.acts.refusedAtStart(starter.tenantId, starter.userId, error);
      throw error;
    }
  }
}

/** The limits for accepted runs: of the session, the owner and the tenant. */
@Injectable()
export class StartLimits {
  constructor(
    private readonly limits: RunLimits,
    private readonly settings: RunSettings,
    private readonly metrics: RunMetrics,
    private readonly fleet: FleetSettings,
    private readonly budgets: StartBudgets,
  ) {}

  /** Refuses a run for which a budget has no room. @throws AppError BUDGET_EXCEEDED; the driver's error */
  admit({ principal, agentType }: RunRequest, authority: Authority | null): Promise<void> {
    const { tenantId, userId } = principal;
    return this.budgets.admit({ tenantId, userId, agent: agentType, account: authority?.actor.account ?? '' });
  }

  /** Counts the start of a run. Returns undefined without limits. @throws AppError RATE_LIMIT_EXCEEDED */
  count({ principal, requester }: RunRequest): Promise<CountedStart | undefined> {
    return this.limits.countStart(principal, requester?.runsPerMinute);
  }

  /** What the transaction checks for a start that was counted; for none, all but the runs that the owner may have. */
  of(start: CountedStart | undefined): Checked {
    const queue = { tenant: this.fleet.tenantQueueLimit, fleet: this.fleet.fleetQueueLimit };
    return { queueLimit: this.settings.queueLimit, queue, active: start?.active };
  }

  /** To be called for each run that was accepted. */
  started({ wire = DEFAULT_WIRE }: RunRequest): void {
    this.metrics.accepted.with(wire).add();
  }
}

import { Injectable } from '@nestjs/common';
import { AuditTrail, SampledActs } from '../audit/index.js';
import { SERVER_ORIGIN } from '../common/index.js';
import { BudgetEvents } from './budget-events.js';
import type { BudgetExceeded } from './budget-exceeded.js';

/** Writes what budgets do into the audit trail (contract access, section 8). */
@Injectable()
export class BudgetActs {
  constructor(
    events: BudgetEvents,
    trail: AuditTrail,
    private readonly sampled: SampledActs,
  ) {
    events.register((tx, { type, tenantId, budgetId, subject, name, window, period, percent, used, limit, at }) =>
      trail.write(tx, {
        tenantId,
        action: type === 'budget.exceeded' ? 'budget.refused' : 'budget.threshold',
        outcome: type === 'budget.exceeded' ? 'refused' : 'done',
        by: { ...SERVER_ORIGIN, userId: subject === 'user' ? name : null },
        subject: { kind: 'budget', id: budgetId },
        details: { ...{ subject, window, period, percent }, used: { ...used }, limit: { ...limit } },
        at,
      }),
    );
  }

  /** A run was not started. One line in a minute for each budget and user, with a count. */
  refusedAtStart(tenantId: string, userId: string, { exceeded }: BudgetExceeded): void {
    const { id, subject, window } = exceeded.budget;
    this.sampled.count({
      ...{ tenantId, action: 'budget.refused', outcome: 'refused', by: { ...SERVER_ORIGIN, userId } },
      subject: { kind: 'budget', id },
      details: { reason: 'start', subject, window },
    });
  }
}

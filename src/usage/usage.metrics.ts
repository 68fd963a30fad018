import { Injectable } from '@nestjs/common';
import { Metrics } from '../common/index.js';

/** The metrics of usage and budgets. */
@Injectable()
export class UsageMetrics {
  /** Model calls by the state of their entry. */
  readonly calls;
  /** By the subject and window of the budget, and where it was noticed. */
  readonly refused;
  /** By kind and subject. */
  readonly budgetEvents;
  /** Counters that differed from their entries. */
  readonly repaired;

  constructor(metrics: Metrics) {
    this.calls = metrics.counters({
      name: 'parley_usage_calls_total',
      help: 'Model calls that were booked, by the state of their entry.',
      labels: ['state'],
    });
    this.refused = metrics.counters({
      name: 'parley_budget_refusals_total',
      help: 'Requests and model calls that were refused because a budget is used up.',
      labels: ['subject', 'window', 'stage'],
    });
    this.budgetEvents = metrics.counters({
      name: 'parley_budget_events_total',
      help: 'Budgets that reached a threshold or were used up.',
      labels: ['event', 'subject'],
    });
    this.repaired = metrics.counter({
      name: 'parley_budget_counters_repaired_total',
      help: 'Counters of budgets that were set to the sums of their entries.',
    });
  }
}

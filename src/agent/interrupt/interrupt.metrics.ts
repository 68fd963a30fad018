import type { Counter, Labelled, Metrics } from '../../common/index.js';

/** What is counted of interrupts. */
export class InterruptMetrics {
  /** Interrupts that are closed, by their status. */
  readonly closed: Labelled<Counter>;

  constructor(metrics: Metrics) {
    this.closed = metrics.counters({
      name: 'parley_approvals_total',
      help: 'Approvals and inputs that are no longer pending, by what became of them.',
      labels: ['outcome'],
    });
  }
}

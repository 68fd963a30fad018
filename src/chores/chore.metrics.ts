import { type Counter, type Histogram, type Labelled, LONG_SECONDS, type Metrics } from '../common/index.js';

/** What is counted of the chores that this process works on. */
export class ChoreMetrics {
  /** By chore and by how it ended. */
  readonly executions: Labelled<Counter>;
  /** By chore. */
  readonly seconds: Labelled<Histogram>;

  constructor(metrics: Metrics) {
    this.executions = metrics.counters({
      name: 'parley_chore_executions_total',
      help: 'Executions of chores by this process, by how they ended.',
      labels: ['chore', 'outcome'],
    });
    this.seconds = metrics.histograms({
      name: 'parley_chore_duration_seconds',
      help: 'How long executions of chores took.',
      labels: ['chore'],
      bounds: LONG_SECONDS,
    });
  }
}

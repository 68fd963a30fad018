import { Injectable } from '@nestjs/common';
import { Metrics } from '../common/index.js';

/** The metrics of the outbox. */
@Injectable()
export class OutboxMetrics {
  /** Attempts by their outcome. */
  readonly attempts;

  constructor(metrics: Metrics) {
    this.attempts = metrics.counters({
      name: 'parley_outbox_attempts_total',
      help: 'Attempts to call clients back, by their outcome.',
      labels: ['channel', 'outcome'],
    });
  }
}

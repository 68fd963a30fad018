import { Injectable } from '@nestjs/common';
import { type Counter, Metrics } from '../../common/index.js';

/** What is counted of limits. */
@Injectable()
export class LimitMetrics {
  /** What was refused, by the kind of the limit that was reached. */
  readonly rejections;
  /** Every request to the shared store that failed: this process then counted for itself. */
  readonly storeFailures: Counter;

  constructor(private readonly metrics: Metrics) {
    this.rejections = metrics.counters({
      name: 'parley_limit_rejections_total',
      help: 'Requests that were refused because a limit was reached, by the kind of the limit.',
      labels: ['kind'],
    });
    this.storeFailures = metrics.counter({
      name: 'parley_limit_store_failures_total',
      help: 'Requests to the shared store of the rate limits that failed; this process then counted for itself.',
    });
  }

  /** Shows whether the shared store of the rate limits is available. */
  watchStore(isAvailable: () => boolean): void {
    this.metrics.gauge(
      { name: 'parley_limit_store_up', help: '1 while the shared store of the rate limits is available, else 0.' },
      () => (isAvailable() ? 1 : 0),
    );
  }
}

import { Injectable } from '@nestjs/common';
import { type Counter, type Histogram, type Labelled, Metrics, SHORT_SECONDS } from '../common/index.js';

/** What is counted of the hints between processes, which Redis carries, and of the watch that stands behind them. */
@Injectable()
export class HintMetrics {
  readonly published: Counter;
  readonly gaps: Counter;
  readonly watchSeconds: Histogram;
  /** By command: `publish` or `ticket`. */
  readonly redisSeconds: Labelled<Histogram>;

  constructor(metrics: Metrics) {
    this.published = metrics.counter({
      name: 'parley_relay_published_total',
      help: 'Messages that were sent to other instances over Redis.',
    });
    this.gaps = metrics.counter({
      name: 'parley_relay_gaps_total',
      help: 'Times at which events were read from the ledger because the relay had lost or delayed those before.',
    });
    this.watchSeconds = metrics.histogram({
      name: 'parley_watch_duration_seconds',
      help: 'How long the query took that looks at everything that is followed at other instances.',
      bounds: SHORT_SECONDS,
    });
    this.redisSeconds = metrics.histograms({
      name: 'parley_redis_command_seconds',
      help: 'How long Redis took for a message of the relay or a ticket, or until it was given up.',
      labels: ['command'],
      bounds: SHORT_SECONDS,
    });
  }
}

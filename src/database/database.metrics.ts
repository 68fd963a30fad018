import { type Counter, type Histogram, Metrics, SHORT_SECONDS } from '../common/index.js';

/** The connections of a pool, as its driver counts them. */
interface Pool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** What is counted of the database. */
export class DatabaseMetrics {
  /** Waits of transactions for a connection. */
  readonly poolWait: Histogram;
  readonly errors: Counter;

  constructor(private readonly metrics: Metrics) {
    this.poolWait = metrics.histogram({
      name: 'parley_db_pool_wait_seconds',
      help: 'How long transactions waited for a connection to PostgreSQL.',
      bounds: SHORT_SECONDS,
    });
    this.errors = metrics.counter({
      name: 'parley_db_errors_total',
      help: 'Transactions and reads that failed in the database.',
    });
  }

  /** Shows the connections of a pool. @param queuedCount requests that wait until they may have one */
  watch(pool: Pool, size: number, queuedCount: () => number): void {
    this.metrics.gauge({ name: 'parley_db_pool_size', help: 'Connections that the pool has at most.' }, () => size);
    this.metrics.gauge(
      { name: 'parley_db_pool_in_use', help: 'Connections that are in use.' },
      () => pool.totalCount - pool.idleCount,
    );
    this.metrics.gauge(
      { name: 'parley_db_pool_waiting', help: 'Transactions and reads that wait for a connection.' },
      () => pool.waitingCount + queuedCount(),
    );
  }
}

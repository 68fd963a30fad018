import { Injectable } from '@nestjs/common';
import { Metrics } from '../../../common/index.js';
import { RequestDatabase, DATABASE_NOW } from '../../../database/index.js';
import { RunRelay } from '../../ports/run-relay.js';
import { RunTickets } from '../../ports/run-tickets.js';
import { LocalRelay } from '../local/local-relay.js';
import { LocalTickets } from '../local/local-tickets.js';

/** How long a reading of the database is used: many may read the metrics, and every instance has them. */
const FRESH_MS = 5000;

/** The queue, through the index of active runs. */
const QUEUE = `SELECT COUNT(*) AS queued, MIN(created_at) AS oldest FROM runs WHERE status = 'queued'`;

const WORKERS = `SELECT draining, COUNT(*) AS alive FROM workers WHERE lease_until >= {now} GROUP BY draining`;

const APPROVALS = `SELECT kind, COUNT(*) AS pending FROM interrupts WHERE status = 'pending' GROUP BY kind`;

const NOW = `SELECT {now} AS now`;

/**
 * Gauges of the whole installation, which every instance reads from the ledger when Prometheus asks: all of them show
 * the same values.
 */
@Injectable()
export class LedgerMetrics {
  private readonly readings = new Map<string, { readonly at: number; readonly rows: Promise<readonly unknown[]> }>();

  constructor(
    private readonly database: RequestDatabase,
    metrics: Metrics,
    relay: RunRelay,
    tickets: RunTickets,
  ) {
    watchHints(metrics, relay, tickets);
    metrics.gauge({ name: 'parley_runs_queued', help: 'Runs that wait, in all instances together.' }, async () =>
      Number((await this.queue()).queued),
    );
    metrics.gauge(
      { name: 'parley_run_queue_oldest_seconds', help: 'How long the oldest queued run has waited; 0 without one.' },
      async () => {
        const { oldest } = await this.queue();
        return oldest === null ? 0 : Math.max(0, Date.now() - oldest) / 1000;
      },
    );
    metrics.gauge(
      { name: 'parley_workers_alive', help: 'Workers with a lease, by state.', labels: ['state'] },
      async () => {
        const rows = await this.read<{ draining: number; alive: number }>(WORKERS);
        const count = (draining: number): number => Number(rows.find((row) => row.draining === draining)?.alive ?? 0);
        return [
          [['working'], count(0)],
          [['draining'], count(1)],
        ];
      },
    );
    metrics.gauge(
      { name: 'parley_approvals_pending', help: 'Interrupts that wait for an answer, by kind.', labels: ['kind'] },
      async () => {
        const rows = await this.read<{ kind: string; pending: number }>(APPROVALS);
        const count = (kind: string): number => Number(rows.find((row) => row.kind === kind)?.pending ?? 0);
        return [
          [['approval'], count('approval')],
          [['input'], count('input')],
        ];
      },
    );
    metrics.gauge(
      {
        name: 'parley_clock_skew_seconds',
        help: 'How far the clock of this machine is ahead of that of the database.',
      },
      () => this.skew(),
    );
  }

  private async queue(): Promise<{ readonly queued: number; readonly oldest: number | null }> {
    const [row] = await this.read<{ queued: number; oldest: number | null }>(QUEUE);
    return row ?? { queued: 0, oldest: null };
  }

  /** The middle of the query is taken for the time at which the database answered. */
  private async skew(): Promise<number> {
    const before = Date.now();
    const [row] = await this.database.read.all<{ now: number }>(this.sql(NOW));
    return row ? ((before + Date.now()) / 2 - row.now) / 1000 : 0;
  }

  private async read<Row>(sql: string): Promise<readonly Row[]> {
    const known = this.readings.get(sql);
    if (known && performance.now() - known.at < FRESH_MS) return (await known.rows) as readonly Row[];
    const rows = this.database.read.all<Row>(this.sql(sql));
    this.readings.set(sql, { at: performance.now(), rows });
    rows.catch(() => this.readings.delete(sql));
    return rows;
  }

  private sql(text: string): string {
    return text.replaceAll('{now}', DATABASE_NOW[this.database.dialect]);
  }
}

/** How well other instances are reached without the ledger. */
function watchHints(metrics: Metrics, relay: RunRelay, tickets: RunTickets): void {
  metrics.gauge(
    {
      name: 'parley_relay_live',
      help: '1 while events of other instances arrive at once; 0 while the ledger is watched for them; absent without Redis.',
    },
    () => (relay instanceof LocalRelay ? undefined : relay.state === 'live' ? 1 : 0),
  );
  metrics.gauge(
    {
      name: 'parley_tickets_live',
      help: '1 while waiting runs are handed to other processes at once, else 0; absent without Redis.',
    },
    () => (tickets instanceof LocalTickets ? undefined : tickets.isLive ? 1 : 0),
  );
  metrics.countedElsewhere(
    {
      name: 'parley_tickets_missed_total',
      help: 'Runs that were found in the ledger although a ticket should have brought them.',
    },
    () => tickets.missed,
  );
}

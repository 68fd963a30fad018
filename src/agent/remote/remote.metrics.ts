import { Injectable } from '@nestjs/common';
import { LONG_SECONDS, Metrics } from '../../common/index.js';

/** What is counted of remote agents in this process. */
@Injectable()
export class RemoteMetrics {
  /** Exchanges with remote agents, by agent and how they ended: `completed`, `incomplete`, `stopped` or an error's code. */
  readonly exchanges;
  /** Connections that were made again, by agent. */
  readonly reattachments;
  /** How long it took from the request to the first event, by agent. */
  readonly firstEvent;
  private readonly running = new Map<string, () => number>();

  constructor(metrics: Metrics) {
    this.exchanges = metrics.counters({
      name: 'parley_remote_exchanges_total',
      help: 'Exchanges with remote agents, by how they ended.',
      labels: ['agent', 'outcome'],
    });
    this.reattachments = metrics.counters({
      name: 'parley_remote_reattachments_total',
      help: 'Connections to remote agents that were lost and made again.',
      labels: ['agent'],
    });
    this.firstEvent = metrics.histograms({
      name: 'parley_remote_first_event_seconds',
      help: 'How long it took from the request to a remote agent to its first event.',
      labels: ['agent'],
      bounds: LONG_SECONDS,
    });
    metrics.gauge(
      {
        name: 'parley_remote_exchanges_in_progress',
        help: 'Exchanges with remote agents that are in progress.',
        labels: ['agent'],
      },
      () => [...this.running].map(([agent, count]) => [[agent], count()]),
    );
  }

  /** Shows how many exchanges of an agent are in progress. */
  watch(agent: string, count: () => number): void {
    this.running.set(agent, count);
  }
}

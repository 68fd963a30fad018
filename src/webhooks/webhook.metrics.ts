import { Injectable } from '@nestjs/common';
import { Clock, LONG_SECONDS, Metrics } from '../common/index.js';
import { OldestWaiting, outcomeLabel, OutboxMetrics } from '../outbox/index.js';
import { DeliveryStore } from './ports/delivery-store.js';
import { WebhookDirectory } from './webhook-directory.js';
import type { SentRequest } from './webhook-requests.js';
import type { DeliveryStatus, WebhookDelivery } from './webhook.types.js';

/** The metrics of webhooks. */
@Injectable()
export class WebhookMetrics {
  /** Deliveries that have ended, by outcome. */
  readonly deliveries;
  /** How long events wait for their first attempt. */
  readonly firstAttempt;

  constructor(
    metrics: Metrics,
    store: DeliveryStore,
    directory: WebhookDirectory,
    clock: Clock,
    private readonly outbox: OutboxMetrics,
  ) {
    this.deliveries = metrics.counters({
      name: 'parley_webhook_deliveries_total',
      help: 'Deliveries of webhooks that are over, by their outcome.',
      labels: ['outcome'],
    });
    this.firstAttempt = metrics.histogram({
      name: 'parley_webhook_first_attempt_seconds',
      help: 'How long events waited for their first attempt to be delivered.',
      bounds: LONG_SECONDS,
    });
    const waiting = new OldestWaiting(() => store.oldestWaiting(), clock);
    metrics.gauge(
      {
        name: 'parley_webhook_oldest_waiting_seconds',
        help: 'How long the oldest event that is still to be delivered has waited, in all instances; 0 without one.',
      },
      () => (directory.isEmpty ? Promise.resolve(0) : waiting.seconds()),
    );
  }

  /** An attempt was made. */
  attempted({ attempts, createdAt }: WebhookDelivery, sent: SentRequest, status: DeliveryStatus): void {
    this.outbox.attempts.with('webhook', outcomeLabel(sent)).add();
    if (attempts === 0) this.firstAttempt.observe(Math.max(0, sent.at - createdAt) / 1000);
    if (status !== 'waiting') this.deliveries.with(status).add();
  }
}

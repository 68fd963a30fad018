import { Injectable } from '@nestjs/common';
import { isTaken, pauseAfter } from '../outbox/index.js';
import { type AttemptResult, DeliveryStore } from './ports/delivery-store.js';
import { type SentRequest, WebhookRequests } from './webhook-requests.js';
import { WebhookStates } from './webhook-states.js';
import type { SealedWebhookSecrets, Webhook, WebhookDelivery } from './webhook.types.js';
import { WebhookMetrics } from './webhook.metrics.js';

/** The status of a receiver that wants no more events. */
const GONE = 410;
/** Statuses that say when to come back. */
const PATIENT: ReadonlySet<number | undefined> = new Set([429, 503]);

/** Attempts deliveries and records their outcomes (contract hooks, section A3). */
@Injectable()
export class WebhookAttempts {
  constructor(
    private readonly requests: WebhookRequests,
    private readonly store: DeliveryStore,
    private readonly states: WebhookStates,
    private readonly metrics: WebhookMetrics,
  ) {}

  /** Tries once. @throws the driver's error */
  async make(webhook: Webhook & SealedWebhookSecrets, delivery: WebhookDelivery): Promise<void> {
    const sent = await this.requests.send(webhook, delivery);
    const result = this.resultOf(delivery, sent);
    this.metrics.attempted(delivery, sent, result.status);
    await this.store.record(delivery, result);
    if (result.status === 'sent') await this.states.succeeded(webhook);
    if (sent.status === GONE) await this.states.disable(webhook, 'The receiver answered 410: it wants no more events');
  }

  private resultOf({ attempts }: WebhookDelivery, sent: SentRequest): AttemptResult {
    const { at, status = null, durationMs, text } = sent;
    const attempt = { at, status, durationMs, text };
    if (isTaken(sent)) return { status: 'sent', attempt };
    if (status === GONE) return { status: 'failed', attempt };
    const retryAfter = PATIENT.has(sent.status) ? sent.retryAfter : undefined;
    const pauseMs = pauseAfter(attempts + 1, retryAfter, this.requests.now(), Math.random());
    return pauseMs === undefined ? { status: 'failed', attempt } : { status: 'waiting', pauseMs, attempt };
  }
}

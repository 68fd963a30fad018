import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../common/index.js';
import { post, type PostOutcome } from '../outbox/index.js';
import type { OutgoingHttp } from '../outgoing/index.js';
import { WebhookAddresses } from './webhook-addresses.js';
import { WebhookSecrets } from './webhook-secrets.js';
import type { SealedWebhookSecrets, Webhook, WebhookDelivery } from './webhook.types.js';

/** The injection token of the client of webhooks, which has rules of its own for special addresses. */
export const WEBHOOK_HTTP = Symbol('WEBHOOK_HTTP');

/** The outcome of a request, and when it was made, in milliseconds since the epoch. */
export type SentRequest = PostOutcome & { readonly at: number };

/** Makes the requests that deliver events (contract hooks, section A3). */
@Injectable()
export class WebhookRequests {
  constructor(
    @Inject(WEBHOOK_HTTP) private readonly http: OutgoingHttp,
    private readonly addresses: WebhookAddresses,
    private readonly secrets: WebhookSecrets,
    private readonly clock: Clock,
  ) {}

  /** Never rejects: a request that must not be sent has an outcome without a status. */
  async send(webhook: Webhook & SealedWebhookSecrets, delivery: WebhookDelivery): Promise<SentRequest> {
    const at = this.clock.now();
    const { id, url } = webhook;
    const secrets = this.secrets.open(id, webhook, at);
    const problem = this.addresses.problemOf(url);
    const refusal =
      problem === undefined
        ? secrets.length === 0 && 'The secret cannot be opened: its key is no longer configured. Rotate it.'
        : `The address ${problem}`;
    if (refusal !== false) return { at, status: undefined, retryAfter: undefined, text: refusal, durationMs: 0 };
    const outcome = await post(
      this.http,
      {
        url,
        body: delivery.body,
        contentType: 'application/json',
        headers: delivery.traceparent === null ? {} : { traceparent: delivery.traceparent },
        id: delivery.id,
        secrets,
        isLoopbackAllowed: this.addresses.isLoopbackAllowed(url),
        isHttpAllowed: this.addresses.isHttpAllowed,
      },
      at,
    );
    return { ...outcome, at };
  }

  now(): number {
    return this.clock.now();
  }
}

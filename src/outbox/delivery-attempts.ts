import { Injectable } from '@nestjs/common';
import { Clock } from '../common/index.js';
import { OutgoingHttp } from '../outgoing/index.js';
import type { OutboxChannel } from './outbox-channel.js';
import { OutboxMetrics } from './outbox.metrics.js';
import { type Delivery, OutboxStore } from './ports/outbox-store.js';
import { isTaken, outcomeLabel, post } from './post.js';
import { pauseAfter } from './retry-plan.js';

/** For how long this process leaves a request that it cannot send to others, in milliseconds. */
const OTHERS_MS = 5000;
/** Refusals after which a request is tried again; after others it is not, and 410 ends the hook. */
const RETRIED: ReadonlySet<number> = new Set([408, 425, 429]);

/** Makes the requests of the outbox and records their outcomes (contract a2a, section 10). */
@Injectable()
export class DeliveryAttempts {
  constructor(
    private readonly store: OutboxStore,
    private readonly http: OutgoingHttp,
    private readonly clock: Clock,
    private readonly metrics: OutboxMetrics,
  ) {}

  /** Tries once. @param channel undefined: this process makes no such requests */
  async make(delivery: Delivery, channel: OutboxChannel | undefined): Promise<void> {
    const { rowId, hook, attempts } = delivery;
    const composed = await channel?.compose(delivery);
    if (composed === undefined) return this.store.retry(rowId, OTHERS_MS, 'this process makes no such requests');
    if (typeof composed === 'string') return this.store.end(rowId, 'sent', composed);
    const outcome = await post(this.http, composed, this.clock.now());
    const { status, retryAfter } = outcome;
    const shown = status === undefined ? outcome.text : String(status);
    this.metrics.attempts.with(hook.channel, outcomeLabel(outcome)).add();
    if (isTaken(outcome)) return this.store.end(rowId, 'sent', shown);
    if (status === 410) return this.store.removeHook(hook.rowId);
    const isFinal = status !== undefined && status >= 400 && status < 500 && !RETRIED.has(status);
    const pause = isFinal ? undefined : pauseAfter(attempts + 1, retryAfter, this.clock.now(), Math.random());
    if (pause === undefined) return this.store.end(rowId, 'failed', shown);
    return this.store.retry(rowId, pause, shown);
  }
}

import { Injectable } from '@nestjs/common';
import { isoTime, type JsonObject, matchesGlob } from '../common/index.js';
import type { Transaction } from '../database/index.js';
import { webhookId } from '../outbox/index.js';
import { type BudgetEvent, BudgetEvents } from '../usage/index.js';
import { DeliveryStore } from './ports/delivery-store.js';
import { WebhookDirectory } from './webhook-directory.js';
import type { Announcement, NewDelivery, Webhook, WebhookEventName } from './webhook.types.js';

/** The longest content that an event includes, in characters of JSON. */
const MOST_CONTENT = 256 * 1024;

/** The event names of OpenAI's webhooks by those of runs. A run that waits for an answer is a completed response there. */
const OPENAI_TYPES: Readonly<Partial<Record<WebhookEventName, string>>> = {
  'run.completed': 'response.completed',
  'run.interrupted': 'response.completed',
  'run.incomplete': 'response.incomplete',
  'run.failed': 'response.failed',
  'run.canceled': 'response.cancelled',
};

/**
 * The body of an event for an endpoint (contract hooks, section A2); undefined if its format does not have the event.
 *
 * @param id the header `webhook-id`
 */
function bodyFor(webhook: Webhook, event: Announcement, id: string): string | undefined {
  if (webhook.format === 'parley') {
    const timestamp = isoTime(event.at);
    return JSON.stringify({ type: event.type, timestamp, data: dataFor(webhook, event) });
  }
  const isTest = event.type === 'endpoint.test';
  const type = isTest ? event.type : OPENAI_TYPES[event.type];
  if (type === undefined) return undefined;
  return JSON.stringify({
    id: id.replace(/^msg_/, 'evt_'),
    object: 'event',
    created_at: Math.floor(event.at / 1000),
    type,
    data: isTest ? {} : { id: event.run?.id },
  });
}

/** Data, with the content that the endpoint includes. Content that is too long is left out, and the event says so. */
function dataFor({ include }: Webhook, { data, content = {} }: Announcement): JsonObject {
  const parts = include.flatMap((name) => {
    const part = content[name]?.();
    if (!part) return [];
    return JSON.stringify(part).length <= MOST_CONTENT ? [part] : [{ [name]: null, [`${name}Omitted`]: true }];
  });
  return Object.assign({}, data, ...parts) as JsonObject;
}

/**
 * Announces events to the endpoints of a tenant, in the transaction of their cause: what is committed is
 * delivered at least once, what is not is never announced (contract hooks, section 0, rule 1).
 */
@Injectable()
export class Announcements {
  constructor(
    private readonly directory: WebhookDirectory,
    private readonly deliveries: DeliveryStore,
  ) {}

  /** Whether a tenant has an endpoint that is enabled. Without a tenant: whether any has. */
  areWanted(tenantId?: string): boolean {
    return tenantId === undefined ? !this.directory.isEmpty : this.directory.of(tenantId).length > 0;
  }

  /** Whether an endpoint of a tenant may want an event of any agent. */
  mayWant(tenantId: string, type: WebhookEventName, named?: string): boolean {
    return this.directory.of(tenantId).some((one) => one.id === named || wants(one, type));
  }

  /** Whether endpoints that want an event filter by agents. */
  filterAgents(tenantId: string, type: WebhookEventName): boolean {
    return this.directory.of(tenantId).some((one) => one.agents !== null && wants(one, type));
  }

  /** Writes a delivery for each endpoint that wants the event. If none does, no statement is made. */
  async announce(tx: Transaction, event: Announcement): Promise<void> {
    const told = this.directory.of(event.tenantId).filter((webhook) => isTold(webhook, event));
    await this.deliveries.insert(
      tx,
      told.flatMap((webhook) => deliveryFor(webhook, event) ?? []),
    );
  }

  /** Writes a delivery for one endpoint, regardless of the events that it has chosen. */
  async announceTo(tx: Transaction, webhook: Webhook, event: Announcement): Promise<void> {
    const delivery = deliveryFor(webhook, event);
    if (delivery) await this.deliveries.insert(tx, [delivery]);
  }
}

/** Names and globs of events; rarely wanted events must be named literally. */
function wants({ events }: Webhook, type: WebhookEventName): boolean {
  if (type === 'run.started') return events.includes(type);
  return events.some((pattern) => matchesGlob(pattern, type, { question: false }));
}

function isTold(webhook: Webhook, { type, agent, named }: Announcement): boolean {
  if (named === webhook.id) return true;
  if (!wants(webhook, type)) return false;
  const { agents } = webhook;
  if (agents === null) return true;
  return agent !== undefined && agents.some((pattern) => matchesGlob(pattern, agent, { question: false }));
}

function deliveryFor(webhook: Webhook, event: Announcement): NewDelivery | undefined {
  const { tenantId, type, cause, run, userId, at } = event;
  const id = webhookId(['webhook', webhook.id, type, ...cause]);
  const body = bodyFor(webhook, event, id);
  if (body === undefined) return undefined;
  return {
    id,
    webhookRowId: webhook.rowId,
    tenantId,
    type,
    runRowId: run?.rowId ?? null,
    runId: run?.id ?? null,
    userId: userId ?? null,
    traceparent: run?.traceparent ?? null,
    body,
    createdAt: at,
  };
}

/** Announces that budgets reach thresholds or are used up (contract hooks, section A2). */
@Injectable()
export class BudgetAnnouncements {
  constructor(
    private readonly announcements: Announcements,
    events: BudgetEvents,
  ) {
    events.register(async (tx, event) => {
      if (announcements.mayWant(event.tenantId, event.type)) await this.announce(tx, event);
    });
  }

  private announce(tx: Parameters<Announcements['announce']>[0], event: BudgetEvent): Promise<void> {
    const { type, tenantId, budgetId: budget, subject, name, window, period, percent, limit, at } = event;
    return this.announcements.announce(tx, {
      tenantId,
      type,
      cause: [budget, name, period, percent],
      data: { budget, subject, name, window, period, percent, used: { ...event.used }, limit: { ...limit } },
      ...(subject === 'agent' && { agent: name }),
      ...(subject === 'user' && { userId: name }),
      at,
    });
  }
}

import type { JsonObject } from '../common/index.js';

/** Every event that can be announced (contract hooks, section A2). */
export const WEBHOOK_EVENTS = [
  'run.started',
  'run.completed',
  'run.incomplete',
  'run.failed',
  'run.canceled',
  'run.interrupted',
  'interrupt.requested',
  'interrupt.answered',
  'interrupt.expired',
  'budget.threshold',
  'budget.exceeded',
  'schedule.missed',
  'schedule.suspended',
  'endpoint.test',
] as const;
/** The name of an event. */
export type WebhookEventName = (typeof WEBHOOK_EVENTS)[number];

/** How bodies are written: events of Parley, or those of OpenAI's webhooks. */
export const WEBHOOK_FORMATS = ['parley', 'openai'] as const;
/** How bodies are written. */
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

/** Content that an endpoint may have in its events. */
export const WEBHOOK_INCLUDES = ['output', 'error', 'arguments'] as const;
/** Content that an endpoint may have in its events. */
export type WebhookInclude = (typeof WEBHOOK_INCLUDES)[number];

/** An address of a tenant that events are announced to, without its secret. Times are milliseconds since the epoch. */
export interface Webhook {
  readonly rowId: number;
  readonly id: string;
  readonly tenantId: string;
  readonly url: string;
  readonly description: string | null;
  /** Names and globs; empty: only runs that name the endpoint. */
  readonly events: readonly string[];
  readonly format: WebhookFormat;
  /** Globs; null: all agents. */
  readonly agents: readonly string[] | null;
  readonly include: readonly WebhookInclude[];
  readonly enabled: boolean;
  /** Why the server has disabled it; null if it has not. */
  readonly disabledReason: string | null;
  readonly createdAt: number;
  readonly lastSuccessAt: number | null;
}

/** The part of an endpoint that an administrator chooses. */
export type WebhookFields = Pick<
  Webhook,
  'url' | 'description' | 'events' | 'format' | 'agents' | 'include' | 'enabled'
>;

/** The secrets of an endpoint, sealed. */
export interface SealedWebhookSecrets {
  readonly secret: string;
  readonly oldSecret: string | null;
  /** When the old one ceases to sign, in milliseconds since the epoch. */
  readonly oldSecretUntil: number | null;
}

/** The states of a delivery. */
export const DELIVERY_STATUSES = ['waiting', 'sent', 'failed'] as const;
/** The states of a delivery. */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One attempt to deliver. */
export interface DeliveryAttempt {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Of the answer; null without one. */
  readonly status: number | null;
  readonly durationMs: number;
  /** The first bytes of the answer, or what went wrong. */
  readonly text: string;
}

/** An event that is announced to one endpoint. Times are milliseconds since the epoch. */
export interface WebhookDelivery {
  readonly rowId: number;
  /** The header `webhook-id`. */
  readonly id: string;
  readonly type: string;
  readonly runId: string | null;
  readonly traceparent: string | null;
  readonly body: string;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  /** When the next attempt is due; 0: at once. */
  readonly dueAt: number;
  readonly createdAt: number;
  readonly endedAt: number | null;
  /** The newest ones, oldest first. */
  readonly log: readonly DeliveryAttempt[];
}

/** A delivery that is to be stored. */
export interface NewDelivery {
  readonly id: string;
  readonly webhookRowId: number;
  readonly tenantId: string;
  readonly type: WebhookEventName;
  readonly runRowId: number | null;
  readonly runId: string | null;
  readonly userId: string | null;
  readonly traceparent: string | null;
  readonly body: string;
  readonly createdAt: number;
}

/** An event to announce. */
export interface Announcement {
  readonly tenantId: string;
  readonly type: WebhookEventName;
  /** Identifies it among the events of its type: the same whenever the same thing is announced. */
  readonly cause: readonly (string | number)[];
  readonly data: JsonObject;
  /** Content, by what an endpoint has to include for it. */
  readonly content?: Readonly<Partial<Record<WebhookInclude, () => JsonObject>>>;
  /** The agent that endpoints may filter by; undefined: no endpoint with a filter receives it. */
  readonly agent?: string;
  /** The run that it is about. */
  readonly run?: { readonly rowId: number; readonly id: string; readonly traceparent: string | null };
  readonly userId?: string;
  /** An endpoint that receives it regardless of the events that it has chosen. */
  readonly named?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

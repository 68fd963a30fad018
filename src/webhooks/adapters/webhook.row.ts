import type { WebhookEntity } from '../../database/index.js';
import type { SealedWebhookSecrets, Webhook, WebhookFields, WebhookFormat, WebhookInclude } from '../webhook.types.js';

/** A row as an endpoint. */
export function webhookOf(row: WebhookEntity): Webhook {
  return {
    rowId: row.rowId,
    id: row.id,
    tenantId: row.tenantId,
    url: row.url,
    description: row.description,
    events: JSON.parse(row.events) as string[],
    format: row.format as WebhookFormat,
    agents: row.agents === null ? null : (JSON.parse(row.agents) as string[]),
    include: JSON.parse(row.include) as WebhookInclude[],
    enabled: row.enabled === 1,
    disabledReason: row.disabledReason,
    createdAt: row.createdAt,
    lastSuccessAt: row.lastSuccessAt,
  };
}

/** A row as an endpoint with its secrets. */
export function secretWebhookOf(row: WebhookEntity): Webhook & SealedWebhookSecrets {
  const { secret, oldSecret, oldSecretUntil } = row;
  return { ...webhookOf(row), secret, oldSecret, oldSecretUntil };
}

/** The columns of what an administrator chooses; only those that are given. */
export function columnsOf(fields: Partial<WebhookFields>): Partial<WebhookEntity> {
  const { events, agents, include, enabled, ...plain } = fields;
  return {
    ...plain,
    ...(events && { events: JSON.stringify(events) }),
    ...(agents !== undefined && { agents: agents && JSON.stringify(agents) }),
    ...(include && { include: JSON.stringify(include) }),
    ...(enabled !== undefined && { enabled: enabled ? 1 : 0 }),
  };
}

import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppError, Clock, isStorable, matchesGlob, type Origin } from '../common/index.js';
import { WebhookStore } from './ports/webhook-store.js';
import { WebhookAddresses } from './webhook-addresses.js';
import { WebhookChanges } from './webhook-changes.js';
import { OVERLAP_MS, WebhookSecrets } from './webhook-secrets.js';
import {
  type Webhook,
  WEBHOOK_EVENTS,
  WEBHOOK_FORMATS,
  WEBHOOK_INCLUDES,
  type WebhookFields,
} from './webhook.types.js';

const MOST_PATTERNS = 50;
const EVENT_PATTERN = /^[a-z.*]{1,64}$/;
const AGENT_PATTERN = /^[\x21-\x7e]{1,128}$/;

/** Checks what an administrator chooses of an endpoint. @throws AppError INVALID_PARAMETER with the field */
function checkFields(fields: Partial<WebhookFields>, addresses: WebhookAddresses): void {
  const { url, description, events, format, agents, include } = fields;
  if (url !== undefined) refuse('url', addresses.problemOf(url));
  if (typeof description === 'string' && (description.length > 256 || !isStorable(description)))
    refuse('description', 'must have at most 256 characters');
  if (format !== undefined && !WEBHOOK_FORMATS.includes(format))
    refuse('format', `must be ${WEBHOOK_FORMATS.join(' or ')}`);
  if (events) checkEvents(events);
  if (agents && (agents.length > MOST_PATTERNS || !agents.every((one) => AGENT_PATTERN.test(one))))
    refuse('agents', `must be at most ${MOST_PATTERNS} names or globs of agents`);
  if (include && (include.length > 10 || !include.every((one) => WEBHOOK_INCLUDES.includes(one))))
    refuse('include', `must be a list of ${WEBHOOK_INCLUDES.join(', ')}`);
}

function checkEvents(events: readonly string[]): void {
  if (events.length > MOST_PATTERNS) refuse('events', `must be at most ${MOST_PATTERNS} names or globs`);
  const unknown = events.find(
    (pattern) =>
      !EVENT_PATTERN.test(pattern) || !WEBHOOK_EVENTS.some((name) => matchesGlob(pattern, name, { question: false })),
  );
  if (unknown !== undefined)
    refuse('events', `must be names or globs of events; ${JSON.stringify(unknown.slice(0, 64))} matches none`);
}

function refuse(field: string, problem: string | undefined): void {
  if (problem === undefined) return;
  const message = `${field} ${problem}`;
  throw new AppError('INVALID_PARAMETER', message, { details: [{ path: field, message }] });
}

/** Endpoints of one tenant. */
const MOST = 20;

/** An endpoint with a secret that is shown only once. */
export interface IssuedWebhook {
  readonly webhook: Webhook;
  /** `whsec_` and base64. */
  readonly secret: string;
}

/** The endpoints of tenants (contract hooks, section A1). Those of another tenant are unknown. */
@Injectable()
export class Webhooks {
  constructor(
    private readonly store: WebhookStore,
    private readonly changes: WebhookChanges,
    private readonly addresses: WebhookAddresses,
    private readonly secrets: WebhookSecrets,
    private readonly clock: Clock,
  ) {}

  /** Oldest first. */
  list(tenantId: string): Promise<readonly Webhook[]> {
    return this.store.list(tenantId);
  }

  /** @throws AppError WEBHOOK_NOT_FOUND */
  async find(tenantId: string, id: string): Promise<Webhook> {
    return found(isWebhookId(id) ? await this.store.find(tenantId, id) : undefined);
  }

  /** @throws AppError INVALID_PARAMETER; WEBHOOK_LIMIT */
  async create(tenantId: string, fields: WebhookFields, by: Origin): Promise<IssuedWebhook> {
    checkFields(fields, this.addresses);
    const id = `wh_${randomUUID().replaceAll('-', '')}`;
    const { secret, sealed } = this.secrets.make(id);
    await this.changes.write(async (tx) => {
      if ((await this.store.countForUpdate(tx, tenantId)) >= MOST)
        throw new AppError('WEBHOOK_LIMIT', `A tenant has at most ${MOST} webhooks`);
      await this.store.insert(tx, { ...fields, id, tenantId, createdAt: this.clock.now(), secret: sealed });
      await this.changes.record(tx, 'webhook.created', { tenantId, id }, by, { events: [...fields.events] });
    });
    return { webhook: await this.find(tenantId, id), secret };
  }

  /** Changes the given fields. Enabling an endpoint clears the reason for which it was disabled. @throws AppError as `create`, and WEBHOOK_NOT_FOUND */
  async update(tenantId: string, id: string, fields: Partial<WebhookFields>, by: Origin): Promise<Webhook> {
    checkFields(fields, this.addresses);
    await this.changes.write(async (tx) => {
      const webhook = found(isWebhookId(id) ? await this.store.findForUpdate(tx, tenantId, id) : undefined);
      const isEnabled = fields.enabled === true && !webhook.enabled;
      const enabling = isEnabled ? { disabledReason: null, enabledAt: this.clock.now() } : {};
      await this.store.update(tx, webhook.rowId, { ...fields, ...enabling });
      await this.changes.record(tx, 'webhook.changed', webhook, by, { fields: Object.keys(fields) });
    });
    return this.find(tenantId, id);
  }

  /** Makes a new secret; the old one signs too for a day. @throws AppError WEBHOOK_NOT_FOUND */
  async rotate(tenantId: string, id: string, by: Origin): Promise<IssuedWebhook> {
    const { secret, sealed } = this.secrets.make(id);
    await this.changes.write(async (tx) => {
      const webhook = found(isWebhookId(id) ? await this.store.findForUpdate(tx, tenantId, id) : undefined);
      const oldSecretUntil = this.clock.now() + OVERLAP_MS;
      await this.store.update(tx, webhook.rowId, { secret: sealed, oldSecret: webhook.secret, oldSecretUntil });
      await this.changes.record(tx, 'webhook.rotated', webhook, by, { oldSecretUntil });
    });
    return { webhook: await this.find(tenantId, id), secret };
  }

  /** Removes an endpoint with its deliveries: what waits is not sent. @throws AppError WEBHOOK_NOT_FOUND */
  async remove(tenantId: string, id: string, by: Origin): Promise<void> {
    await this.changes.write(async (tx) => {
      const webhook = found(isWebhookId(id) ? await this.store.findForUpdate(tx, tenantId, id) : undefined);
      await this.store.remove(tx, webhook.rowId);
      await this.changes.record(tx, 'webhook.deleted', webhook, by);
    });
  }
}

function isWebhookId(id: string): boolean {
  return /^wh_[0-9a-f]{32}$/.test(id);
}

function found<T extends Webhook>(webhook: T | undefined): T {
  if (!webhook) throw new AppError('WEBHOOK_NOT_FOUND');
  return webhook;
}

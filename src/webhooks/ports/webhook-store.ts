import type { Transaction } from '../../database/index.js';
import type { SealedWebhookSecrets, Webhook, WebhookFields } from '../webhook.types.js';

/** An endpoint that is to be stored. */
export type NewWebhook = WebhookFields & Pick<Webhook, 'id' | 'tenantId' | 'createdAt'> & { readonly secret: string };

/** Changes to an endpoint. A field that is absent stays as it is. */
export interface WebhookChanges extends Partial<WebhookFields>, Partial<SealedWebhookSecrets> {
  readonly disabledReason?: string | null;
  /** When it was enabled again. */
  readonly enabledAt?: number;
}

/** The endpoints of all tenants. */
export abstract class WebhookStore {
  abstract insert(tx: Transaction, webhook: NewWebhook): Promise<void>;

  /** How many a tenant has. Other additions to the tenant wait until the transaction is over. */
  abstract countForUpdate(tx: Transaction, tenantId: string): Promise<number>;

  /** Those of a tenant, oldest first. */
  abstract list(tenantId: string): Promise<readonly Webhook[]>;

  abstract find(tenantId: string, id: string): Promise<Webhook | undefined>;

  /** The endpoint with its secrets, locked until the transaction is over. */
  abstract findForUpdate(
    tx: Transaction,
    tenantId: string,
    id: string,
  ): Promise<(Webhook & SealedWebhookSecrets) | undefined>;

  abstract secretsOf(rowId: number): Promise<SealedWebhookSecrets | undefined>;

  /** Changes an endpoint; all processes find out. */
  abstract update(tx: Transaction, rowId: number, changes: WebhookChanges): Promise<void>;

  /** Removes an endpoint with its deliveries. */
  abstract remove(tx: Transaction, rowId: number): Promise<void>;

  /** Notes that the receiver has accepted an event. */
  abstract succeeded(rowId: number, at: number): Promise<void>;

  /**
   * A text that changes whenever an endpoint is added, changed or removed; empty without endpoints.
   *
   * @param withinMs how long the answer may take, so that it needs no transaction of its own
   */
  abstract version(withinMs?: number): Promise<string>;

  /** All that are enabled. */
  abstract enabled(): Promise<readonly Webhook[]>;

  /** The enabled ones that have accepted nothing since a time and have deliveries that failed for good. */
  abstract dead(before: number): Promise<readonly Webhook[]>;
}

import type { Principal } from '../../common/index.js';
import type { Transaction } from '../../database/index.js';
import type {
  DeliveryAttempt,
  DeliveryStatus,
  NewDelivery,
  SealedWebhookSecrets,
  Webhook,
  WebhookDelivery,
} from '../webhook.types.js';

/** Deliveries that a process has taken, and their endpoint. */
export interface ClaimedDeliveries {
  readonly webhook: Webhook & SealedWebhookSecrets;
  readonly deliveries: readonly WebhookDelivery[];
}

/** What became of an attempt. */
export interface AttemptResult {
  /** `waiting`: it is tried again after the pause. */
  readonly status: DeliveryStatus;
  readonly pauseMs?: number;
  readonly attempt: DeliveryAttempt;
}

/** Which deliveries of an endpoint to list. */
export interface DeliveryQuery {
  readonly status?: DeliveryStatus | undefined;
  readonly limit: number;
  /** Only older ones than that with this number. */
  readonly before?: number | undefined;
}

/** How many deliveries wait, and since when. */
export interface Waiting {
  readonly tenantId: string;
  readonly webhookRowId: number;
  readonly count: number;
}

/** What is announced to endpoints. */
export abstract class DeliveryStore {
  /** Adds deliveries. Those that were added before are left as they are. */
  abstract insert(tx: Transaction, deliveries: readonly NewDelivery[]): Promise<void>;

  /** The agent of a run, for endpoints that filter by it; undefined if the run is gone. */
  abstract agentOf(tx: Transaction, runRowId: number): Promise<string | undefined>;

  /** How long ago this process has last made something due, in milliseconds; it may not be committed yet. */
  abstract readonly quietMs: number;

  /**
   * The row ids of endpoints for which something is due.
   *
   * @param withinMs how long the answer may take, so that it needs no transaction of its own
   */
  abstract dueWebhooks(withinMs: number): Promise<readonly number[]>;

  /**
   * Takes what is due for an endpoint, oldest first.
   *
   * @param options.inFlight how many may be taken by all processes together at the same time
   * @returns undefined if nothing is due, or another process is taking some
   */
  abstract claim(
    webhookRowId: number,
    options: { readonly leaseMs: number; readonly inFlight: number },
  ): Promise<ClaimedDeliveries | undefined>;

  /** Records an attempt. Nothing happens if another process has recorded one meanwhile. */
  abstract record(delivery: WebhookDelivery, result: AttemptResult): Promise<void>;

  /** Newest first. */
  abstract list(webhookRowId: number, query: DeliveryQuery): Promise<readonly WebhookDelivery[]>;

  /** Makes a delivery due at once, in whatever state it is. Returns false if there is none. */
  abstract repeat(tx: Transaction, webhookRowId: number, id: string): Promise<boolean>;

  abstract find(webhookRowId: number, id: string): Promise<WebhookDelivery | undefined>;

  /** What waits for endpoints that are enabled, by endpoint. */
  abstract waiting(): Promise<readonly Waiting[]>;

  /** When the oldest waiting delivery of an endpoint that is enabled was added; undefined without one. */
  abstract oldestWaiting(): Promise<number | undefined>;

  /** Removes deliveries that are older. */
  abstract prune(createdBefore: number): Promise<void>;

  /** Removes what tells about a user. Returns how many. */
  abstract removeOfUser(tx: Transaction, user: Principal): Promise<number>;

  /** Removes the deliveries about the runs of a session, or about one run. */
  abstract removeOfRuns(
    tx: Transaction,
    of: { readonly sessionRowId: number } | { readonly runRowId: number },
  ): Promise<void>;
}

import type { Delivery } from './ports/outbox-store.js';

/** A request as it is sent. */
export interface ComposedDelivery {
  readonly url: string;
  readonly body: string;
  readonly contentType: string;
  /** Further headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Identifies the request to its receiver: the same on every attempt. */
  readonly id: string;
  /** Secrets that sign it: base64 behind `whsec_`. */
  readonly secrets: readonly string[];
  /** Whether it may go to this machine. */
  readonly isLoopbackAllowed: boolean;
  /** Whether it may go without TLS to any address. Default: only to this machine. */
  readonly isHttpAllowed?: boolean;
}

/** Makes the requests of one kind of hook. */
export interface OutboxChannel {
  readonly name: string;
  /** The request of a delivery; a sentence that says why there is none, and it is dropped. */
  compose(delivery: Delivery): Promise<ComposedDelivery | string>;
}

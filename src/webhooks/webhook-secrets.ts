import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SealedSecrets } from '../outbox/index.js';
import type { SealedWebhookSecrets } from './webhook.types.js';

/** How long the old secret still signs after a rotation, in milliseconds: a day. */
export const OVERLAP_MS = 24 * 60 * 60 * 1000;
const SECRET_BYTES = 32;

/** A secret that was just made. */
export interface NewSecret {
  /** `whsec_` and base64: shown once. */
  readonly secret: string;
  readonly sealed: string;
}

/** The secrets that sign events: made here, sealed in the database. */
@Injectable()
export class WebhookSecrets {
  constructor(private readonly sealed: SealedSecrets) {}

  /** @param webhookId the endpoint: the sealed secret opens for no other */
  make(webhookId: string): NewSecret {
    const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
    return { secret, sealed: this.sealed.seal(secret, aboutOf(webhookId)) };
  }

  /** The secrets that sign at a time: none if the keys that sealed them are gone. */
  open(webhookId: string, { secret, oldSecret, oldSecretUntil }: SealedWebhookSecrets, now: number): readonly string[] {
    const isOldUsed = oldSecret !== null && oldSecretUntil !== null && oldSecretUntil > now;
    return [secret, ...(isOldUsed ? [oldSecret] : [])].flatMap(
      (one) => this.sealed.open(one, aboutOf(webhookId)) ?? [],
    );
  }

  /** The secret sealed with the newest key; undefined if it is sealed with that key already, or cannot be opened. */
  resealed(webhookId: string, secret: string): string | undefined {
    if (this.sealed.isNewest(secret)) return undefined;
    const text = this.sealed.open(secret, aboutOf(webhookId));
    return text === undefined ? undefined : this.sealed.seal(text, aboutOf(webhookId));
  }
}

function aboutOf(webhookId: string): string {
  return JSON.stringify(['webhook', webhookId]);
}

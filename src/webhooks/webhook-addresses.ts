import { isIP } from 'node:net';
import { isLoopback } from '../config/index.js';
import { AddressRules } from '../outgoing/index.js';
import type { WebhookSettings } from './webhook.settings.js';

/** Which addresses webhooks may be sent to (contract hooks, sections A1 and A3). */
export class WebhookAddresses {
  private readonly rules: AddressRules;

  /** @param mayBeLocal whether events may go to this machine: without authentication, whoever asks is on it */
  constructor(
    private readonly settings: WebhookSettings,
    private readonly mayBeLocal: boolean,
  ) {
    this.rules = new AddressRules(settings.allowed);
  }

  /** Whether requests may go without TLS to any address that they may go to. */
  get isHttpAllowed(): boolean {
    return this.settings.isHttpAllowed;
  }

  /** Whether this address is one of this machine that events may go to. */
  isLoopbackAllowed(address: string): boolean {
    return this.mayBeLocal && isLoopback(hostOf(new URL(address)));
  }

  /**
   * Why events must not be sent to an address, as the end of a sentence; undefined if they may be. What a name resolves
   * to is checked when it is connected to.
   */
  problemOf(address: string): string | undefined {
    if (address.length > 2048 || !URL.canParse(address)) return 'must be an address of at most 2048 characters';
    const url = new URL(address);
    if (url.username !== '' || url.password !== '') return 'must not name a user';
    if (address.includes('#')) return 'must not have a fragment';
    const isLocal = this.isLoopbackAllowed(address);
    const isHttp = url.protocol === 'http:' && (isLocal || this.isHttpAllowed);
    if (url.protocol !== 'https:' && !isHttp) return 'must be an https address (WEBHOOKS_ALLOW_HTTP)';
    const host = hostOf(url);
    if (isIP(host) > 0 && !this.rules.permits(host, host, isLocal))
      return 'must be a public address, or one that WEBHOOK_ALLOWED_NETWORKS lists';
    return undefined;
  }
}

/** A host without the brackets of IPv6. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

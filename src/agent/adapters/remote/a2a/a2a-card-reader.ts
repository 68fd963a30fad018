import type { JsonWebKey } from 'node:crypto';
import { isPlainObject } from '../../../../common/index.js';
import type { RemoteAgentConfig } from '../../../remote/remote-config.js';
import type { Fields } from '../json-fields.js';
import { protocolFailure, RemoteFailure } from '../remote-failure.js';
import type { RemoteRequest } from '../remote-http.js';
import type { Ask } from '../remote-kind.js';
import { type A2aInterface, type A2aVersion, cardAddresses, cardMs, credentialsIn, interfaceOf } from './a2a-card.js';
import { signedCard } from './a2a-signature.js';

/** How long keys at an address count, in milliseconds. */
const KEYS_MS = 600_000;
/** The most keys at an address. */
const MOST_KEYS = 100;

/** What the card of an agent has said. */
interface KnownCard {
  /** In the version that the server has understood, if the card names another. */
  readonly at: A2aInterface;
  /** The credentials that it asks for, in words. */
  readonly credentials: string | undefined;
}

/** Reads the card of one agent, as often as the card says, and checks its signature. */
export class A2aCardReader {
  private known: KnownCard | undefined;
  /** When the card, and the keys of its signature, are read again, by `performance.now()`. */
  private until = 0;
  private keys: readonly JsonWebKey[] = [];
  private keysUntil = 0;

  constructor(private readonly config: RemoteAgentConfig) {}

  /** The card as it was last read. */
  get card(): KnownCard | undefined {
    return this.known;
  }

  /** The server has understood another version than the card names: that counts as long as the card. */
  understood(version: A2aVersion): void {
    if (this.known) this.known = { ...this.known, at: { ...this.known.at, version } };
  }

  /**
   * Reads the card if it is not known or old.
   *
   * @throws RemoteFailure; AppError CONFIGURATION_ERROR for a card that cannot be used
   */
  async read(get: Ask): Promise<void> {
    if (this.known && performance.now() < this.until) return;
    const { card: whole, ms } = await this.fetch(get);
    const card = await this.checked(whole, get);
    this.known = { at: interfaceOf(card, this.config), credentials: credentialsIn(card) };
    this.until = performance.now() + ms;
  }

  private async fetch(get: Ask): Promise<{ readonly card: Fields; readonly ms: number }> {
    const addresses = cardAddresses(this.config);
    for (const url of addresses) {
      try {
        let ms = 0;
        const request: RemoteRequest = { method: 'GET', url, headers: { 'a2a-version': '1.0' } };
        const card = await get(request, (header) => (ms = cardMs(header)));
        if (!isPlainObject(card)) throw protocolFailure('The card of the remote agent is no JSON object');
        return { card, ms };
      } catch (error) {
        const isMissing = error instanceof RemoteFailure && error.answer?.status === 404;
        if (!isMissing || url === addresses.at(-1)) throw error;
      }
    }
    throw protocolFailure('The remote agent has no card');
  }

  /** What counts of a card: with `verify` only what is signed. Keys that do not fit are read again: they may have changed. */
  private async checked(card: Fields, get: Ask): Promise<Fields> {
    const { verify } = this.config;
    if (!verify) return card;
    const known = verify instanceof URL ? this.knownKeys : verify;
    const signed = await signedCard(card, known);
    if (signed) return signed;
    const again = verify instanceof URL ? await signedCard(card, await this.keysAt(verify, get)) : undefined;
    if (again) return again;
    throw protocolFailure('The card of the remote agent is not signed with a key that "verify" names');
  }

  /** The keys at the address of `verify`, while they count. */
  private get knownKeys(): readonly JsonWebKey[] {
    return performance.now() < this.keysUntil ? this.keys : [];
  }

  private async keysAt(url: URL, get: Ask): Promise<readonly JsonWebKey[]> {
    const set = await get({ method: 'GET', url, headers: {}, isPublic: true });
    const keys: unknown = isPlainObject(set) ? set['keys'] : undefined;
    if (!Array.isArray(keys) || !keys.every(isPlainObject))
      throw protocolFailure('The keys that "verify" names are no JSON Web Key Set');
    this.keys = (keys as JsonWebKey[]).slice(0, MOST_KEYS);
    this.keysUntil = performance.now() + KEYS_MS;
    return this.keys;
  }
}

import { timingSafeEqual } from 'node:crypto';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { AppError, Clock } from '../../common/index.js';
import { invalidCredential } from '../access-errors.js';
import { AccessCache } from '../cache/access-cache.js';
import { CredentialVerifier, type Identity, type PresentedCredential } from '../identity/identity.js';
import { roughNetwork } from '../network/networks.js';
import { ApiKeyStore, type StoredApiKey } from '../ports/api-key-store.js';
import { hashOfKey, idOfKey, KEY_PREFIX } from './key-form.js';
import { KeyVerdict } from './key-verdict.js';

/** How often the last use of a key is written. */
const USE_INTERVAL_MS = 60_000;
/** Compared with if there is no row, so that an unknown id takes as long as a wrong secret. */
const DUMMY_HASH = '0'.repeat(64);

/** Verifies API keys (contract access, section 3.1). A key that was seen within 5 s takes a few microseconds. */
@Injectable()
export class ApiKeyVerifier extends CredentialVerifier implements OnModuleDestroy {
  readonly method = 'keys';
  private readonly logger = new Logger(ApiKeyVerifier.name);
  /** Writes in progress. */
  private readonly uses = new Set<Promise<void>>();

  constructor(
    private readonly store: ApiKeyStore,
    private readonly cache: AccessCache,
    private readonly clock: Clock,
  ) {
    super();
  }

  verify({ token, address }: PresentedCredential): Identity | undefined | Promise<Identity> {
    if (!token?.startsWith(KEY_PREFIX)) return undefined;
    const id = idOfKey(token);
    if (id === undefined) throw invalidCredential();
    const hash = hashOfKey(token);
    const known = this.cache.keys.get(hash);
    if (known) return this.admit(known, address);
    return this.cache.keys.load(hash, () => this.lookUp(id, hash)).then((verdict) => this.admit(verdict, address));
  }

  async isCurrent({ actor }: Identity): Promise<boolean> {
    return new KeyVerdict(await this.find(actor.id)).holds(this.clock.now());
  }

  /** Waits for the uses that are being recorded: the database is closed next. */
  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.uses);
  }

  private admit(verdict: KeyVerdict, address: string): Identity {
    const now = this.clock.now();
    const identity = verdict.judge(address, now);
    if (verdict.claimsRecord(now, USE_INTERVAL_MS)) this.recordUse(identity.actor.id, address, now);
    return identity;
  }

  private async lookUp(id: string, hash: string): Promise<KeyVerdict> {
    const stored = await this.find(id);
    const isEqual = timingSafeEqual(Buffer.from(hash), Buffer.from(stored?.hash ?? DUMMY_HASH));
    return new KeyVerdict(isEqual ? stored : undefined);
  }

  /** Fails closed: without the database nobody is let in who is not remembered. */
  private async find(id: string): Promise<StoredApiKey | undefined> {
    try {
      return await this.store.findForVerification(id);
    } catch (cause) {
      throw new AppError('IDENTITY_UNAVAILABLE', undefined, { cause });
    }
  }

  /** The request does not wait for it, and does not fail with it. */
  private recordUse(id: string, address: string, now: number): void {
    const use = { at: now, network: roughNetwork(address) ?? null, unlessAfter: now - USE_INTERVAL_MS };
    const recorded: Promise<void> = this.store
      .recordUse(id, use)
      .catch((error: unknown) => {
        this.logger.warn(`The last use of the key ${id} was not recorded: ${String(error)}`);
      })
      .finally(() => this.uses.delete(recorded));
    this.uses.add(recorded);
  }
}

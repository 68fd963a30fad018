import { Logger } from '@nestjs/common';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWSHeaderParameters, type JWTVerifyGetKey } from 'jose';
import { AppError, isPlainObject, RETRY_AFTER_SECONDS, type WallClock } from '../../common/index.js';
import type { OidcIssuer } from './issuers.js';
import type { ProviderHttp } from './provider-http.js';

/** How long keys are used without asking again. */
const FRESH_MS = 600_000;
/** How much longer they are used while the provider cannot be reached. */
const STALE_MS = 3_600_000;
/** The least time between two requests for an unknown key, and after a request that failed. */
const PAUSE_MS = 30_000;
const DISCOVERY_PATH = '/.well-known/openid-configuration';

/** The keys of one moment. */
interface KeySet {
  readonly find: ReturnType<typeof createLocalJWKSet>;
  readonly at: number;
}

/** The key that verifies a token with this header. */
export type SigningKey = Awaited<ReturnType<JWTVerifyGetKey>>;

/** The public keys of one issuer, found by discovery and refreshed as contract access, section 3.2 says. */
export class SigningKeys {
  private readonly logger = new Logger(SigningKeys.name);
  /** The last set that was read. */
  private set: KeySet | undefined;
  /** The request that is under way. */
  private refreshing: Promise<void> | undefined;
  private hasFailed = false;
  /** When the provider may be asked again for an unknown key, or after a failure. */
  private nextAt = 0;

  constructor(
    private readonly issuer: Pick<OidcIssuer, 'alias' | 'issuer'>,
    private readonly http: Pick<ProviderHttp, 'json'>,
    private readonly clock: WallClock,
  ) {}

  /**
   * The key of a token. A key that the last set does not have is asked for.
   *
   * @throws AppError IDENTITY_UNAVAILABLE when the provider cannot be asked; an error of `jose` when it does not
   *   have exactly one such key
   */
  async find(header: JWSHeaderParameters): Promise<SigningKey> {
    const set = await this.current();
    try {
      return await set.find(header);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await this.askForUnknown();
      if (this.set && this.set !== set) return await this.set.find(header);
      if (this.hasFailed) throw unavailable();
      throw error;
    }
  }

  /** Keys that may be used now. */
  private async current(): Promise<KeySet> {
    const now = this.clock.now();
    const age = now - (this.set?.at ?? -Infinity);
    if (this.set && age < FRESH_MS) return this.set;
    const isUsable = age < FRESH_MS + STALE_MS;
    if (now >= this.nextAt || this.refreshing) {
      const refreshed = this.refresh();
      // After a failure nobody waits: the provider may take seconds to fail again.
      if (!isUsable || !this.hasFailed) await refreshed;
    }
    if (this.set && this.clock.now() - this.set.at < FRESH_MS + STALE_MS) return this.set;
    throw unavailable();
  }

  private async askForUnknown(): Promise<void> {
    const now = this.clock.now();
    if (this.refreshing) return this.refreshing;
    if (now < this.nextAt) return;
    this.nextAt = now + PAUSE_MS;
    await this.refresh();
  }

  /** Reads the keys again, once for all who wait. Never rejects. */
  private refresh(): Promise<void> {
    return (this.refreshing ??= this.read().finally(() => (this.refreshing = undefined)));
  }

  private async read(): Promise<void> {
    try {
      const { issuer } = this.issuer;
      const uri = addressOf(await this.http.json(issuer.replace(/\/$/, '') + DISCOVERY_PATH, issuer), issuer);
      // Throws when it is not a set of keys.
      const find = createLocalJWKSet((await this.http.json(uri, issuer)) as JSONWebKeySet);
      this.set = { find, at: this.clock.now() };
      if (this.hasFailed) this.logger.log(`The keys of the issuer ${this.issuer.alias} can be read again`);
      this.hasFailed = false;
    } catch (error) {
      this.nextAt = this.clock.now() + PAUSE_MS;
      if (!this.hasFailed)
        this.logger.warn(`The keys of the issuer ${this.issuer.alias} cannot be read: ${reasonOf(error)}`);
      this.hasFailed = true;
    }
  }
}

/** Where the keys of a discovery document are. @throws Error when the document is of another issuer, or names none */
function addressOf(document: unknown, issuer: string): string {
  if (!isPlainObject(document)) throw new Error('the discovery document is not an object');
  if (document['issuer'] !== issuer) throw new Error('the discovery document is of another issuer');
  const uri = document['jwks_uri'];
  if (typeof uri !== 'string') throw new Error('the discovery document names no jwks_uri');
  return uri;
}

function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || (code ?? 'unknown reason');
}

function unavailable(): AppError {
  return new AppError('IDENTITY_UNAVAILABLE', undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

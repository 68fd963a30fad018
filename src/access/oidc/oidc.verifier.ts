import { hash } from 'node:crypto';
import { decodeJwt, errors, jwtVerify, type JWTVerifyResult } from 'jose';
import { AppError, type WallClock } from '../../common/index.js';
import { invalidCredential } from '../access-errors.js';
import { CredentialVerifier, type Identity, type PresentedCredential } from '../identity/identity.js';
import type { Roles } from '../identity/roles.js';
import { inActiveTenant, type TenantDirectory } from '../tenants/tenant-directory.js';
import type { OidcIssuer } from './issuers.js';
import type { ProviderHttp } from './provider-http.js';
import { SigningKeys } from './signing-keys.js';
import { identityOf } from './token-claims.js';

const LONGEST_TOKEN = 8192;
/** Three parts, the first of which is the beginning of a JSON object. */
const JWT = /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/;
const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 10_000;
const REQUIRED_CLAIMS = ['iss', 'aud', 'exp', 'iat'];

/** An issuer with its keys. */
interface Provider {
  readonly issuer: OidcIssuer;
  readonly keys: SigningKeys;
}

/** A token that was verified. */
interface Remembered {
  readonly identity: Identity;
  /** When it is verified again, in milliseconds since the epoch. */
  readonly until: number;
}

/** What the verifier is made of. */
export interface OidcVerifierOptions {
  readonly issuers: readonly OidcIssuer[];
  readonly roles: Roles;
  readonly tenants: TenantDirectory;
  readonly http: ProviderHttp;
  readonly clock: WallClock;
}

/** Verifies access tokens (JWTs) of the configured OpenID providers (contract access, section 3.2). */
export class OidcVerifier extends CredentialVerifier {
  readonly method = 'oidc';
  private readonly providers: ReadonlyMap<string, Provider>;
  /** By the SHA-256 of the token, oldest first. */
  private readonly remembered = new Map<string, Remembered>();

  constructor(private readonly options: OidcVerifierOptions) {
    super();
    const { issuers, http, clock } = options;
    this.providers = new Map(
      issuers.map((issuer) => [issuer.issuer, { issuer, keys: new SigningKeys(issuer, http, clock) }]),
    );
  }

  /** A promise only for a token that is not known yet, or whose tenant has to be looked up. */
  verify({ token }: PresentedCredential): Identity | undefined | Promise<Identity | undefined> {
    if (token === undefined || !JWT.test(token)) return undefined;
    if (token.length > LONGEST_TOKEN) throw invalidCredential();
    const digest = hash('sha256', token, 'base64');
    const known = this.remembered.get(digest);
    if (known && known.until > this.options.clock.now()) return inActiveTenant(this.options.tenants, known.identity);
    return this.verifyNew(token, digest);
  }

  isCurrent({ tenantId }: Identity): boolean | Promise<boolean> {
    return this.options.tenants.isActive(tenantId);
  }

  private async verifyNew(token: string, digest: string): Promise<Identity> {
    const provider = this.providerOf(token);
    const { payload } = await this.verified(token, provider);
    const identity = identityOf(payload, provider.issuer, this.options.roles);
    const active = await inActiveTenant(this.options.tenants, identity);
    this.remember(digest, active, (payload.exp ?? 0) * 1000);
    return active;
  }

  /** The only claim that is believed before the signature is `iss`, to choose whose signature it has to be. */
  private providerOf(token: string): Provider {
    let issuer: string | undefined;
    try {
      issuer = decodeJwt(token).iss;
    } catch {
      throw invalidCredential();
    }
    const provider = typeof issuer === 'string' ? this.providers.get(issuer) : undefined;
    if (!provider) throw invalidCredential();
    return provider;
  }

  private async verified(token: string, { issuer, keys }: Provider): Promise<JWTVerifyResult> {
    try {
      const result = await jwtVerify(token, (header) => keys.find(header), {
        issuer: issuer.issuer,
        audience: issuer.audience,
        algorithms: issuer.algorithms,
        clockTolerance: issuer.skewS,
        currentDate: new Date(this.options.clock.now()),
        requiredClaims: REQUIRED_CLAIMS,
      });
      if (issuer.types && !isOfType(result.protectedHeader.typ, issuer.types)) throw invalidCredential();
      return result;
    } catch (error) {
      if (error instanceof AppError) throw error;
      // Whatever is wrong with a token, its sender is told one sentence.
      if (error instanceof errors.JOSEError || error instanceof TypeError) throw invalidCredential();
      throw error;
    }
  }

  private remember(digest: string, identity: Identity, exp: number): void {
    const now = this.options.clock.now();
    const until = Math.min(exp, now + REMEMBERED_MS);
    if (until <= now) return;
    this.remembered.delete(digest);
    const [oldest] = this.remembered.size >= MAX_REMEMBERED ? this.remembered.keys() : [];
    if (oldest !== undefined) this.remembered.delete(oldest);
    this.remembered.set(digest, { identity, until });
  }
}

/** Media types may leave out `application/` and differ in case (RFC 7515, section 4.1.9). */
function isOfType(type: unknown, types: readonly string[]): boolean {
  return typeof type === 'string' && types.some((one) => mediaType(one) === mediaType(type));
}

function mediaType(type: string): string {
  return type.toLowerCase().replace(/^application\//, '');
}

import type { IncomingMessage } from 'node:http';
import type { Actor } from '../../common/index.js';

/** How many requests an identity may send, where that differs from the configured limits. Per minute. */
export interface OwnLimits {
  readonly requests?: number;
  readonly runs?: number;
}

/** What a verifier makes of a credential. */
export interface Identity {
  readonly tenantId: string;
  readonly actor: Actor;
  /** The user that the credential is bound to; undefined for a key that may act for others or for itself. */
  readonly userId: string | undefined;
  readonly scopes: readonly string[];
  readonly roles: readonly string[];
  /** When the credential ends, in milliseconds since the epoch; undefined for never. */
  readonly expiresAt: number | undefined;
  readonly limits?: OwnLimits;
}

/** The ways to authenticate (`AUTH`). */
export type AuthenticationMethod = 'keys' | 'oidc' | 'proxy';

/** What a request shows of itself before its route is considered. */
export interface PresentedCredential {
  /** The bearer token or API key; undefined when the request has none. */
  readonly token: string | undefined;
  readonly request: IncomingMessage;
  /** The client's network address. */
  readonly address: string;
}

/** Verifies credentials of one kind. All verifiers that are switched on are asked in turn. */
export abstract class CredentialVerifier {
  abstract readonly method: AuthenticationMethod;

  /**
   * Who sent a request; undefined when the request has no credential of this kind.
   *
   * @throws AppError AUTH_FAILED for a credential that is not valid, PERMISSION_DENIED for one of an unknown
   *   or suspended tenant, IDENTITY_UNAVAILABLE when it cannot be verified at the moment
   */
  abstract verify(credential: PresentedCredential): Identity | undefined | Promise<Identity | undefined>;

  /**
   * Whether an identity that was verified earlier still holds. Asked now and then for open streams, once per
   * credential. `expiresAt` is checked elsewhere.
   */
  abstract isCurrent(identity: Identity): boolean | Promise<boolean>;
}

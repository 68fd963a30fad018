import { DEFAULT_TENANT } from '../../src/common/index.js';
import { Authenticator, CredentialVerifier, type Identity, type PresentedCredential } from '../../src/access/index.js';
import type { Override } from './server.js';

/** The rights of a user who may do everything with the own data. */
const USER_SCOPES = ['runs:write', 'runs:read', 'approvals:decide'];

/**
 * Takes tokens at their word: `alice@acme` is the user alice of the tenant acme, `alice@acme runs:read` has only that
 * scope. For tests of what callers may do; how credentials are verified is tested with real ones.
 */
class NamedUsers extends CredentialVerifier {
  readonly method = 'oidc';

  verify({ token }: PresentedCredential): Identity | undefined {
    const [, userId, tenantId, scopes] = /^(\w+)@(\w+)(?: (.*))?$/.exec(token ?? '') ?? [];
    if (userId === undefined || tenantId === undefined) return undefined;
    return {
      tenantId,
      actor: { kind: 'user', id: userId },
      userId,
      scopes: scopes === undefined ? USER_SCOPES : scopes.split(' '),
      roles: [],
      expiresAt: undefined,
    };
  }

  isCurrent(): boolean {
    return true;
  }
}

/** A back end whose key may act for every user. */
export const BACK_END: Identity = {
  tenantId: DEFAULT_TENANT,
  actor: { kind: 'key', id: 'k1', account: 'backend' },
  userId: undefined,
  scopes: [
    'runs:write',
    'runs:read',
    'approvals:decide',
    'docs:read',
    'ops:read',
    'users:*',
    'agents:*',
    'tools:*',
    'models:*',
  ],
  roles: [],
  expiresAt: undefined,
};

/** Takes every request for one of that back end, whatever it presents. */
class TrustedBackEnd extends CredentialVerifier {
  readonly method = 'keys';

  verify(): Identity {
    return BACK_END;
  }

  isCurrent(): boolean {
    return true;
  }
}

/** Makes a server authenticate every request as a back end that acts for the users it names. */
export const TRUSTED_BACK_END: Override = {
  provide: Authenticator,
  useValue: new Authenticator({ isAuthenticated: true, actAsMismatch: 'refuse' }, [new TrustedBackEnd()]),
};

/** Makes a server authenticate callers by tokens that say who they are. */
export const NAMED_USERS: Override = {
  provide: Authenticator,
  useValue: new Authenticator({ isAuthenticated: true, actAsMismatch: 'refuse' }, [new NamedUsers()]),
};

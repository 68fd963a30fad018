import { DEFAULT_TENANT, type Principal } from '../../common/index.js';

/** The user of a request that names none. */
export const ANONYMOUS_USER = 'anonymous';

/** Whose things a request may see: those of one user, or of all of a tenant. */
export interface RequestScope {
  readonly tenantId: string;
  readonly userId?: string;
}

/**
 * Whose things a request may see: those of the user it names. Without one, and as long as nobody has to
 * log in, those of all users; with authentication it is the user of the credentials, like `requestPrincipal`.
 */
export function requestScope(userId: string | null | undefined): RequestScope {
  return typeof userId === 'string' ? requestPrincipal(userId) : { tenantId: DEFAULT_TENANT };
}

/**
 * Who is asking, as the request itself says. The one place to replace when authentication exists:
 * then the tenant and the user come from the credentials.
 */
export function requestPrincipal(userId: string | null | undefined): Principal {
  return { tenantId: DEFAULT_TENANT, userId: userId ?? ANONYMOUS_USER };
}

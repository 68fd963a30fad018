import { DEFAULT_TENANT, type Principal } from '../../common/index.js';

/** The user of a request that names none. */
export const ANONYMOUS_USER = 'anonymous';

/** Whose things a request may see: those of one user, or of all of a tenant. */
export interface RequestScope {
  readonly tenantId: string;
  readonly userId?: string;
}

/**
 * Whose things a request may see: those of the user it names; those of all users of the tenant if it names
 * none and there is no authentication.
 */
export function requestScope(userId: string | null | undefined): RequestScope {
  return typeof userId === 'string' ? requestPrincipal(userId) : { tenantId: DEFAULT_TENANT };
}

/**
 * The principal of a request without credentials: the user that the request names.
 */
export function requestPrincipal(userId: string | null | undefined): Principal {
  return { tenantId: DEFAULT_TENANT, userId: userId ?? ANONYMOUS_USER };
}

import { DEFAULT_TENANT, type Principal } from '../../common/index.js';

/** The user of a request that names none. */
export const ANONYMOUS_USER = 'anonymous';

/**
 * Who is asking, as the request itself says. The one place to replace when authentication exists:
 * then the tenant and the user come from the credentials.
 */
export function requestPrincipal(userId: string | null | undefined): Principal {
  return { tenantId: DEFAULT_TENANT, userId: userId ?? ANONYMOUS_USER };
}

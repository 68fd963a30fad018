import type { Principal } from './principal.js';

/**
 * The data that a request may read or change: that of one user, or of all users of a tenant. Every query for
 * owned data takes one and limits itself to it (contract access, section 2).
 */
export type Reach =
  | { readonly tenantId: string; readonly of: 'user'; readonly userId: string }
  | { readonly tenantId: string; readonly of: 'tenant' };

/** The data of one user. */
export function userReach({ tenantId, userId }: Principal): Reach {
  return { tenantId, of: 'user', userId };
}

/** The data of all users of a tenant. */
export function tenantReach(tenantId: string): Reach {
  return { tenantId, of: 'tenant' };
}

/** Tenants of an installation: a single one, or all but some. */
export type TenantSelection = { readonly only: string } | { readonly except: readonly string[] };

/** All tenants. */
export const ALL_TENANTS: TenantSelection = { except: [] };

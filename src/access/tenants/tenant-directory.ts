import { AppError } from '../../common/index.js';
import type { Identity } from '../identity/identity.js';

/** Knows which tenants may be used. */
export abstract class TenantDirectory {
  /** Whether a tenant exists and is not suspended. A promise only when the database is queried. */
  abstract isActive(tenantId: string): boolean | Promise<boolean>;
}

/**
 * The identity, if its tenant is active.
 *
 * @throws AppError PERMISSION_DENIED for a tenant that does not exist or is suspended
 */
export function inActiveTenant(tenants: TenantDirectory, identity: Identity): Identity | Promise<Identity> {
  const isActive = tenants.isActive(identity.tenantId);
  if (isActive instanceof Promise) return isActive.then((active) => admitted(identity, active));
  return admitted(identity, isActive);
}

/** The error for a credential of a tenant that does not exist or is suspended; the two are not told apart. */
export function unknownTenant(): AppError {
  return new AppError('PERMISSION_DENIED', 'The credential is not of an active tenant of this server');
}

function admitted(identity: Identity, isActive: boolean): Identity {
  if (!isActive) throw unknownTenant();
  return identity;
}

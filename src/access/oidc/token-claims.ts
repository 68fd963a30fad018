import type { JWTPayload } from 'jose';
import { isPlainObject } from '../../common/index.js';
import { invalidCredential } from '../access-errors.js';
import { SERVICE_USER_PREFIX } from '../identity/caller.js';
import type { Identity } from '../identity/identity.js';
import type { Roles } from '../identity/roles.js';
import { unknownTenant } from '../tenants/tenant-directory.js';
import { isUserId } from '../identity/user-id.js';
import type { OidcIssuer } from './issuers.js';

/** Claims with more roles, or more characters of scopes, are cut. */
const MAX_VALUES = 500;

/**
 * Whom the claims of a verified token name, and what they may do (contract access, section 3.2).
 *
 * @throws AppError AUTH_FAILED without a usable user or for another client, PERMISSION_DENIED without a tenant
 */
export function identityOf(claims: JWTPayload, issuer: OidcIssuer, roles: Roles): Identity {
  checkClient(claims, issuer.clients);
  const userId = userOf(claims, issuer);
  const given = rolesOf(claims, issuer, roles);
  return {
    tenantId: tenantOf(claims, issuer),
    actor: { kind: 'user', id: userId },
    userId,
    scopes: [...new Set([...roles.scopesOf(given), ...words(claimAt(claims, issuer.scopes.claim))])],
    roles: given,
    // What the clocks may differ by: the token is accepted until then.
    expiresAt: ((claims.exp ?? 0) + issuer.skewS) * 1000,
  };
}

/** The value at a dotted path. A claim whose own name has dots, such as an address, is found too. */
function claimAt(claims: object, path: string): unknown {
  if (Object.hasOwn(claims, path)) return (claims as Record<string, unknown>)[path];
  let value: unknown = claims;
  for (const name of path.split('.')) {
    if (!isPlainObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** A token without a usable user is never that of "no user". */
function userOf(claims: JWTPayload, { user, userPrefix }: OidcIssuer): string {
  const name = claimAt(claims, user.claim);
  if (typeof name !== 'string' || name === '' || name.startsWith(SERVICE_USER_PREFIX)) throw invalidCredential();
  const userId = userPrefix + name;
  if (!isUserId(userId) || userId.startsWith(SERVICE_USER_PREFIX)) throw invalidCredential();
  return userId;
}

function tenantOf(claims: JWTPayload, { tenant }: OidcIssuer): string {
  if ('fixed' in tenant) return tenant.fixed;
  const name = claimAt(claims, tenant.claim);
  if (typeof name !== 'string' || name === '') throw unknownTenant();
  if (!tenant.map) return name;
  const mapped = Object.hasOwn(tenant.map, name) ? tenant.map[name] : undefined;
  if (mapped === undefined) throw unknownTenant();
  return mapped;
}

function rolesOf(claims: JWTPayload, { roles: mapping }: OidcIssuer, roles: Roles): readonly string[] {
  if (!mapping) return [];
  const value = claimAt(claims, mapping.claim);
  const names = (Array.isArray(value) ? value.slice(0, MAX_VALUES) : [value]).filter((one) => typeof one === 'string');
  const { map } = mapping;
  return roles.known(map ? names.flatMap((name) => (Object.hasOwn(map, name) ? (map[name] ?? []) : [])) : names);
}

/** Scopes are a text of words, or a list of them. */
function words(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split(' ', MAX_VALUES);
  return Array.isArray(value) ? value.slice(0, MAX_VALUES).filter((one) => typeof one === 'string') : [];
}

/** `azp` and `client_id` name the client that the token was issued to; where both are, both count. */
function checkClient(claims: JWTPayload, clients: readonly string[] | undefined): void {
  if (!clients) return;
  const named = [claims['azp'], claims['client_id']].filter((one) => one !== undefined);
  const isAllowed = named.length > 0 && named.every((one) => typeof one === 'string' && clients.includes(one));
  if (!isAllowed) throw invalidCredential();
}

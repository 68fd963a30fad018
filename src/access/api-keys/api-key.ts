import { DAY_MS } from '../../config/index.js';
import type { OwnLimits } from '../identity/identity.js';

/** How long a key works if its creator says nothing, in milliseconds (contract access, section 3.1). */
export const DEFAULT_KEY_LIFETIME_MS = 90 * DAY_MS;
/** How long a rotated key works next to its successor if nothing is said, in milliseconds. */
export const DEFAULT_OVERLAP_MS = DAY_MS;
export const LONGEST_OVERLAP_MS = 30 * DAY_MS;
/** The scopes of a key that is created without any. */
export const DEFAULT_KEY_SCOPES: readonly string[] = ['runs:write', 'runs:read'];

/** An API key without its secret. Times are milliseconds since the epoch. */
export interface ApiKey {
  /** Random; a part of the key. */
  readonly id: string;
  readonly tenantId: string;
  /** The identity of the caller, which survives the rotation of the key. */
  readonly account: string;
  readonly name: string | null;
  readonly scopes: readonly string[];
  /** The user that the key always acts for; null if it acts for its account or for others. */
  readonly userId: string | null;
  /** The networks from which the key is accepted; null for any. */
  readonly networks: readonly string[] | null;
  readonly limits: OwnLimits | null;
  /** Kind and id of the actor, such as `cli:root`. */
  readonly createdBy: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  /** Until when the key works next to its successor; null if it was not rotated. */
  readonly overlapUntil: number | null;
  readonly revokedBy: string | null;
  readonly revokedAt: number | null;
  /** Accurate to a minute. */
  readonly lastUsedAt: number | null;
  /** The network of the address that used it last: /24 of IPv4, /48 of IPv6. */
  readonly lastUsedNetwork: string | null;
}

/** Whether a key works; `rotated`: it works until its overlap ends. */
export type ApiKeyStatus = 'active' | 'rotated' | 'expired' | 'revoked';

/** When a key stops working if nobody revokes it: at its expiry, or earlier when its overlap ends. */
export function endOfKey({ expiresAt, overlapUntil }: ApiKey): number | undefined {
  if (expiresAt === null || overlapUntil === null) return expiresAt ?? overlapUntil ?? undefined;
  return Math.min(expiresAt, overlapUntil);
}

/** The status of a key at a time. */
export function statusOfKey(key: ApiKey, now: number): ApiKeyStatus {
  if (key.revokedAt !== null) return 'revoked';
  const end = endOfKey(key);
  if (end !== undefined && end <= now) return 'expired';
  return key.overlapUntil === null ? 'active' : 'rotated';
}

import { isoTime, isoTimeOrNull } from '../../common/index.js';
import type { OwnLimits } from '../identity/identity.js';
import { type ApiKey, type ApiKeyStatus, statusOfKey } from './api-key.js';

/** A key as it is shown. Times are in ISO 8601. */
export interface ApiKeyView {
  readonly id: string;
  readonly tenant: string;
  readonly account: string;
  readonly name: string | null;
  readonly status: ApiKeyStatus;
  readonly scopes: readonly string[];
  readonly user: string | null;
  readonly networks: readonly string[] | null;
  readonly limits: OwnLimits | null;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly overlapUntil: string | null;
  readonly revokedBy: string | null;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
  readonly lastUsedNetwork: string | null;
}

/** Shows a key with its status at a time. */
export function viewOfKey(key: ApiKey, now: number): ApiKeyView {
  return {
    id: key.id,
    tenant: key.tenantId,
    account: key.account,
    name: key.name,
    status: statusOfKey(key, now),
    scopes: key.scopes,
    user: key.userId,
    networks: key.networks,
    limits: key.limits,
    createdBy: key.createdBy,
    createdAt: isoTime(key.createdAt),
    expiresAt: isoTimeOrNull(key.expiresAt),
    overlapUntil: isoTimeOrNull(key.overlapUntil),
    revokedBy: key.revokedBy,
    revokedAt: isoTimeOrNull(key.revokedAt),
    lastUsedAt: isoTimeOrNull(key.lastUsedAt),
    lastUsedNetwork: key.lastUsedNetwork,
  };
}

import { Networks } from '../../common/index.js';
import { INVALID_CREDENTIAL, invalidCredential } from '../access-errors.js';
import type { Identity } from '../identity/identity.js';
import type { StoredApiKey } from '../ports/api-key-store.js';
import { endOfKey } from './api-key.js';

/** What is known of a presented key, for as long as it is cached. */
export class KeyVerdict {
  /** Of an accepted key: one object for all its requests. */
  private readonly identity: Identity | undefined;
  private readonly networks: Networks | undefined;
  /** When the last use was recorded, as far as this process knows. */
  private recordedAt: number;

  /** @param stored undefined for an unknown id, and for a key whose hash is another */
  constructor(private readonly stored: StoredApiKey | undefined) {
    const key = stored?.key;
    this.identity = stored && identityOf(stored);
    this.networks = key?.networks ? new Networks(key.networks) : undefined;
    this.recordedAt = key?.lastUsedAt ?? Number.NEGATIVE_INFINITY;
  }

  /**
   * The identity of the key, for a request from an address. Everything is checked in the order of the contract
   * (contract access, section 3.1).
   *
   * @throws AppError AUTH_FAILED
   */
  judge(address: string, now: number): Identity {
    const { stored, identity } = this;
    if (!stored || !identity) throw invalidCredential();
    if (stored.key.revokedAt !== null) throw invalidCredential(`${INVALID_CREDENTIAL}: the key is revoked`);
    if (isOver(identity, now)) throw invalidCredential(`${INVALID_CREDENTIAL}: the key is expired`);
    if (this.networks?.includes(address) === false) throw invalidCredential();
    if (!stored.isTenantActive) throw invalidCredential();
    return identity;
  }

  /** Whether the key works at a time, from wherever it is used. */
  holds(now: number): boolean {
    const { stored, identity } = this;
    if (!stored?.isTenantActive || !identity) return false;
    return stored.key.revokedAt === null && !isOver(identity, now);
  }

  /** Whether a use is to be recorded: true once in an interval. */
  claimsRecord(now: number, intervalMs: number): boolean {
    if (now - this.recordedAt < intervalMs) return false;
    this.recordedAt = now;
    return true;
  }
}

function isOver({ expiresAt }: Identity, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}

function identityOf({ key }: StoredApiKey): Identity {
  return {
    tenantId: key.tenantId,
    actor: { kind: 'key', id: key.id, account: key.account },
    userId: key.userId ?? undefined,
    scopes: key.scopes,
    roles: [],
    expiresAt: endOfKey(key),
    ...(key.limits && { limits: key.limits }),
  };
}

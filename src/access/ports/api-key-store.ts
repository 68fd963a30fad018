import type { Principal } from '../../common/index.js';
import type { Transaction } from '../../database/index.js';
import type { ApiKey } from '../api-keys/api-key.js';

/** Whose keys: those of one tenant, or, for the operator of the installation, those of all tenants. */
export type KeyReach = { readonly of: 'tenant'; readonly tenantId: string } | { readonly of: 'installation' };

/** A key as a request is checked against it. */
export interface StoredApiKey {
  readonly key: ApiKey;
  /** As `hashOfKey`. */
  readonly hash: string;
  /** Whether the tenant of the key exists and is not suspended. */
  readonly isTenantActive: boolean;
}

/** Which keys a list shows. */
export interface ApiKeyQuery {
  readonly account?: string | undefined;
  /** At most so many. */
  readonly limit: number;
  /** Only those after this key in the order of the list. */
  readonly after?: { readonly createdAt: number; readonly id: string } | undefined;
}

/** What of a key can be changed. */
export type ApiKeyChanges = Partial<Pick<ApiKey, 'name' | 'scopes' | 'networks' | 'limits' | 'expiresAt'>>;

/** What tells whose a key is: whose requests it proves, and who made it. */
export type KeyOrigin = Pick<ApiKey, 'id' | 'account' | 'userId' | 'createdBy'>;

/** Who ends a key, and when. */
export interface KeyRevocation {
  readonly revokedBy: string;
  readonly revokedAt: number;
}

/** A use of a key. */
export interface KeyUse {
  readonly at: number;
  readonly network: string | null;
  /** Not recorded if a later use than this is recorded already, by whichever process. */
  readonly unlessAfter: number;
}

/** Keeps API keys: never their secrets. */
export abstract class ApiKeyStore {
  abstract insert(tx: Transaction, key: ApiKey, hash: string): Promise<void>;

  /** The key and the state of its tenant; undefined for an unknown id. Limited by no tenant: for verification. */
  abstract findForVerification(id: string): Promise<StoredApiKey | undefined>;

  /** The key, if it is within reach. */
  abstract find(reach: KeyReach, id: string): Promise<ApiKey | undefined>;

  /** As `find`, locked until the transaction ends. */
  abstract findForUpdate(tx: Transaction, reach: KeyReach, id: string): Promise<ApiKey | undefined>;

  /** The keys within reach, newest first. */
  abstract list(reach: KeyReach, query: ApiKeyQuery): Promise<readonly ApiKey[]>;

  /** The origins of all keys that accounts of a tenant have or had, also of expired and revoked ones. */
  abstract origins(tx: Transaction, tenantId: string, accounts: readonly string[]): Promise<readonly KeyOrigin[]>;

  abstract update(tx: Transaction, id: string, changes: ApiKeyChanges): Promise<void>;

  /** Lets a rotated key end. */
  abstract endOverlap(tx: Transaction, id: string, overlapUntil: number): Promise<void>;

  abstract revoke(tx: Transaction, id: string, revocation: KeyRevocation): Promise<void>;

  /**
   * Removes the keys that always act for a user, and puts a pseudonym in its place where it created or revoked others.
   *
   * @returns how many of each
   */
  abstract eraseUser(
    tx: Transaction,
    user: Principal,
    pseudonym: string,
  ): Promise<{ readonly removed: number; readonly renamed: number }>;

  /** Records a use. */
  abstract recordUse(id: string, use: KeyUse): Promise<void>;
}

import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type AuditAction, AuditTrail } from '../../audit/index.js';
import { AppError, Clock, type JsonObject, type Origin } from '../../common/index.js';
import { type Transaction, UnitOfWork } from '../../database/index.js';
import { AccessCache } from '../cache/access-cache.js';
import { invalidField } from '../input-checks.js';
import { ApiKeyStore, type KeyOrigin, type KeyReach } from '../ports/api-key-store.js';
import { TenantStore } from '../ports/tenant-store.js';
import { type ApiKey, DEFAULT_OVERLAP_MS, LONGEST_OVERLAP_MS, statusOfKey } from './api-key.js';
import { type ApiKeyFields, changedFields, type NewApiKey, newFields } from './key-fields.js';
import { hashOfKey, idOfKey, newKey } from './key-form.js';

/** Who manages keys: what is written down about them, and what they may give away. */
export interface KeyManager {
  /** Kind and id, such as `cli:root`. */
  readonly name: string;
  /** Its own account, if it is a key. */
  readonly account?: string | undefined;
  /** For the audit trail. */
  readonly origin: Origin;
  /**
   * Checks that the manager may have a key of these fields made or changed.
   *
   * @param known the keys of the account of the key, and of the manager's own
   * @throws AppError PERMISSION_DENIED
   */
  authorize(key: Pick<ApiKey, 'scopes' | 'userId' | 'account'>, known: readonly KeyOrigin[]): void;
}

/** A key that was just made, with the only copy of its secret. */
export interface IssuedKey {
  readonly key: ApiKey;
  /** The whole key as clients send it. */
  readonly secret: string;
}

/** Which keys a list shows. */
export interface KeyListQuery {
  readonly account?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** One page of keys, newest first. */
export interface KeyPage {
  readonly items: readonly ApiKey[];
  /** The cursor of the next page; null on the last one. */
  readonly nextCursor: string | null;
}

/** How a key is replaced. */
export interface KeyRotation {
  /** How long the old key works next to the new one, in milliseconds. Default: 24 h. */
  readonly overlapMs?: number | undefined;
}

/** Writes what is done to keys into the audit trail, in the transaction that does it. */
@Injectable()
export class KeyActs {
  constructor(
    private readonly trail: AuditTrail,
    private readonly clock: Clock,
  ) {}

  now(): number {
    return this.clock.now();
  }

  write(
    tx: Transaction,
    action: AuditAction,
    { id, tenantId, account }: ApiKey,
    { origin }: Pick<KeyManager, 'origin'>,
    details: JsonObject,
  ): Promise<void> {
    const subject = { kind: 'key', id } as const;
    return this.trail.write(tx, { tenantId, action, by: origin, subject, details: { ...details, account } });
  }
}

/** Creates and changes API keys (contract access, section 3.1). A key of another tenant is an unknown one. */
@Injectable()
export class ApiKeys {
  constructor(
    private readonly store: ApiKeyStore,
    private readonly tenants: TenantStore,
    private readonly unitOfWork: UnitOfWork,
    private readonly cache: AccessCache,
    private readonly acts: KeyActs,
  ) {}

  /** @throws AppError INVALID_PARAMETER, TENANT_NOT_FOUND, PERMISSION_DENIED */
  async create(tenantId: string, fields: NewApiKey, by: KeyManager): Promise<IssuedKey> {
    const now = this.acts.now();
    const chosen = newFields(fields, now);
    return this.unitOfWork.write(async (tx) => {
      if (!(await this.tenants.findForUpdate(tx, tenantId))) {
        throw new AppError('TENANT_NOT_FOUND', `There is no tenant ${tenantId}`);
      }
      await this.authorize(tx, { ...chosen, tenantId }, by);
      const issued = await this.issue(tx, { ...chosen, tenantId, createdBy: by.name, createdAt: now });
      await this.acts.write(tx, 'key.created', issued.key, by, termsOf(issued.key));
      return issued;
    });
  }

  /** @throws AppError INVALID_PARAMETER for an unknown cursor */
  async list(reach: KeyReach, { account, limit, cursor }: KeyListQuery): Promise<KeyPage> {
    const after = cursor === undefined ? undefined : readCursor(cursor);
    const keys = await this.store.list(reach, { account, limit: limit + 1, after });
    const items = keys.slice(0, limit);
    const last = items.at(-1);
    return { items, nextCursor: keys.length > limit && last ? cursorAfter(last) : null };
  }

  /** @throws AppError API_KEY_NOT_FOUND */
  async find(reach: KeyReach, id: string): Promise<ApiKey> {
    return found(await this.store.find(reach, id));
  }

  /** The key that a text is, whatever its status; undefined if it is none of this installation. */
  async identify(text: string): Promise<{ readonly key: ApiKey; readonly isTenantActive: boolean } | undefined> {
    const id = idOfKey(text);
    const stored = id === undefined ? undefined : await this.store.findForVerification(id);
    if (!stored || !timingSafeEqual(Buffer.from(hashOfKey(text)), Buffer.from(stored.hash))) return undefined;
    return stored;
  }

  /** Changes the fields that are given. @throws AppError API_KEY_NOT_FOUND, INVALID_PARAMETER, PERMISSION_DENIED */
  async update(reach: KeyReach, id: string, fields: ApiKeyFields, by: KeyManager): Promise<ApiKey> {
    const changes = changedFields(fields, this.acts.now());
    return this.change(reach, id, async (tx, key) => {
      const changed = { ...key, ...changes };
      await this.authorize(tx, changed, by);
      if (Object.keys(changes).length === 0) return changed;
      await this.store.update(tx, id, changes);
      await this.acts.write(tx, 'key.changed', changed, by, { ...termsOf(changed), fields: Object.keys(changes) });
      return changed;
    });
  }

  /**
   * Makes a second key of the same tenant, account, user, scopes, networks and limits, which works for as long
   * as the first did. The first key works until the overlap ends.
   *
   * @throws AppError API_KEY_NOT_FOUND, INVALID_PARAMETER, PERMISSION_DENIED; API_KEY_ENDED for a revoked,
   *   expired or already rotated key
   */
  async rotate(reach: KeyReach, id: string, { overlapMs }: KeyRotation, by: KeyManager): Promise<IssuedKey> {
    const overlap = checkedOverlap(overlapMs);
    return this.change(reach, id, async (tx, key) => {
      await this.authorize(tx, key, by);
      const now = this.acts.now();
      const status = statusOfKey(key, now);
      if (key.overlapUntil !== null) throw new AppError('API_KEY_ENDED', 'This key was already rotated');
      if (status !== 'active') throw new AppError('API_KEY_ENDED', `This key is ${status}: create a new one`);
      await this.store.endOverlap(tx, id, now + overlap);
      const expiresAt = key.expiresAt === null ? null : now + key.expiresAt - key.createdAt;
      const issued = await this.issue(tx, { ...key, expiresAt, createdBy: by.name, createdAt: now });
      await this.acts.write(tx, 'key.rotated', key, by, { newKey: issued.key.id, overlapUntil: now + overlap });
      return issued;
    });
  }

  /**
   * Ends a key: at once in this process, within 5 s in all others. A key that is revoked already stays as it is.
   *
   * @throws AppError API_KEY_NOT_FOUND
   */
  async revoke(reach: KeyReach, id: string, by: Pick<KeyManager, 'name' | 'origin'>): Promise<ApiKey> {
    return this.change(reach, id, async (tx, key) => {
      if (key.revokedAt !== null) return key;
      const revocation = { revokedBy: by.name, revokedAt: this.acts.now() };
      await this.store.revoke(tx, id, revocation);
      await this.acts.write(tx, 'key.revoked', key, by, {});
      return { ...key, ...revocation };
    });
  }

  private async authorize(
    tx: Transaction,
    key: Pick<ApiKey, 'tenantId' | 'account' | 'scopes' | 'userId'>,
    by: KeyManager,
  ): Promise<void> {
    const accounts = by.account === undefined ? [key.account] : [key.account, by.account];
    by.authorize(key, await this.store.origins(tx, key.tenantId, accounts));
  }

  private async issue(tx: Transaction, fields: Omit<ApiKey, 'id' | Unused>): Promise<IssuedKey> {
    const { id, text } = newKey();
    const key: ApiKey = { ...fields, ...UNUSED, id };
    await this.store.insert(tx, key, hashOfKey(text));
    return { key, secret: text };
  }

  private async change<T>(reach: KeyReach, id: string, work: (tx: Transaction, key: ApiKey) => Promise<T>): Promise<T> {
    const result = await this.unitOfWork.write(async (tx) =>
      work(tx, found(await this.store.findForUpdate(tx, reach, id))),
    );
    this.cache.clear();
    return result;
  }
}

/** The state of a key that nobody has used, rotated or revoked. */
const UNUSED = {
  overlapUntil: null,
  revokedBy: null,
  revokedAt: null,
  lastUsedAt: null,
  lastUsedNetwork: null,
} satisfies Partial<ApiKey>;
type Unused = keyof typeof UNUSED;

/** What a key may do, for the audit trail. A scope that names users tells who they are, so its names are left out. */
function termsOf({ scopes, expiresAt, networks, userId }: ApiKey): JsonObject {
  const shown = scopes.map((scope) => (/^users:(?!\*$)/.test(scope) ? 'users:…' : scope));
  return { scopes: shown, expiresAt, networks: networks && [...networks], isPinned: userId !== null };
}

function found(key: ApiKey | undefined): ApiKey {
  if (!key) throw new AppError('API_KEY_NOT_FOUND');
  return key;
}

function checkedOverlap(ms: number = DEFAULT_OVERLAP_MS): number {
  if (Number.isSafeInteger(ms) && ms >= 0 && ms <= LONGEST_OVERLAP_MS) return ms;
  throw invalidField('overlap', 'must be from 0s to 30d');
}

function cursorAfter({ createdAt, id }: ApiKey): string {
  return Buffer.from(`${createdAt}.${id}`).toString('base64url');
}

function readCursor(cursor: string): { createdAt: number; id: string } {
  const match = /^(\d{1,16})\.([0-9A-Za-z]{12})$/.exec(Buffer.from(cursor, 'base64url').toString());
  if (!match) throw new AppError('INVALID_PARAMETER', 'Unknown cursor');
  return { createdAt: Number(match[1]), id: match[2] ?? '' };
}

import { Injectable } from '@nestjs/common';
import { In, IsNull, LessThan, LessThanOrEqual } from 'typeorm';
import {
  ApiKeyEntity,
  lockedOn,
  queryable,
  RequestDatabase,
  TenantEntity,
  type Transaction,
} from '../../database/index.js';
import { type Principal, USER_KINDS } from '../../common/index.js';
import type { ApiKey } from '../api-keys/api-key.js';
import type { OwnLimits } from '../identity/identity.js';
import {
  type ApiKeyChanges,
  type ApiKeyQuery,
  ApiKeyStore,
  type KeyOrigin,
  type KeyReach,
  type KeyRevocation,
  type KeyUse,
  type StoredApiKey,
} from '../ports/api-key-store.js';

/** API keys in the server's database. */
@Injectable()
export class TypeOrmApiKeyStore extends ApiKeyStore {
  constructor(private readonly database: RequestDatabase) {
    super();
  }

  async insert(tx: Transaction, key: ApiKey, hash: string): Promise<void> {
    const { scopes, networks, limits, ...columns } = key;
    await queryable(tx).manager.insert(ApiKeyEntity, { ...columns, ...written({ scopes, networks, limits }), hash });
  }

  async findForVerification(id: string): Promise<StoredApiKey | undefined> {
    const { entities, raw } = await this.database.read.manager
      .createQueryBuilder(ApiKeyEntity, 'key')
      .leftJoin(TenantEntity, 'tenant', 'tenant.id = key.tenantId')
      .addSelect('tenant.status', 'tenant_status')
      .where('key.id = :id', { id })
      .getRawAndEntities<{ readonly tenant_status: string | null }>();
    const [key] = entities;
    return key && { key: keyOf(key), hash: key.hash, isTenantActive: raw[0]?.tenant_status === 'active' };
  }

  async find(reach: KeyReach, id: string): Promise<ApiKey | undefined> {
    const key = await this.database.read.manager.findOneBy(ApiKeyEntity, { ...within(reach), id });
    return key ? keyOf(key) : undefined;
  }

  async findForUpdate(tx: Transaction, reach: KeyReach, id: string): Promise<ApiKey | undefined> {
    const { manager, dialect } = queryable(tx);
    const key = await manager.findOne(ApiKeyEntity, { where: { ...within(reach), id }, ...lockedOn(dialect) });
    return key ? keyOf(key) : undefined;
  }

  async list(reach: KeyReach, { account, limit, after }: ApiKeyQuery): Promise<readonly ApiKey[]> {
    const owned = { ...within(reach), ...(account !== undefined && { account }) };
    const keys = await this.database.read.manager.find(ApiKeyEntity, {
      where: after
        ? [
            { ...owned, createdAt: LessThan(after.createdAt) },
            { ...owned, createdAt: after.createdAt, id: LessThan(after.id) },
          ]
        : owned,
      order: { createdAt: 'DESC', id: 'DESC' },
      take: limit,
    });
    return keys.map(keyOf);
  }

  origins(tx: Transaction, tenantId: string, accounts: readonly string[]): Promise<readonly KeyOrigin[]> {
    return queryable(tx).manager.find(ApiKeyEntity, {
      select: { id: true, account: true, userId: true, createdBy: true },
      where: { tenantId, account: In([...accounts]) },
    });
  }

  async update(tx: Transaction, id: string, changes: ApiKeyChanges): Promise<void> {
    const { scopes, networks, limits, ...columns } = changes;
    await queryable(tx).manager.update(ApiKeyEntity, { id }, { ...columns, ...written({ scopes, networks, limits }) });
  }

  async endOverlap(tx: Transaction, id: string, overlapUntil: number): Promise<void> {
    await queryable(tx).manager.update(ApiKeyEntity, { id }, { overlapUntil });
  }

  async revoke(tx: Transaction, id: string, revocation: KeyRevocation): Promise<void> {
    await queryable(tx).manager.update(ApiKeyEntity, { id }, { ...revocation });
  }

  async eraseUser(
    tx: Transaction,
    { tenantId, userId }: Principal,
    pseudonym: string,
  ): Promise<{ readonly removed: number; readonly renamed: number }> {
    const { manager } = queryable(tx);
    const removed = await manager.delete(ApiKeyEntity, { tenantId, userId });
    let renamed = 0;
    for (const kind of USER_KINDS) {
      const [was, is] = [`${kind}:${userId}`, `${kind}:${pseudonym}`];
      const created = await manager.update(ApiKeyEntity, { tenantId, createdBy: was }, { createdBy: is });
      const revoked = await manager.update(ApiKeyEntity, { tenantId, revokedBy: was }, { revokedBy: is });
      renamed += (created.affected ?? 0) + (revoked.affected ?? 0);
    }
    return { removed: removed.affected ?? 0, renamed };
  }

  async recordUse(id: string, { at, network, unlessAfter }: KeyUse): Promise<void> {
    const earlier = [
      { id, lastUsedAt: IsNull() },
      { id, lastUsedAt: LessThanOrEqual(unlessAfter) },
    ];
    await this.database.write((tx) =>
      tx.manager.update(ApiKeyEntity, earlier, { lastUsedAt: at, lastUsedNetwork: network }),
    );
  }
}

function within(reach: KeyReach): { readonly tenantId?: string } {
  return reach.of === 'tenant' ? { tenantId: reach.tenantId } : {};
}

/** The columns that hold JSON; only those that are given. */
function written({
  scopes,
  networks,
  limits,
}: ApiKeyChanges): Partial<Pick<ApiKeyEntity, 'scopes' | 'networks' | 'limits'>> {
  return {
    ...(scopes !== undefined && { scopes: JSON.stringify(scopes) }),
    ...(networks !== undefined && { networks: networks && JSON.stringify(networks) }),
    ...(limits !== undefined && { limits: limits && JSON.stringify(limits) }),
  };
}

function keyOf({ hash: _, scopes, networks, limits, ...columns }: ApiKeyEntity): ApiKey {
  return {
    ...columns,
    scopes: JSON.parse(scopes) as string[],
    networks: networks === null ? null : (JSON.parse(networks) as string[]),
    limits: limits === null ? null : (JSON.parse(limits) as OwnLimits),
  };
}

import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { ApiKeyEntity, Database, queryable, type SqlValue, type Transaction } from '../../database/index.js';
import type { ApiKey } from '../api-keys/api-key.js';
import type { OwnLimits } from '../identity.js';
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

/** A row of `api_keys`. */
interface Row {
  readonly id: string;
  readonly tenant_id: string;
  readonly hash: string;
  readonly account: string;
  readonly name: string | null;
  readonly scopes: string;
  readonly user_id: string | null;
  readonly networks: string | null;
  readonly limits: string | null;
  readonly created_by: string;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly overlap_until: number | null;
  readonly revoked_by: string | null;
  readonly revoked_at: number | null;
  readonly last_used_at: number | null;
  readonly last_used_network: string | null;
}

const FOR_VERIFICATION = `
  SELECT k.*, t.status AS tenant_status
  FROM api_keys k LEFT JOIN tenants t ON t.id = k.tenant_id
  WHERE k.id = ?`;

const RECORD_USE = `
  UPDATE api_keys SET last_used_at = ?, last_used_network = ?
  WHERE id = ? AND (last_used_at IS NULL OR last_used_at <= ?)`;

const REVOKE = 'UPDATE api_keys SET revoked_by = ?, revoked_at = ? WHERE id = ?';
const END_OVERLAP = 'UPDATE api_keys SET overlap_until = ? WHERE id = ?';

/** API keys in the server's database. */
@Injectable()
export class TypeOrmApiKeyStore extends ApiKeyStore {
  constructor(private readonly database: Database) {
    super();
  }

  async insert(tx: Transaction, key: ApiKey, hash: string): Promise<void> {
    const { scopes, networks, limits, ...columns } = key;
    await queryable(tx).manager.insert(ApiKeyEntity, { ...columns, ...written({ scopes, networks, limits }), hash });
  }

  async findForVerification(id: string): Promise<StoredApiKey | undefined> {
    const [row] = await this.database.read.all<Row & { tenant_status: string | null }>(FOR_VERIFICATION, [id]);
    return row && { key: keyOf(row), hash: row.hash, isTenantActive: row.tenant_status === 'active' };
  }

  async find(reach: KeyReach, id: string): Promise<ApiKey | undefined> {
    const { where, values } = within(reach);
    const [row] = await this.database.read.all<Row>(`SELECT * FROM api_keys WHERE ${where} AND id = ?`, [
      ...values,
      id,
    ]);
    return row && keyOf(row);
  }

  async findForUpdate(tx: Transaction, reach: KeyReach, id: string): Promise<ApiKey | undefined> {
    const { where, values } = within(reach);
    const lock = queryable(tx).dialect === 'postgres' ? ' FOR UPDATE' : '';
    const sql = `SELECT * FROM api_keys WHERE ${where} AND id = ?${lock}`;
    const [row] = await queryable(tx).all<Row>(sql, [...values, id]);
    return row && keyOf(row);
  }

  async list(reach: KeyReach, { account, limit, after }: ApiKeyQuery): Promise<readonly ApiKey[]> {
    const { where, values } = within(reach);
    const conditions = [where];
    if (account !== undefined) {
      conditions.push('account = ?');
      values.push(account);
    }
    if (after) {
      conditions.push('(created_at < ? OR (created_at = ? AND id < ?))');
      values.push(after.createdAt, after.createdAt, after.id);
    }
    const sql = `SELECT * FROM api_keys WHERE ${conditions.join(' AND ')} ORDER BY created_at DESC, id DESC LIMIT ?`;
    return (await this.database.read.all<Row>(sql, [...values, limit])).map(keyOf);
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
    await queryable(tx).run(END_OVERLAP, [overlapUntil, id]);
  }

  async revoke(tx: Transaction, id: string, { revokedBy, revokedAt }: KeyRevocation): Promise<void> {
    await queryable(tx).run(REVOKE, [revokedBy, revokedAt, id]);
  }

  async recordUse(id: string, { at, network, unlessAfter }: KeyUse): Promise<void> {
    await this.database.write((tx) => tx.run(RECORD_USE, [at, network, id, unlessAfter]));
  }
}

function within(reach: KeyReach): { readonly where: string; readonly values: SqlValue[] } {
  if (reach.of === 'tenant') return { where: 'tenant_id = ?', values: [reach.tenantId] };
  return { where: '1 = 1', values: [] };
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

function keyOf(row: Row): ApiKey {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    account: row.account,
    name: row.name,
    scopes: JSON.parse(row.scopes) as string[],
    userId: row.user_id,
    networks: row.networks === null ? null : (JSON.parse(row.networks) as string[]),
    limits: row.limits === null ? null : (JSON.parse(row.limits) as OwnLimits),
    createdBy: row.created_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    overlapUntil: row.overlap_until,
    revokedBy: row.revoked_by,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
    lastUsedNetwork: row.last_used_network,
  };
}

import { USER_KINDS } from '../../common/index.js';
import { json, OF_USER, type Reading, time, type UserExporter, type UserTable } from '../../data-protection/index.js';

/** Kind and id of the user; of anybody else the kind. */
const ifOwn: Reading = (value, _row, { userId }) => {
  if (typeof value !== 'string') return 'null';
  const isOwn = USER_KINDS.some((kind) => value === `${kind}:${userId}`);
  return JSON.stringify(isOwn ? value : value.replace(/:.*$/s, ''));
};

const isOwn: Reading = (value, _row, { userId }) => String(USER_KINDS.some((kind) => value === `${kind}:${userId}`));

const KEYS: UserTable = {
  kind: 'keys',
  from: 'api_keys',
  where: OF_USER,
  key: ['created_at', 'id'],
  members: {
    keyId: 'id',
    account: 'account',
    name: 'name',
    scopes: ['scopes', json],
    networks: ['networks', json],
    limits: ['limits', json],
    createdBy: ['created_by', ifOwn],
    createdAt: ['created_at', time],
    expiresAt: ['expires_at', time],
    overlapUntil: ['overlap_until', time],
    revokedBy: ['revoked_by', ifOwn],
    revokedAt: ['revoked_at', time],
    lastUsedAt: ['last_used_at', time],
    lastUsedNetwork: 'last_used_network',
  },
  leftOut: ['tenant_id', 'user_id', 'hash'],
};

/** Keys that the user has made or revoked for others. */
const KEYS_OF_OTHERS: UserTable = {
  kind: 'keysOfOthers',
  from: 'api_keys',
  where: `tenant_id = ? AND (user_id IS NULL OR user_id <> ?) AND (created_by IN (?, ?) OR revoked_by IN (?, ?))`,
  key: ['created_at', 'id'],
  members: {
    keyId: 'id',
    createdByUser: ['created_by', isOwn],
    revokedByUser: ['revoked_by', isOwn],
    createdAt: ['created_at', time],
  },
};

/** The keys that always act for a user, without what proves them, and what the user has done with others. */
export const KEY_EXPORT: UserExporter = {
  async *exportUser({ user: { tenantId, userId }, list }) {
    yield* list(KEYS);
    const names = USER_KINDS.map((kind) => `${kind}:${userId}`);
    yield* list(KEYS_OF_OTHERS, [tenantId, userId, ...names, ...names]);
  },
};

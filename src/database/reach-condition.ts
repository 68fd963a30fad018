import { isStorable, type Reach } from '../common/index.js';
import type { SqlValue } from './queryable.js';

/** A condition of a WHERE, and the values of its parameters. */
export interface SqlCondition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** True for no row: a user whose id cannot be stored owns nothing. */
const NOTHING: SqlCondition = { sql: '1 = 0', values: [] };

/**
 * Limits a query to a reach: `tenant_id = ?`, and `user_id = ?` unless the reach is a tenant. Every query that
 * finds owned data by its id has this condition (contract access, section 2).
 *
 * @param table the name or alias of the table that has the two columns; absent when the query has only one table
 */
export function reachCondition(reach: Reach, table?: string): SqlCondition {
  const prefix = table === undefined ? '' : `${table}.`;
  const tenant = `${prefix}tenant_id = ?`;
  if (reach.of === 'tenant') return { sql: tenant, values: [reach.tenantId] };
  if (!isStorable(reach.userId)) return NOTHING;
  return { sql: `${tenant} AND ${prefix}user_id = ?`, values: [reach.tenantId, reach.userId] };
}

/**
 * The same for TypeORM's finds and query builders: what `where` begins with; undefined if nothing is within reach.
 */
export function ownedWithin(reach: Reach): { readonly tenantId: string; readonly userId?: string } | undefined {
  if (reach.of === 'tenant') return { tenantId: reach.tenantId };
  return isStorable(reach.userId) ? { tenantId: reach.tenantId, userId: reach.userId } : undefined;
}

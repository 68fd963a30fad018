import { isStorable, type Reach, type TenantSelection } from '../common/index.js';
import type { Queryable, SqlValue } from './queryable.js';

/** A condition of a WHERE, and the values of its parameters. */
export interface SqlCondition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** True for no row: a user whose id cannot be stored owns nothing. */
const NOTHING: SqlCondition = { sql: '1 = 0', values: [] };
const EVERYTHING: SqlCondition = { sql: '1 = 1', values: [] };

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

/** Rows of other tenants than those of a JSON array of ids. */
const OTHER_TENANTS = {
  sqlite: 'tenant_id NOT IN (SELECT value FROM json_each(?))',
  postgres: 'tenant_id <> ALL(ARRAY(SELECT json_array_elements_text(?::json)))',
};

/** Limits maintenance work to tenants. A selection of all tenants limits nothing. */
export function tenantCondition(dialect: Queryable['dialect'], tenants: TenantSelection): SqlCondition {
  if ('only' in tenants) return { sql: 'tenant_id = ?', values: [tenants.only] };
  if (tenants.except.length === 0) return EVERYTHING;
  return { sql: OTHER_TENANTS[dialect], values: [JSON.stringify(tenants.except)] };
}

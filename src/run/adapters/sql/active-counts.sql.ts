import type { Principal } from '../../../common/index.js';
import type { Queryable } from '../../../database/index.js';

const ACTIVE = `status IN ('queued', 'running')`;

/** In an index without ended runs: a tenant may have many. */
const COUNT = {
  sqlite: countIn('runs INDEXED BY ix_runs_active_owner'),
  postgres: countIn('runs'),
};
const QUEUE_FULL = `SELECT 1 AS yes FROM runs WHERE status = 'queued' LIMIT 1 OFFSET ?`;
const TENANT_QUEUE_FULL = {
  sqlite: tenantQueueIn('runs INDEXED BY ix_runs_active_owner'),
  postgres: tenantQueueIn('runs'),
};

/** As `RunStore.countActiveOf`. */
export async function countActiveOf(
  connection: Queryable,
  { tenantId, userId }: Principal,
): Promise<{ user: number; tenant: number }> {
  const [row] = await connection.all<{ of_user: number | string; of_tenant: number | string }>(
    COUNT[connection.dialect],
    [userId, tenantId],
  );
  return { user: Number(row?.of_user ?? 0), tenant: Number(row?.of_tenant ?? 0) };
}

/** As `RunStore.isQueueFull`. */
export async function isQueueFull(connection: Queryable, limit: number, tenantId?: string): Promise<boolean> {
  const rows =
    tenantId === undefined
      ? await connection.all(QUEUE_FULL, [limit - 1])
      : await connection.all(TENANT_QUEUE_FULL[connection.dialect], [tenantId, limit - 1]);
  return rows.length > 0;
}

function countIn(table: string): string {
  return `
  SELECT COUNT(CASE WHEN user_id = ? THEN 1 END) AS of_user, COUNT(*) AS of_tenant FROM ${table}
  WHERE tenant_id = ? AND ${ACTIVE} AND cancel_requested_at IS NULL`;
}

/** The condition of the index is repeated, so that it can be used. */
function tenantQueueIn(table: string): string {
  return `
  SELECT 1 AS yes FROM ${table} WHERE tenant_id = ? AND ${ACTIVE} AND status = 'queued' LIMIT 1 OFFSET ?`;
}

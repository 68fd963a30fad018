import { DATABASE_NOW, type Queryable } from '../../../database/index.js';
import type { Ticket } from '../../ports/run-tickets.js';

/** A run that has waited for this long comes before all others, whatever its place. */
const LONG_WAIT_MS = 30_000;

const IS_FIRST = `
  r.status = 'queued' AND NOT EXISTS (
    SELECT 1 FROM runs o
    WHERE o.session_no = r.session_no AND o.ordinal < r.ordinal AND o.status IN ('queued', 'running'))`;
const HAS_WAITED = `r.created_at < {now} - ${LONG_WAIT_MS}`;

/** Queued runs that can be claimed and have waited for long, in the order in which they came. */
export const LONG_WAITING = `
  SELECT r.no, r.fence, r.tenant_id, r.place FROM runs r WHERE ${IS_FIRST} AND ${HAS_WAITED} ORDER BY r.no LIMIT ?`;

/** The other queued runs that can be claimed. */
const BY_PLACE = `
  SELECT r.no, r.tenant_id FROM runs r WHERE ${IS_FIRST} AND NOT ${HAS_WAITED}{others} ORDER BY r.place, r.no LIMIT ?`;
const WAITED = `
  SELECT r.no, r.tenant_id FROM runs r WHERE ${IS_FIRST} AND ${HAS_WAITED}{others} ORDER BY r.no LIMIT ?`;

/** Runs that are not in a JSON array, of tenants that are not in another. */
const OTHERS = {
  sqlite: `
    AND r.no NOT IN (SELECT value FROM json_each(?)) AND r.tenant_id NOT IN (SELECT value FROM json_each(?))`,
  postgres: `
    AND r.no NOT IN (SELECT json_array_elements_text(?::json)::int)
    AND r.tenant_id NOT IN (SELECT json_array_elements_text(?::json))`,
};

const NUMBERED = {
  sqlite: `SELECT r.no FROM runs r WHERE r.no IN (SELECT value FROM json_each(?)) AND ${IS_FIRST} ORDER BY r.no`,
  postgres: `
    SELECT r.no FROM runs r WHERE r.no = ANY(SELECT json_array_elements_text(?::json)::int) AND ${IS_FIRST}
    ORDER BY r.no FOR UPDATE OF r SKIP LOCKED`,
};

const BUSY = `
  SELECT tenant_id, COUNT(*) AS busy FROM runs WHERE status = 'running' AND lease_owner = ? GROUP BY tenant_id`;

/** The columns of a ticket. */
export interface TicketRow {
  readonly no: number;
  readonly fence: number;
  readonly tenant_id: string;
  readonly place: number;
}

/** The ticket of a row. */
export function ticketOf({ no, fence, tenant_id, place }: TicketRow): Ticket {
  return { rowId: no, fence, tenantId: tenant_id, place };
}

/** Which queued runs an owner claims. */
interface Wanted {
  readonly limit: number;
  readonly owner: string;
  /** How many runs of one tenant the owner may have. */
  readonly perTenant: number | undefined;
}

/** Locks the numbers of queued runs that can be claimed, in the order of `RunLeases.claim`. */
export async function pickQueued(tx: Queryable, { limit, owner, perTenant }: Wanted): Promise<readonly number[]> {
  if (limit <= 0) return [];
  const shares = new Shares(perTenant, perTenant === undefined ? [] : await tx.all<BusyRow>(BUSY, [owner]));
  const picked: number[] = [];
  for (const query of [WAITED, BY_PLACE]) {
    // Rows that a full tenant leaves are replaced by those of others.
    for (let isCut = true; isCut && picked.length < limit;) {
      const rows = await candidates(tx, query, { picked, full: shares.full, limit: limit - picked.length });
      const taken = rows.filter(({ tenant_id }) => shares.take(tenant_id));
      picked.push(...taken.map(({ no }) => no));
      isCut = taken.length < rows.length;
    }
  }
  return picked;
}

/** Locks those of some runs that are queued and the first of their sessions. */
export async function pickNumbered(tx: Queryable, rowIds: readonly number[]): Promise<readonly number[]> {
  const rows = await tx.all<{ no: number }>(NUMBERED[tx.dialect], [JSON.stringify(rowIds)]);
  return rows.map(({ no }) => no);
}

interface BusyRow {
  readonly tenant_id: string;
  readonly busy: number;
}

async function candidates(
  tx: Queryable,
  query: string,
  {
    picked,
    full,
    limit,
  }: { readonly picked: readonly number[]; readonly full: readonly string[]; readonly limit: number },
): Promise<readonly { readonly no: number; readonly tenant_id: string }[]> {
  const lock = tx.dialect === 'postgres' ? ' FOR UPDATE OF r SKIP LOCKED' : '';
  const isLimited = picked.length > 0 || full.length > 0;
  const sql = query.replace('{now}', DATABASE_NOW[tx.dialect]).replace('{others}', isLimited ? OTHERS[tx.dialect] : '');
  return tx.all(sql + lock, isLimited ? [JSON.stringify(picked), JSON.stringify(full), limit] : [limit]);
}

/** How many runs of each tenant an owner may still take. */
class Shares {
  /** The tenants that have as many as they may. */
  readonly full: string[] = [];
  private readonly taken: Map<string, number>;

  constructor(
    private readonly most: number | undefined,
    busy: readonly BusyRow[],
  ) {
    this.taken = new Map(busy.map((row) => [row.tenant_id, Number(row.busy)]));
    if (most !== undefined) for (const [tenant, count] of this.taken) if (count >= most) this.full.push(tenant);
  }

  /** Takes one for a tenant; false if it has as many as it may. */
  take(tenantId: string): boolean {
    if (this.most === undefined) return true;
    const count = (this.taken.get(tenantId) ?? 0) + 1;
    if (count > this.most) return false;
    this.taken.set(tenantId, count);
    if (count === this.most) this.full.push(tenantId);
    return true;
  }
}

import type { Queryable } from '../queryable.js';

/** What was destroyed together with the data key of a tenant. */
export interface DestroyedContent {
  /** Schedules that were removed: without their inputs they start nothing. */
  readonly schedules: number;
  /** Webhook deliveries that had not been sent. */
  readonly deliveries: number;
  /** Questions and approvals that were open. */
  readonly interrupts: number;
}

/** Its runs have ended: nothing compacts or prunes logs that nobody can read, and nothing waits for an answer. */
const PASS_RUNS_BY = `
  UPDATE runs SET compacted_at = COALESCE(compacted_at, 0), events_pruned_at = COALESCE(events_pruned_at, ?),
    closed_at = CASE WHEN status = 'interrupted' THEN COALESCE(closed_at, ?) ELSE closed_at END
  WHERE tenant_id = ? AND finished_at IS NOT NULL`;
const CANCEL_INTERRUPTS = `
  UPDATE interrupts SET status = 'cancelled', answered_at = ? WHERE tenant_id = ? AND status = 'pending'`;

/**
 * Destroys the key of a tenant whose runs have ended, and with it all of its content, and ends what would wait for that
 * content. Contents of its audit trail are removed, so that it can still be verified.
 *
 * @param now milliseconds since the epoch
 * @returns undefined, and nothing is changed, if the tenant has no key
 */
export async function destroyDataKey(
  tx: Queryable,
  tenantId: string,
  now: number,
): Promise<DestroyedContent | undefined> {
  if ((await tx.run('DELETE FROM tenant_data_keys WHERE tenant_id = ?', [tenantId])) === 0) return undefined;
  await tx.run('DELETE FROM audit_payloads WHERE tenant_id = ?', [tenantId]);
  await tx.run(PASS_RUNS_BY, [now, now, tenantId]);
  return {
    schedules: await tx.run('DELETE FROM schedules WHERE tenant_id = ?', [tenantId]),
    deliveries: await tx.run(`DELETE FROM webhook_deliveries WHERE tenant_id = ? AND status = 'waiting'`, [tenantId]),
    interrupts: await tx.run(CANCEL_INTERRUPTS, [now, tenantId]),
  };
}

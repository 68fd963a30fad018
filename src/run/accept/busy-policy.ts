import { AppError, type Principal, RETRY_AFTER_SECONDS } from '../../common/index.js';
import type { Transaction } from '../../database/index.js';
import type { OpenedSession } from '../../agent/session/index.js';
import { cancelActive } from '../end/cancel-runs.js';
import type { ActiveRunLimits } from '../ports/run-limits.js';
import type { RunLedger } from '../run-ledger.js';
import type { RunRecord } from '../run-record.js';
import type { RunRequest } from '../run.types.js';

/** When a new run of a session may start. */
export interface Turn {
  /** True when the run may start at once; otherwise it is queued. */
  readonly starts: boolean;
  /** How many runs of the session are queued before it. */
  readonly queuedBefore: number;
  /** The other runs of the session that had not ended, as a cancel left them. */
  readonly canceled: readonly RunRecord[];
}

/** True for the policies that cancel the session's other runs. */
export function supersedes({ onBusy }: RunRequest): boolean {
  return onBusy === 'interrupt' || onBusy === 'rollback';
}

/**
 * Decides when a new run starts if its session has others that have not ended: by the policy of its request it is
 * refused or queued, or the others are canceled.
 *
 * @throws AppError SESSION_BUSY, QUEUE_FULL
 */
export async function applyBusyPolicy(
  tx: Transaction,
  ledger: RunLedger,
  session: OpenedSession,
  request: RunRequest,
  { now, queueLimit }: { readonly now: number; readonly queueLimit: number },
): Promise<Turn> {
  if (session.runOrdinal === 1) return { starts: true, queuedBefore: 0, canceled: [] };
  if (supersedes(request)) {
    const canceled = await cancelActive(tx, ledger, session.rowId, { now, rollback: request.onBusy === 'rollback' });
    return { starts: canceled.every(({ finishedAt }) => finishedAt !== null), queuedBefore: 0, canceled };
  }
  const { active, queued } = await ledger.runs.countActive(tx, session.rowId);
  if (active > 0 && request.onBusy === 'reject') throw new AppError('SESSION_BUSY');
  if (active > queueLimit) throw new AppError('QUEUE_FULL', undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  return { starts: active === 0, queuedBefore: queued, canceled: [] };
}

/** How many runs may wait in the queue. */
export interface QueueLimits {
  /** Of one tenant. */
  readonly tenant: number;
  /** Of all tenants. */
  readonly fleet: number;
}

/**
 * Refuses a run that would have to wait behind too many others. Runs that are accepted at the same moment may exceed
 * the limits.
 *
 * @throws AppError QUEUE_FULL
 */
export async function requireQueueRoom(
  tx: Transaction,
  ledger: RunLedger,
  { tenantId }: Principal,
  { tenant, fleet }: QueueLimits,
): Promise<void> {
  const isFull = (await ledger.runs.isQueueFull(tx, tenant, tenantId)) || (await ledger.runs.isQueueFull(tx, fleet));
  if (isFull) throw new AppError('QUEUE_FULL', undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/**
 * Refuses a run of an owner that has too many already. Runs that are to be canceled do not count. On PostgreSQL,
 * runs that are accepted at the same moment do not see each other and may exceed the limit.
 *
 * @throws AppError QUEUE_FULL
 */
export async function requireRoom(
  tx: Transaction,
  ledger: RunLedger,
  owner: Principal,
  limits: ActiveRunLimits,
): Promise<void> {
  const { user, tenant } = await ledger.runs.countActiveOf(tx, owner);
  const [whose, limit] = user >= limits.user ? ['user', limits.user] : ['tenant', limits.tenant];
  if (user < limits.user && tenant < limits.tenant) return;
  throw new AppError('QUEUE_FULL', `A ${whose} may have ${limit} runs that wait or are being executed`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

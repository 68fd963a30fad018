import { AppError, type Principal, RETRY_AFTER_SECONDS } from '../common/index.js';
import type { Queryable } from './queryable.js';

const ERASED = 'SELECT 1 AS yes FROM erase_jobs WHERE tenant_id = ? AND user_id = ?';

/**
 * Refuses what a user would store while the user's data is being erased. Call it in the transaction that stores it, after
 * the first statement that writes: the erasure waits for transactions that began to write before it did.
 *
 * @throws AppError SESSION_BUSY; then the transaction must fail
 */
export async function refuseErased(sql: Queryable, { tenantId, userId }: Principal): Promise<void> {
  const found = await sql.all(ERASED, [tenantId, userId]);
  if (found.length > 0)
    throw new AppError('SESSION_BUSY', "This user's data is being erased: try again when that is done", {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
}

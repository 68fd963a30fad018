import { AppError, userReach } from '../../common/index.js';
import type { Transaction } from '../../database/index.js';
import type { OpenedSession } from '../../agent/session/index.js';
import type { RunLedger } from '../run-ledger.js';
import { isActive, type RunRecord } from '../run-record.js';
import type { RunRequest } from '../run.types.js';

/** The session of a new run. */
export interface ResolvedSession {
  readonly session: OpenedSession;
  readonly sessionId: string;
  /** True when the session was created for the run. */
  readonly created: boolean;
  /** The row id of the session whose messages were copied into it. */
  readonly forkedFrom?: number;
}

/**
 * Opens the session of a request. A request that continues after a run (`after`) joins that run's session
 * while the conversation ends there, and forks it otherwise.
 *
 * @throws AppError RUN_NOT_FOUND, SESSION_BUSY (a fork of a run that has not ended), SESSION_EXISTS, SESSION_NOT_FOUND
 */
export async function resolveSession(
  tx: Transaction,
  ledger: RunLedger,
  request: RunRequest,
  now: number,
): Promise<ResolvedSession> {
  const { sessions } = ledger;
  const { after, principal, sessionId, tenantUniqueId, unlistedSession, input } = request;
  if (after === undefined) {
    const open = tenantUniqueId === true ? 'openTenantUnique' : 'open';
    const options = { messages: input.length, unlisted: unlistedSession === true };
    const session = await sessions[open](tx, principal, sessionId, now, options);
    return { session, sessionId, created: session.runOrdinal === 1 };
  }
  const parent = await findParent(tx, ledger, request, after);
  // The session may have been removed since the parent was found.
  if (!(await sessions.lock(tx, parent.sessionRowId))) throw new AppError('RUN_NOT_FOUND');
  if (await endsConversation(tx, ledger, parent)) {
    const session = await sessions.reopen(tx, parent.sessionRowId, now, input.length);
    return { session, sessionId: parent.sessionId, created: false };
  }
  if (isActive(parent)) throw new AppError('SESSION_BUSY');
  const session = await sessions.fork(tx, parent, sessionId, now, input.length);
  return { session, sessionId, created: true, forkedFrom: parent.sessionRowId };
}

async function findParent(
  tx: Transaction,
  { runs }: RunLedger,
  { principal }: RunRequest,
  after: string,
): Promise<RunRecord> {
  const parent = await runs.find(userReach(principal), after, tx);
  if (parent?.visibility !== 'kept') throw new AppError('RUN_NOT_FOUND');
  return parent;
}

async function endsConversation(
  tx: Transaction,
  { runs, sessions }: RunLedger,
  { sessionRowId, ordinal }: RunRecord,
): Promise<boolean> {
  if (await runs.hasLater(tx, sessionRowId, ordinal)) return false;
  return !(await sessions.hasMessagesAfter(tx, sessionRowId, ordinal));
}

import { AppError, isStorable } from '../../common/index.js';
import type { Queryable } from '../../database/index.js';
import type { OpenedSession, SessionStore } from '../../session/index.js';
import type { RunRequest } from '../run.types.js';
import { RUN_COLUMNS, type RunRow } from './run-row.js';

const FIND = `SELECT ${RUN_COLUMNS} FROM runs WHERE tenant_id = ? AND user_id = ? AND id = ? AND keep = 'kept'`;

/** Later runs that are, or may still become, part of the conversation. */
const NEWER = `
  SELECT 1 AS yes FROM runs
  WHERE session_no = ? AND ordinal > ? AND (keep = 'kept' OR status IN ('queued', 'running')) LIMIT 1`;

/** Where a run is put. */
export interface RunPlace {
  readonly session: OpenedSession;
  readonly sessionId: string;
  /** True when the session was made now. */
  readonly created: boolean;
  /** The session whose messages were copied into it. */
  readonly forkedFrom?: number;
}

/**
 * Opens the session of a request. One that goes on after a run joins that run's session while the
 * conversation ends there, and forks it otherwise.
 *
 * @throws AppError RUN_NOT_FOUND, SESSION_BUSY (a fork of a run that is not over), SESSION_EXISTS, SESSION_NOT_FOUND
 */
export async function openFor(
  tx: Queryable,
  sessions: SessionStore,
  request: RunRequest,
  now: number,
): Promise<RunPlace> {
  const { after, principal, sessionId, tenantUniqueId } = request;
  if (after === undefined) {
    const session = await sessions[tenantUniqueId === true ? 'openTenantUnique' : 'open'](
      tx,
      principal,
      sessionId,
      now,
    );
    return { session, sessionId, created: session.runOrdinal === 1 };
  }
  const parent = await findParent(tx, request, after);
  await sessions.lock(tx, parent.session_no);
  if (await endsConversation(tx, sessions, parent)) {
    const session = await sessions.reopen(tx, parent.session_no, now);
    return { session, sessionId: parent.session_id, created: false };
  }
  if (parent.status === 'queued' || parent.status === 'running') throw new AppError('SESSION_BUSY');
  const from = { sessionRowId: parent.session_no, ordinal: parent.ordinal };
  const session = await sessions.fork(tx, from, sessionId, now);
  return { session, sessionId, created: true, forkedFrom: parent.session_no };
}

async function findParent(tx: Queryable, { principal }: RunRequest, after: string): Promise<RunRow> {
  const values = [principal.tenantId, principal.userId, after];
  const [row] = isStorable(after) ? await tx.all<RunRow>(FIND, values) : [];
  if (!row) throw new AppError('RUN_NOT_FOUND');
  return row;
}

async function endsConversation(tx: Queryable, sessions: SessionStore, parent: RunRow): Promise<boolean> {
  const newer = await tx.all(NEWER, [parent.session_no, parent.ordinal]);
  return newer.length === 0 && !(await sessions.hasMessagesAfter(tx, parent.session_no, parent.ordinal));
}

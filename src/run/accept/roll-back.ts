import type { JsonObject } from '../../common/index.js';
import type { Transaction } from '../../database/index.js';
import type { OpenedSession, StoredMessage } from '../../session/index.js';
import type { RunLedger } from '../run-ledger.js';
import type { RunRecord } from '../run-record.js';
import type { LostTurn } from './resent-conversation.js';

/** A run that was rolled back, and the state that its request had replaced; null if it had replaced none. */
interface RolledBack {
  readonly run: RunRecord;
  readonly replaced: JsonObject | null;
}

/**
 * Takes turns that a client has lost out of the conversation: their messages, their runs, and what these have changed in
 * the shared state. Turns of clients that do not resend the conversation stay, because this client may not know them, and
 * what happens to a run in progress is a matter of the busy policy.
 *
 * @param lost oldest first
 * @param now milliseconds since the epoch
 * @returns the messages that are no longer part of the conversation
 */
export async function rollBackTurns(
  tx: Transaction,
  ledger: RunLedger,
  { rowId: sessionRowId }: OpenedSession,
  lost: readonly LostTurn[],
  now: number,
): Promise<ReadonlySet<StoredMessage>> {
  const { runs, sessions } = ledger;
  const first = lost[0]?.messages[0]?.runOrdinal ?? 0;
  const ended = new Map((await runs.endedFrom(tx, sessionRowId, first)).map((run) => [run.rowId, run]));
  const gone = lost.flatMap((turn) => (isDiscarded(turn, ended) ? turn.messages : []));
  const isGone = gone.filter(({ runRowId }) => runRowId === 0 || ended.has(runRowId));
  const rowIds = new Set(isGone.map(({ runRowId }) => runRowId));
  const rolledBack: RolledBack[] = [];
  for (const [rowId, run] of ended) {
    // A run that went on with such a run may have no messages.
    if (!rowIds.has(rowId) && !rowIds.has(run.request.resumes?.rootRunRowId ?? -1)) continue;
    const marked = await runs.markRolledBack(tx, rowId);
    if (marked) rolledBack.push({ run, replaced: marked.stateBefore });
    await sessions.hideRun(tx, sessionRowId, rowId);
  }
  await sessions.hideAdded(
    tx,
    sessionRowId,
    isGone.flatMap(({ runRowId, seq }) => (runRowId === 0 ? [seq] : [])),
  );
  if (rolledBack.length === ended.size) await restoreState(tx, ledger, rolledBack, now);
  return new Set(isGone);
}

/** Whether a client that resends the conversation has left the turn out, and not just never had it. */
function isDiscarded({ messages, isAskedAgain }: LostTurn, ended: ReadonlyMap<number, RunRecord>): boolean {
  const [begin] = messages;
  return isAskedAgain || (begin !== undefined && ended.get(begin.runRowId)?.request.resendsHistory === true);
}

/** The shared state becomes that before the runs, unless none of them has changed it or it is not known any more. */
async function restoreState(
  tx: Transaction,
  { log, sessions }: RunLedger,
  rolledBack: readonly RolledBack[],
  now: number,
): Promise<void> {
  for (const { run, replaced } of rolledBack) {
    const state = replaced ?? (await log.stateBefore(tx, run.rowId));
    if (state) return sessions.saveState(tx, run.sessionRowId, state, now);
  }
}

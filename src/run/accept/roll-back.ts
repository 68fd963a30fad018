import type { Transaction } from '../../database/index.js';
import type { OpenedSession, StoredMessage } from '../../session/index.js';
import type { RolledBackRun } from '../ports/run-store.js';
import type { RunLedger } from '../run-ledger.js';

/** Where a conversation is rolled back. */
export interface RollBack {
  /** The first message that is taken out of it. */
  readonly from: StoredMessage;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Takes the later turns out of a conversation: messages, runs that have ended, and what these have changed in the shared
 * state. What happens to a run in progress is a matter of the busy policy.
 *
 * @param stored the whole conversation
 * @returns what is left of it
 */
export async function rollBackFrom(
  tx: Transaction,
  ledger: RunLedger,
  { rowId: sessionRowId }: OpenedSession,
  stored: readonly StoredMessage[],
  { from, now }: RollBack,
): Promise<readonly StoredMessage[]> {
  const { runs, sessions } = ledger;
  // Messages outside runs may share their ordinal with a run that stays.
  const first = from.runRowId === 0 ? from.runOrdinal + 1 : from.runOrdinal;
  const rolledBack = await runs.rollBackFrom(tx, sessionRowId, first);
  const rowIds = rolledBack.map(({ rowId }) => rowId);
  await sessions.hideFrom(tx, sessionRowId, rowIds, from);
  const state = await stateBefore(tx, ledger, rolledBack);
  if (state) await sessions.saveState(tx, sessionRowId, state, now);
  const gone = new Set(rowIds);
  const isLater = stored.indexOf(from);
  return stored.filter(({ runRowId }, index) => !(runRowId === 0 ? index >= isLater : gone.has(runRowId)));
}

/** The shared state before runs; undefined if none of them has changed it, or if it is not known any more. */
async function stateBefore(
  tx: Transaction,
  { log }: RunLedger,
  rolledBack: readonly RolledBackRun[],
): Promise<RolledBackRun['stateBefore'] | undefined> {
  for (const { rowId, stateBefore: replaced } of rolledBack) {
    const state = replaced ?? (await log.stateBefore(tx, rowId));
    if (state) return state;
  }
  return undefined;
}

import type { Queryable } from '../../database/index.js';
import type { Message } from '../../events/index.js';
import type { InterruptStore, WaitingInterrupt } from '../../interrupt/index.js';
import type { OpenedSession } from '../../session/index.js';
import { type AcceptOptions, interruptRun, type ResumedRuns, type RunRecord } from '../ports/run-store.js';
import { RUN_COLUMNS, type RunRow, runRecord } from './run-row.js';

/** How a new run stands to the questions of its session. */
export interface Turn {
  /** Set when the run goes on where an earlier one waited. */
  readonly resumes: ResumedRuns | undefined;
  /** What is open. */
  readonly waiting: readonly WaitingInterrupt[];
}

const NOTHING: Turn = { resumes: undefined, waiting: [] };

const WAITING_RUN = `
  SELECT ${RUN_COLUMNS} FROM runs WHERE session_no = ? AND status = 'interrupted' ORDER BY ordinal DESC LIMIT 1`;

/**
 * Finds out where the new run goes on. With answers: at the run that waits for them. With nothing but
 * results of client tools: at the session's newest run that waits. With anything else it begins anew.
 */
export async function goesOn(
  tx: Queryable,
  interrupts: InterruptStore,
  session: OpenedSession,
  input: readonly Message[],
  { answers = [] }: AcceptOptions,
): Promise<Turn> {
  if (session.runOrdinal === 1) return NOTHING;
  const waiting = await interrupts.waiting(tx, session.rowId);
  if (answers.length === 0 && !isToolResults(input)) return { resumes: undefined, waiting };
  const before = await waitingRun(tx, session, waiting, new Set(answers.map(({ id }) => id)));
  return { resumes: before && resumed(before, waiting), waiting };
}

/** Writes the answers down; closes what was left unanswered when the person went on with something else. */
export async function settle(
  tx: Queryable,
  interrupts: InterruptStore,
  run: RunRecord,
  { resumes, waiting }: Turn,
  { answers = [], now }: AcceptOptions,
): Promise<void> {
  const own = interruptRun(run);
  if (answers.length > 0) await interrupts.settle(tx, own, answers, now);
  if (resumes || waiting.length > 0) await interrupts.expireFor(tx, own, now);
  if (!resumes && waiting.length > 0) await interrupts.giveUp(tx, own, now);
}

function isToolResults(input: readonly Message[]): boolean {
  return input.length > 0 && input.every((message) => message.type.endsWith('_call_output'));
}

async function waitingRun(
  tx: Queryable,
  session: OpenedSession,
  waiting: readonly WaitingInterrupt[],
  answered: ReadonlySet<string>,
): Promise<RunRecord | undefined> {
  const numbers = waiting.filter(({ id }) => answered.has(id)).map((one) => one.waitingRunRowId);
  const [row] =
    numbers.length === 0
      ? await tx.all<RunRow>(WAITING_RUN, [session.rowId])
      : await tx.all<RunRow>(`SELECT ${RUN_COLUMNS} FROM runs WHERE no = ?`, [Math.max(...numbers)]);
  return row && runRecord(row);
}

/** A run that waits for an input is done again from its beginning; any other is gone on with. */
function resumed(before: RunRecord, waiting: readonly WaitingInterrupt[]): ResumedRuns {
  const rootRunNo = before.request.resumes?.rootRunNo ?? before.rowId;
  const asksItself = waiting.some((one) => one.kind === 'input' && one.waitingRunRowId === before.rowId);
  if (!asksItself) return { rootRunNo, reruns: [] };
  const { rowId, ordinal } = before;
  return { rootRunNo, reruns: [...(before.request.resumes?.reruns ?? []), { no: rowId, ordinal }] };
}

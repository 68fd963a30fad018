import { AppError } from '../../common/index.js';
import type { Transaction } from '../../database/index.js';
import type { Message } from '../../events/index.js';
import type { InterruptStore, ValidatedAnswer, WaitingInterrupt } from '../../agent/interrupt/index.js';
import type { OpenedSession } from '../../agent/session/index.js';
import type { RunLedger } from '../run-ledger.js';
import { interruptRun, type ResumePoint, type RunRecord } from '../run-record.js';

/** How a new run relates to the interrupts of its session. */
export interface Resume {
  /** Set when the run resumes an interrupted one. */
  readonly point: ResumePoint | undefined;
  /** The interrupts that no run has resumed from. */
  readonly waiting: readonly WaitingInterrupt[];
  /** The id of the first run of the chain that the new run belongs to; null if it begins one. */
  readonly rootRunId: string | null;
}

const NOTHING: Resume = { point: undefined, waiting: [], rootRunId: null };

/**
 * Finds where a new run continues. With answers: at the run that waits for them. With nothing but results of
 * client tools: at the newest interrupted run of the session. Any other input starts anew; it belongs to the chain of the
 * run that still waits, because it takes the place of the answer (contract a2a, section 6.2).
 */
export async function findResumePoint(
  tx: Transaction,
  ledger: RunLedger,
  session: OpenedSession,
  input: readonly Message[],
  { answers, now }: { readonly answers: readonly ValidatedAnswer[]; readonly now: number },
): Promise<Resume> {
  if (session.runOrdinal === 1) return NOTHING;
  // Both, so that on PostgreSQL they share a round trip.
  const [waiting, newest] = await Promise.all([
    ledger.interrupts.waiting(tx, session.rowId),
    ledger.runs.newestBefore(tx, session.rowId, session.runOrdinal),
  ]);
  if (answers.length === 0 && !isToolResults(input)) {
    const replaced = await waitingRun(tx, ledger, newest, waiting, now);
    return { point: undefined, waiting, rootRunId: replaced?.rootRunId ?? null };
  }
  const answered = new Set(answers.map(({ id }) => id));
  const rowIds = waiting.filter(({ id }) => answered.has(id)).map(({ waitingRunRowId }) => waitingRunRowId);
  const before = await (rowIds.length === 0
    ? ledger.runs.newestInterrupted(tx, session.rowId)
    : ledger.runs.get(tx, Math.max(...rowIds)));
  return { point: before && resumePointAfter(before, waiting), waiting, rootRunId: before?.rootRunId ?? null };
}

/** The run of a session that waits for an answer which may still come; undefined if none does. */
async function waitingRun(
  tx: Transaction,
  ledger: RunLedger,
  newest: RunRecord | undefined,
  waiting: readonly WaitingInterrupt[],
  now: number,
): Promise<RunRecord | undefined> {
  const open = waiting.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
  const rowIds = open.map(({ waitingRunRowId }) => waitingRunRowId);
  if (rowIds.length > 0) {
    const rowId = Math.max(...rowIds);
    return newest?.rowId === rowId ? newest : ledger.runs.get(tx, rowId);
  }
  if (newest?.state !== 'interrupted' || newest.closedAt !== null) return undefined;
  // Without a question of its own, it waits for the results of the client's tools.
  return (await ledger.interrupts.hasAsked(tx, newest.rowId)) ? undefined : newest;
}

/**
 * Checks that the answers are for all open interrupts of the session.
 *
 * @throws AppError INTERRUPT_PENDING naming the others
 */
export async function requireAllAnswered(
  tx: Transaction,
  interrupts: InterruptStore,
  session: OpenedSession,
  { answers, now }: { readonly answers: readonly ValidatedAnswer[]; readonly now: number },
): Promise<void> {
  if (session.runOrdinal === 1) return;
  const waiting = await interrupts.waiting(tx, session.rowId);
  const open = waiting.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
  const answered = new Set(answers.map(({ id }) => id));
  const missing = open.map(({ id }) => id).filter((id) => !answered.has(id));
  if (missing.length === 0) return;
  const message = `The thread has ${missing.length} open interrupt(s) that resume does not answer: ${missing.join(', ')}`;
  throw new AppError('INTERRUPT_PENDING', message, { details: [{ path: 'resume', message }] });
}

/**
 * Stores the answers; closes what is left unanswered when the user continued with something else.
 *
 * @param decisions.keep true: it stays open
 */
export async function recordAnswers(
  tx: Transaction,
  interrupts: InterruptStore,
  run: RunRecord,
  { point, waiting }: Resume,
  {
    answers,
    now,
    keep,
  }: { readonly answers: readonly ValidatedAnswer[]; readonly now: number; readonly keep: boolean },
): Promise<void> {
  const own = interruptRun(run);
  if (answers.length > 0) await interrupts.recordAnswers(tx, own, answers, now);
  if (point || waiting.length > 0) await interrupts.assignExpired(tx, own, now);
  if (!point && waiting.length > 0 && !keep) await interrupts.cancelUnanswered(tx, own, now);
}

function isToolResults(input: readonly Message[]): boolean {
  return input.length > 0 && input.every((message) => message.type.endsWith('_call_output'));
}

/** A run that waits for an input is repeated from its start; any other is continued. */
function resumePointAfter(run: RunRecord, waiting: readonly WaitingInterrupt[]): ResumePoint {
  const { resumes } = run.request;
  const rootRunRowId = resumes?.rootRunRowId ?? run.rowId;
  const waitsForInput = waiting.some(({ kind, waitingRunRowId }) => kind === 'input' && waitingRunRowId === run.rowId);
  if (!waitsForInput) return { rootRunRowId, reruns: [] };
  const { rowId, ordinal } = run;
  return { rootRunRowId, reruns: [...(resumes?.reruns ?? []), { rowId, ordinal }] };
}

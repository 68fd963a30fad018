import type { Queryable } from '../../database/index.js';
import type { AskedInterrupt, InterruptStore } from '../../interrupt/index.js';
import type { SessionStore } from '../../session/index.js';
import type { LogWrite } from '../ports/run-log.js';
import type { StoredRequest } from '../ports/run-store.js';

const NEXT = `
  SELECT no, id, request FROM runs WHERE session_no = ? AND ordinal > ? AND status = 'queued' ORDER BY ordinal LIMIT 1`;

interface NextRow {
  readonly no: number;
  readonly id: string;
  readonly request: string;
}

/** Where the questions of a run are written. */
export interface QuestionStores {
  readonly sessions: SessionStore;
  readonly interrupts: InterruptStore;
}

/**
 * Opens the questions that a run ends with. What came before its end answers them at once: a cancel
 * that was too late to stop the run, or what the person said meanwhile, in the run that begins now.
 */
export async function openQuestions(
  tx: Queryable,
  { sessions, interrupts }: QuestionStores,
  { runRowId, runOrdinal, sessionRowId, at }: LogWrite,
  asked: readonly AskedInterrupt[],
  isCanceled: boolean,
): Promise<void> {
  // Whoever is accepted from now on sees the questions.
  await sessions.lock(tx, sessionRowId);
  await interrupts.open(tx, runRowId, asked, at);
  if (isCanceled) await interrupts.cancelOfRun(runRowId, at, tx);
  const [next] = await tx.all<NextRow>(NEXT, [sessionRowId, runOrdinal]);
  const goesOn = next !== undefined && (JSON.parse(next.request) as StoredRequest).resumes !== undefined;
  if (next && !goesOn)
    await interrupts.giveUp(tx, { rowId: next.no, id: next.id, sessionRowId, rootRunNo: next.no }, at);
}

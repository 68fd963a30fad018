import { json } from '../api/client.js';
import type { Interrupt, Run, RunDetail } from '../api/types.js';
import { noteDecisions } from './decisions.js';
import type { PendingCall } from './live-run.js';
import type { ReturnedResult } from './sent-messages.js';
import { callIdOf, type Transcript } from './transcript.js';

/** Adds what no wire says of a run that is over: its agent, and how long it took. Nothing, if it cannot be read. */
export async function noteEnd(transcript: Transcript, id: string | undefined, signal: AbortSignal): Promise<void> {
  if (id === undefined) return;
  const run = await json<RunDetail>(`api/v1/runs/${encodeURIComponent(id)}`, { signal }).catch(() => undefined);
  if (run) putEnd(transcript, run);
}

/** Shows the end of a run. One that waits, or that another one continues, is not over for the person. */
function putEnd(transcript: Transcript, run: Run): void {
  if (run.endedAt !== null && run.status !== 'interrupted') {
    transcript.put({ kind: 'end', id: `end-${run.id}`, of: run });
  }
}

/** Calls that waited for this page wait no longer: the conversation goes on without their results. */
export function leaveCalls(transcript: Transcript, calls: readonly PendingCall[]): void {
  const ids = new Set(calls.map(({ callId }) => callId));
  const isLeft = { outcome: 'unanswered', done: true };
  transcript.changeCalls((call) => ids.has(callIdOf(call)) && call.result === undefined, isLeft);
}

/**
 * Shows results with which the next run has begun. Not every wire tells the ids of calls that the server has; their order
 * is the same.
 *
 * @param calls those that the run before has left to its client
 */
function returnResults(
  transcript: Transcript,
  calls: readonly PendingCall[],
  results: readonly ReturnedResult[],
): void {
  for (const [index, { callId, output }] of results.entries()) {
    const call = calls.find((one) => one.callId === callId) ?? calls[index];
    const known = call?.callId ?? callId;
    transcript.changeCalls((one) => callIdOf(one) === known, { result: output, outcome: undefined, done: true });
  }
}

/** What a run of the past has left open, and what came of it. */
interface Past {
  readonly run: Run;
  readonly pending: readonly PendingCall[];
  readonly returned: readonly ReturnedResult[];
  readonly asked: readonly Interrupt[];
}

/** Shows what came of what a run has left open, when another one followed. */
export function showPast(transcript: Transcript, { run, pending, returned, asked }: Past): void {
  returnResults(transcript, pending, returned);
  leaveCalls(transcript, pending);
  noteDecisions(transcript, asked);
  putEnd(transcript, run);
}

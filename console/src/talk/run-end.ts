import { json } from '../api/client.js';
import type { Run, RunDetail } from '../api/types.js';
import type { PendingCall } from './live-run.js';
import { callIdOf, type Transcript } from './transcript.js';

/** Adds what no wire says of a run that is over: its agent, and how long it took. Nothing, if it cannot be read. */
export async function noteEnd(transcript: Transcript, id: string | undefined, signal: AbortSignal): Promise<void> {
  if (id === undefined) return;
  const run = await json<RunDetail>(`api/v1/runs/${encodeURIComponent(id)}`, { signal }).catch(() => undefined);
  if (run) putEnd(transcript, run);
}

/** Shows the end of a run. One that waits, or that another one continues, is not over for the person. */
export function putEnd(transcript: Transcript, run: Run): void {
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

/** Shows results that clients have returned. @param results by the id of their call */
export function returnResults(transcript: Transcript, results: ReadonlyMap<string, string>): void {
  for (const [callId, result] of results)
    transcript.changeCalls((call) => callIdOf(call) === callId, { result, outcome: undefined, done: true });
}

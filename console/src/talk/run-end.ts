import { json } from '../api/client.js';
import type { Run, RunDetail, Timeline } from '../api/types.js';
import type { PendingCall } from './live-run.js';
import { callIdOf, type Transcript } from './transcript.js';

/** States of spans that say no more than that there is a result. */
const PLAIN: ReadonlySet<string> = new Set(['completed', 'running']);

/**
 * Adds what no wire says of a run that is over: how it ended, its agent and how long it took, and which of its calls were
 * refused, invalid or failed. Nothing is added if it cannot be read.
 */
export async function noteEnd(transcript: Transcript, id: string | undefined, signal: AbortSignal): Promise<void> {
  if (id === undefined) return;
  const path = `api/v1/runs/${encodeURIComponent(id)}`;
  const [run] = await Promise.all([
    json<RunDetail>(path, { signal }).catch(() => undefined),
    noteOutcomes(transcript, id, signal),
  ]);
  if (run) putEnd(transcript, run);
}

/** Says how a run ended. A run that waits, or that another one continues, has not ended for the person. */
export function putEnd(transcript: Transcript, run: Run): void {
  if (run.endedAt !== null && run.status !== 'interrupted') {
    transcript.put({ kind: 'end', id: `end-${run.id}`, of: run });
  }
}

/** Says of the calls of a run what came of them, by its timeline. */
export async function noteOutcomes(transcript: Transcript, run: string, signal: AbortSignal): Promise<void> {
  if (!transcript.hasCalls()) return;
  const path = `api/v1/runs/${encodeURIComponent(run)}/timeline`;
  const timeline = await json<Timeline>(path, { signal }).catch(() => undefined);
  for (const { kind, callId, status } of timeline?.spans ?? []) {
    if (kind !== 'tool' || callId === undefined || PLAIN.has(status)) continue;
    transcript.changeCalls((call) => callIdOf(call) === callId, { outcome: status, done: true });
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

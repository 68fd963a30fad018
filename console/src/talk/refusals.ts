import { json } from '../api/client.js';
import type { Run, RunDetail, SessionDetail } from '../api/types.js';
import { isOver } from '../runs/is-over.js';
import { NO_REFUSALS, type Refusals } from './turn.js';

/** What the server says of what the person may do with the session of a run. @param newest undefined if it has none */
export async function refusalsOf(newest: Run | undefined, signal: AbortSignal): Promise<Refusals> {
  if (!newest) return NO_REFUSALS;
  const { id, sessionId, status } = newest;
  // What cannot be asked is tried, and refused then.
  const session = await json<SessionDetail>(`api/v1/sessions/${encodeURIComponent(sessionId)}`, { signal }).catch(
    () => undefined,
  );
  const send = session?.refusal ?? null;
  if (send === null || isOver(status)) return { send, stop: null };
  const run = await json<RunDetail>(`api/v1/runs/${encodeURIComponent(id)}`, { signal }).catch(() => undefined);
  return { send, stop: run?.refusal ?? null };
}

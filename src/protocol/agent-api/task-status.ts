import type { Reach } from '../../common/index.js';
import type { AgentResponse } from '../../events/index.js';
import type { Runs } from '../../run/index.js';
import { withOpenCallsLast } from './terminal-output.js';

/** The status of a task (contract agent-api, section a.1). */
export type TaskStatus =
  | { readonly status: 'pending'; readonly result: null }
  | { readonly status: 'running'; readonly started_at: number; readonly result: null }
  | { readonly status: 'finished'; readonly result: AgentResponse }
  | { readonly status: 'error'; readonly result: string };

/**
 * The status of a task. A run that failed is `finished` with a failed response; `error` is for one that
 * ended before it began.
 *
 * @throws AppError RUN_NOT_FOUND
 */
export async function taskStatus(runs: Runs, reach: Reach, taskId: string): Promise<TaskStatus> {
  const { state, startedAt, createdAt, error } = await runs.view(reach, taskId);
  if (state === 'queued') return { status: 'pending', result: null };
  if (state === 'running') return { status: 'running', started_at: (startedAt ?? createdAt) / 1000, result: null };
  if (state === 'failed' && startedAt === null)
    return { status: 'error', result: error?.message ?? 'The task was not run' };
  return { status: 'finished', result: withOpenCallsLast(await runs.response(reach, taskId)) };
}

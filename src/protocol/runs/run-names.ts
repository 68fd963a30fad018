import type { RunState, RunView } from '../../run/index.js';

/** The states of a run as this wire names them (contract runs-api, section 4). */
export const RUNS_STATUSES = [
  'queued',
  'running',
  'cancelling',
  'succeeded',
  'failed',
  'timed_out',
  'cancelled',
  'interrupted',
] as const;
export type RunsStatus = (typeof RUNS_STATUSES)[number];

/** The wire's name of a run's state. A run that was cut at a limit has succeeded, as its stream says too. */
export function statusOf(run: Pick<RunView, 'state' | 'timedOut' | 'cancelRequestedAt'>): RunsStatus {
  switch (run.state) {
    case 'queued':
      return 'queued';
    case 'running':
      return run.cancelRequestedAt === null ? 'running' : 'cancelling';
    case 'completed':
    case 'incomplete':
      return 'succeeded';
    case 'failed':
      return run.timedOut ? 'timed_out' : 'failed';
    case 'canceled':
      return 'cancelled';
    case 'interrupted':
      return 'interrupted';
  }
}

/** The states that a status can stand for. */
export function statesOf(status: RunsStatus): readonly RunState[] {
  const states: Readonly<Record<RunsStatus, readonly RunState[]>> = {
    queued: ['queued'],
    running: ['running'],
    cancelling: ['running'],
    succeeded: ['completed', 'incomplete'],
    failed: ['failed'],
    timed_out: ['failed'],
    cancelled: ['canceled'],
    interrupted: ['interrupted'],
  };
  return states[status];
}

/** The run's id as its client knows it; runs of other wires go by the server's id. */
export function clientRunId(run: Pick<RunView, 'runId' | 'runKey'>): string {
  return run.runKey ?? run.runId;
}

const ERROR_NAMES: Readonly<Record<string, string>> = {
  BUDGET_EXCEEDED: 'budget_exceeded',
  TIMEOUT: 'timeout',
  WORKER_LOST: 'worker_lost',
  TOOL_IN_DOUBT: 'tool_in_doubt',
  JOURNAL_MISMATCH: 'journal_mismatch',
  REJECTED: 'rejected',
};

/** The wire's name of what a run failed with. */
export function errorNameOf(code: string | undefined): string {
  if (code === undefined) return 'agent_error';
  const own = ERROR_NAMES[code];
  if (own !== undefined) return own;
  if (code.startsWith('MODEL_')) return 'model_error';
  return code.startsWith('TOOL_') || code.startsWith('MCP_') ? 'tool_error' : 'agent_error';
}

/** Where a run can be read. */
export function addressOf(threadId: string, runId: string): string {
  return `/api/v1/agent/runs/${encodeURIComponent(threadId)}/${encodeURIComponent(runId)}`;
}

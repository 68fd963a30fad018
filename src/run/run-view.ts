import type { RunRecord } from './run-record.js';
import type { RunView } from './run.types.js';

/**
 * A run as the wires see it.
 *
 * @param queuedBefore how many runs of its session are queued before a queued one
 * @param isAccepted true: the view leads back to the run as it is now, see `RunView.ref`
 */
export function runView(run: RunRecord, queuedBefore: number, isAccepted = false): RunView {
  return {
    ref: isAccepted ? run : undefined,
    tenantId: run.tenantId,
    runId: run.id,
    sessionId: run.sessionId,
    userId: run.userId,
    agentType: run.agentType,
    ordinal: run.ordinal,
    wire: run.wire,
    runKey: run.runKey,
    parentRunId: run.parentRunId,
    wireData: run.wireData,
    clientTools: run.request.clientTools,
    state: run.state,
    isRolledBack: run.visibility === 'rolled_back',
    isResumed: run.request.resumes !== undefined,
    timedOut: run.state === 'failed' && run.error?.code === 'TIMEOUT',
    queuePosition: run.state === 'queued' ? queuedBefore + 1 : null,
    attempt: run.attempt,
    createdAt: run.createdAt,
    startedAt: run.startedAt,
    finishedAt: run.finishedAt,
    cancelRequestedAt: run.cancelRequestedAt,
    lastSeq: run.nextSeq - 1,
    error: run.error,
    usage: run.usage,
    retainedSummaries: run.retainedSummaries,
    rootRunId: run.rootRunId,
    closedAt: run.closedAt,
  };
}

/** The run that a view leads back to; undefined if it has to be looked up. */
export function runOf({ ref }: Pick<RunView, 'ref'>): RunRecord | undefined {
  return ref as RunRecord | undefined;
}

import type { RunRecord } from './ports/run-store.js';
import type { RunView } from './run.types.js';

/** A run as protocols see it. `waitingBefore` counts only for one that waits. */
export function runView(run: RunRecord, waitingBefore: number): RunView {
  return {
    runId: run.id,
    sessionId: run.sessionId,
    userId: run.userId,
    agentType: run.agentType,
    ordinal: run.ordinal,
    wire: run.wire,
    runKey: run.runKey,
    parentRunId: run.parentRunId,
    wireData: run.wireData,
    state: run.state,
    timedOut: run.state === 'failed' && run.error?.code === 'TIMEOUT',
    queuePosition: run.state === 'queued' ? waitingBefore + 1 : null,
    attempt: run.attempt,
    createdAt: run.createdAt,
    startedAt: run.startedAt,
    finishedAt: run.finishedAt,
    cancelRequestedAt: run.cancelRequestedAt,
    lastSeq: run.nextSeq - 1,
    error: run.error,
    usage: run.usage,
    retainedSummaries: run.retainedSummaries,
  };
}

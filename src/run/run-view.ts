import type { RunRecord } from './run-record.js';
import type { RunView } from './run.types.js';

/** A run as the wires see it. @param queuedBefore how many runs of its session are queued before a queued one */
export function runView(run: RunRecord, queuedBefore: number): RunView {
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
  };
}

import type { RunRecord } from './run-record.js';
import type { RunView } from './run.types.js';

/** The runs that this process accepted, by what it returned for them. */
const ACCEPTED = new WeakMap<RunView, RunRecord>();

/** The view of a run that was just accepted: it leads back to the run. @param queuedBefore as for `runView` */
export function acceptedView(run: RunRecord, queuedBefore: number): RunView {
  const view = runView(run, queuedBefore);
  ACCEPTED.set(view, run);
  return view;
}

/** The run that a view was made of by `acceptedView`. */
export function acceptedRun(view: RunView): RunRecord | undefined {
  return ACCEPTED.get(view);
}

/** A run as the wires see it. @param queuedBefore how many runs of its session are queued before a queued one */
export function runView(run: RunRecord, queuedBefore: number): RunView {
  return {
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
  };
}

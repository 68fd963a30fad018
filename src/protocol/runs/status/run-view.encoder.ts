import type { Usage } from '../../../events/index.js';
import type { RunView } from '../../../run/index.js';
import { isoTime } from '../../../common/index.js';
import { formatEventId } from '../events/event-id.js';
import { clientRunId, errorNameOf, type RunsStatus, statusOf } from '../run-names.js';

/** What a run used, in tokens. */
export interface RunsUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  readonly reasoningTokens?: number;
  readonly cachedInputTokens?: number;
}

/** A run as this wire shows it (contract runs-api, section 4). Times are ISO 8601 in UTC. */
export interface RunsRunView {
  readonly taskId: string;
  readonly threadId: string;
  readonly runId: string;
  readonly parentRunId: string | null;
  readonly agentType: string;
  readonly status: RunsStatus;
  readonly attempt: number;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  /** Null before the first event, and when an earlier version removed the events uncounted. */
  readonly lastEventId: string | null;
  readonly lastSeq: number | null;
  readonly queuePosition: number | null;
  readonly cancelRequestedAt: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly usage: RunsUsage | null;
}

/** Shows a run. @param lastSeq of its events; undefined when they are no longer kept and were not counted */
export function encodeRunView(run: RunView, lastSeq: number | undefined): RunsRunView {
  const { ordinal, error } = run;
  const hasEvents = lastSeq !== undefined && lastSeq > 0;
  return {
    taskId: run.runId,
    threadId: run.sessionId,
    runId: clientRunId(run),
    parentRunId: run.parentRunId,
    agentType: run.agentType,
    status: statusOf(run),
    attempt: run.attempt,
    createdAt: timeOf(run.createdAt),
    startedAt: run.startedAt === null ? null : timeOf(run.startedAt),
    finishedAt: run.finishedAt === null ? null : timeOf(run.finishedAt),
    lastEventId: hasEvents ? formatEventId({ ordinal, seq: lastSeq }) : null,
    lastSeq: lastSeq ?? null,
    queuePosition: run.queuePosition,
    cancelRequestedAt: run.cancelRequestedAt === null ? null : timeOf(run.cancelRequestedAt),
    error: error && { code: errorNameOf(error.code), message: error.message },
    usage: run.usage && usageOf(run.usage),
  };
}

/** The entity tag of a view: it changes with every event and every state. */
export function entityTag({ lastSeq, status }: RunsRunView): string {
  return `"${lastSeq ?? 'x'}-${status}"`;
}

/** Whether an If-None-Match header names an entity tag; proxies make tags weak (RFC 9110, section 13.1.2). */
export function namesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === '*' || [...header.matchAll(/"[^"]*"/g)].some(([one]) => one === tag);
}

/** The status that the first tag of a header was made with; undefined for tags of others. */
export function statusOfTag(header: string | undefined): string | undefined {
  return /^\s*(?:W\/)?"(?:\d+|x)-([a-z_]+)"/.exec(header ?? '')?.[1];
}

function timeOf(milliseconds: number): string {
  return isoTime(milliseconds);
}

function usageOf(usage: Usage): RunsUsage {
  const { input_tokens: inputTokens, output_tokens: outputTokens, reasoning_tokens, cached_tokens } = usage;
  return {
    inputTokens,
    outputTokens,
    totalTokens: usage.total_tokens ?? inputTokens + outputTokens,
    ...(reasoning_tokens !== undefined && { reasoningTokens: reasoning_tokens }),
    ...(cached_tokens !== undefined && { cachedInputTokens: cached_tokens }),
  };
}

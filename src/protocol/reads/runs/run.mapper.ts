import type { Caller } from '../../../access/index.js';
import { type Authority, isoTime, isoTimeOrNull, isSameActor } from '../../../common/index.js';
import {
  type LoggedEvent,
  RUN_RECOVERED,
  type RunRecovered,
  type UpstreamRecovered,
  type Usage,
} from '../../../events/index.js';
import { type InterruptView, isEdited } from '../../../agent/interrupt/index.js';
import type { RunDetails, RunSummary } from '../../../run/index.js';
import type { RunDetailDto, RunInterruptDto, RunSummaryDto, TakeoverDto, TokenUsageDto } from '../dto/run.dto.js';

/** A run as lists show it. */
export function runSummary(run: RunSummary | RunDetails): RunSummaryDto {
  const { turn } = run;
  return {
    id: run.runId,
    sessionId: run.sessionId,
    userId: run.userId,
    agent: run.agentType,
    wire: run.wire,
    status: run.state,
    queuePosition: run.queuePosition,
    model: run.model,
    answeredBy: run.answeredBy,
    input: run.inputText,
    attempt: run.attempt,
    createdAt: isoTime(run.createdAt),
    startedAt: isoTimeOrNull(run.startedAt),
    endedAt: isoTimeOrNull(run.finishedAt),
    usage: run.usage && tokenUsage(run.usage),
    error: run.error && { code: run.error.code, message: run.error.message },
    turn: turn.first && { id: turn.first.runId, input: turn.first.inputText },
    waitsFor: turn.waitsFor,
    isContinued: turn.isContinued,
    interrupts: turn.asked,
  };
}

/** A run in full, as far as a caller may see it. */
export function runDetail(
  run: RunDetails,
  more: Pick<RunDetailDto, 'takeovers' | 'refusal'> & { readonly interrupts: readonly InterruptView[] },
  caller: Caller,
): RunDetailDto {
  return Object.assign(runSummary(run), {
    ordinal: run.ordinal,
    eventCount: run.lastSeq + 1,
    eventsRemovedAt: isoTimeOrNull(run.eventsPrunedAt),
    cancelRequestedAt: isoTimeOrNull(run.cancelRequestedAt),
    timedOut: run.timedOut,
    runKey: run.runKey,
    parentRunId: run.parentRunId,
    worker: run.worker,
    takeovers: more.takeovers,
    interrupts: more.interrupts.map(runInterrupt),
    refusal: more.refusal,
    authority: run.authority && visibleAuthority(run.authority, caller),
  });
}

/** The recoveries of a run among some events; those of servers of remote agents are none. */
export function takeoversOf(events: readonly LoggedEvent[]): readonly TakeoverDto[] {
  return events.flatMap(({ event, seq, at }) => {
    if (event.object !== 'custom' || event.name !== RUN_RECOVERED) return [];
    const value = event.value as unknown as RunRecovered | UpstreamRecovered;
    if ('upstream' in value) return [];
    const { attempt, discardedMessageIds, resumedFromStep } = value;
    return [{ attempt, at: isoTime(at), seq, resumedFromStep, discardedMessageIds }];
  });
}

/** Tokens, in the names of this API. */
export function tokenUsage(usage: Usage): TokenUsageDto {
  const { input_tokens: inputTokens, output_tokens: outputTokens } = usage;
  return {
    inputTokens,
    outputTokens,
    totalTokens: usage.total_tokens ?? inputTokens + outputTokens,
    ...(usage.reasoning_tokens !== undefined && { reasoningTokens: usage.reasoning_tokens }),
    ...(usage.cached_tokens !== undefined && { cachedTokens: usage.cached_tokens }),
  };
}

function runInterrupt(view: InterruptView): RunInterruptDto {
  const { id, kind, status, toolName, resumedByRunId } = view;
  return { id, kind, status, toolName, isEdited: isEdited(view), resumedByRunId };
}

/** The rights of a program that acted for the reader are not the reader's business. */
function visibleAuthority(authority: Authority, { actor, scopes }: Caller): object {
  const isVisible = scopes.has('data:tenant') || isSameActor(authority.actor, actor);
  return isVisible ? authority : { actor: { kind: authority.actor.kind } };
}

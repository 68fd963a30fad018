import { isPlainObject, type Json, type JsonObject } from '../../../common/index.js';
import type { Usage } from '../../../events/index.js';
import { failedStepKey, type JournalStep, type RunDetails } from '../../../run/index.js';
import type { SpanStatus } from '../dto/log.dto.js';
import { tokenUsage } from './run.mapper.js';
import { containing, type Span } from './span.js';

/** The kinds of spans that say what the agent is doing. */
const STEP_KINDS: ReadonlySet<string> = new Set(['model', 'tool', 'step']);

/** A key of the journal: the part of a subagent, the kind, and the rest. */
const KEY = /^([0-9a-f]{16}\/)?(?:(model|tool):)?(.*)$/su;

/** A call of a tool, as the answer of a model has it. */
interface Call {
  readonly id: string;
  readonly name: string;
}

/** What is known of the steps of a run. */
interface Steps {
  readonly run: RunDetails;
  readonly steps: readonly JournalStep[];
}

/**
 * The steps of a run as spans: those of the journal, and what the run was doing besides while it is executed, or when it
 * ended.
 */
export function stepSpans(parts: Steps, others: readonly Span[], subagents: readonly Span[]): readonly Span[] {
  const recorded = recordedSpans(parts, subagents);
  const all = [...recorded, ...openCalls(parts)];
  return [...all, ...unrecorded(parts, [...others, ...all])];
}

/** The steps of the journal: model calls, tool calls, and the agent's own. */
function recordedSpans({ run, steps }: Steps, subagents: readonly Span[]): readonly Span[] {
  const names = new Map(steps.flatMap(({ output }) => callsOf(output).map(({ id, name }) => [id, name] as const)));
  const begins = new Map(steps.flatMap(({ key, startedAt }) => (startedAt === undefined ? [] : [[key, startedAt]])));
  return steps.map((step): Span => {
    const { status, updatedAt = run.createdAt, startedAt, output } = step;
    const failed = failedStepKey(step);
    const key = failed ?? step.key;
    const [, part = '', kind = '', rest = ''] = KEY.exec(key) ?? [];
    const start = startedAt ?? updatedAt;
    const isEnded = status === 'finished' || failed !== undefined;
    // A step that a lost worker has begun, and that nobody finished, ended with its run.
    const end = isEnded ? updatedAt : run.finishedAt;
    const parentId = part === '' ? null : containing(subagents, start, end);
    const place = { id: key, start, end, parentId };
    const isOver: SpanStatus = failed === undefined ? statusOf(run, status === 'finished', end) : 'failed';
    if (kind === 'model') {
      // A step is stored with the commit of its events: calls of its answer may have begun before.
      const next = callsOf(output).flatMap(({ id }) => begins.get(`${part}tool:${id}`) ?? []);
      const ended = end === null ? null : Math.max(start, Math.min(end, ...next));
      const name = `model call ${Number(rest) + 1}`;
      return { ...place, end: ended, kind, name, status: isOver, ...modelParts(output) };
    }
    if (kind !== 'tool') return { ...place, kind: 'step', name: key, status: isOver };
    const failure = output?.['failure'];
    const details = { ...(typeof failure === 'string' && { failure }) };
    const name = textOf(output?.['name']) ?? names.get(rest) ?? 'tool call';
    const outcome = output?.['isError'] === true ? toolOutcome(output) : isOver;
    const more = Object.keys(details).length > 0 && { details };
    return { ...place, kind, name, callId: rest, status: outcome, ...more };
  });
}

function statusOf({ state }: RunDetails, isFinished: boolean, end: number | null): SpanStatus {
  if (isFinished) return 'completed';
  if (end === null) return 'running';
  return state === 'canceled' ? 'canceled' : 'failed';
}

/** How a call ended that has no result of its tool. */
function toolOutcome({ failure, unapproved }: JsonObject): SpanStatus {
  switch (failure) {
    case 'denied':
      if (unapproved === 'expired' || unapproved === 'denied') return unapproved;
      return unapproved === 'cancelled' ? 'unanswered' : 'refused';
    case 'invalid_arguments':
    case 'unknown_tool':
      return 'invalid';
    case 'in_doubt':
      return 'in_doubt';
    default:
      return 'failed';
  }
}

/**
 * The calls of the newest answer that have no step yet: of a run that is executed, they are being made; of one that was
 * stopped or failed, they were. Calls of a run that waits are not made here.
 */
function openCalls({ run, steps }: Steps): readonly Span[] {
  if (run.state !== 'running' && run.state !== 'canceled' && run.state !== 'failed') return [];
  const answers = steps.filter(({ key, output }) => KEY.exec(key)?.[2] === 'model' && callsOf(output).length > 0);
  const newest = answers.at(-1);
  if (!newest) return [];
  const [, part = ''] = KEY.exec(newest.key) ?? [];
  const known = new Set(steps.map(({ key }) => key));
  const calls = callsOf(newest.output).filter(({ id }) => !known.has(`${part}tool:${id}`));
  const isLast = !steps.some(
    ({ key }) => KEY.exec(failedStepKey({ key }) ?? key)?.[2] === 'model' && isAfter(key, newest.key),
  );
  if (!isLast) return [];
  const start = newest.updatedAt ?? run.createdAt;
  const end = run.finishedAt;
  return calls.map(({ id, name }) => ({
    id: `${part}tool:${id}`,
    kind: 'tool',
    name,
    callId: id,
    status: end === null ? 'running' : 'canceled',
    start,
    end,
  }));
}

/** Whether a model call came after another one of the same part. */
function isAfter(key: string, other: string): boolean {
  const [, part = '', , number = ''] = KEY.exec(failedStepKey({ key }) ?? key) ?? [];
  const [, otherPart = '', , otherNumber = ''] = KEY.exec(other) ?? [];
  return part === otherPart && Number(number) > Number(otherNumber);
}

/**
 * What a run does when none of its steps is open, or did when it ended: model calls are in the journal once they have
 * ended. Of a run that has not called a model, it is not known whether it was doing so: its agent is shown.
 */
function unrecorded({ run, steps }: Steps, spans: readonly Span[]): readonly Span[] {
  const { state, startedAt, createdAt, finishedAt: end, error, agentType } = run;
  if (startedAt === null && state !== 'running') return [];
  const known = spans.filter(({ kind }) => STEP_KINDS.has(kind));
  const isOpen = known.some((span) => span.end === null || (end !== null && span.end >= end));
  const details = end !== null && error ? { details: { error: { code: error.code, message: error.message } } } : {};
  if (known.length === 0) {
    const start = startedAt ?? createdAt;
    const status = end === null ? 'running' : outcomeOf(state);
    const id = end === null ? 'current' : 'agent';
    return [{ id, kind: 'agent', name: agentType, status, start, end, ...details }];
  }
  const hasEnded = end !== null && state !== 'canceled' && state !== 'failed';
  const hasFailed = steps.some((step) => failedStepKey(step) !== undefined);
  if (isOpen || hasEnded || (end !== null && hasFailed)) return [];
  const calls = steps.filter(({ key }) => KEY.exec(key)?.[2] === 'model');
  const start = Math.max(startedAt ?? createdAt, ...spans.map((span) => span.end ?? 0));
  const common = { id: end === null ? 'current' : 'last', start, end, ...details } as const;
  // A run whose newest answer calls no tool was not calling a model any more.
  const isDone = calls.length > 0 && callsOf(calls.at(-1)?.output ?? null).length === 0;
  if (calls.length === 0 || (end !== null && isDone))
    return [{ ...common, kind: 'agent', name: agentType, status: end === null ? 'running' : outcomeOf(state) }];
  const status = end === null ? 'running' : outcomeOf(state);
  return [{ ...common, kind: 'model', name: `model call ${calls.length + 1}`, status }];
}

/** How a part of a run ended that nothing has ended but its run. */
export function outcomeOf(state: RunDetails['state']): SpanStatus {
  if (state === 'failed') return 'failed';
  return state === 'canceled' ? 'canceled' : 'completed';
}

/** What a model call adds to its span. */
function modelParts(output: JsonObject | null): Pick<Span, 'usage' | 'details'> {
  if (!output) return {};
  const usage = output['usage'] as unknown as Usage | null | undefined;
  const { finishReason = null, error, retries, model } = output;
  const details = {
    ...(typeof model === 'string' && { model }),
    ...(error === undefined && { finishReason, toolCalls: callsOf(output).map(({ name }) => name) }),
    ...(isPlainObject(error) && { error }),
    ...(Array.isArray(retries) && retries.length > 0 && { retries }),
  };
  return { ...(usage && { usage: tokenUsage(usage) }), details };
}

function callsOf(output: JsonObject | null): readonly Call[] {
  const calls = output?.['toolCalls'];
  return Array.isArray(calls) ? (calls as unknown as Call[]) : [];
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

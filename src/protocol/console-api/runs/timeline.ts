import type { Json, JsonObject } from '../../../common/index.js';
import { type LoggedEvent, RUN_RECOVERED, type RunRecovered, type Usage } from '../../../events/index.js';
import type { InterruptView } from '../../../interrupt/index.js';
import type { JournalStep, RunDetails } from '../../../run/index.js';
import type { SpanDto, TimelineDto } from '../dto/log.dto.js';
import { isoTime, isoTimeOrNull } from '../reading.js';
import { tokenUsage } from './run.mapper.js';

/** What a timeline is made of. */
export interface TimelineParts {
  readonly run: RunDetails;
  readonly steps: readonly JournalStep[];
  /** The events of `TIMELINE_EVENTS`, in order. */
  readonly events: readonly LoggedEvent[];
  readonly interrupts: readonly InterruptView[];
}

/** The kinds of events that a timeline shows. */
export const TIMELINE_EVENTS = ['custom', 'step', 'subagent'] as const;

/** The kinds of spans that say what the agent is doing. */
const STEP_KINDS: ReadonlySet<string> = new Set(['model', 'tool', 'step']);

/** A span with times that can be compared. */
interface Span extends Omit<SpanDto, 'startedAt' | 'endedAt' | 'parentId'> {
  readonly start: number;
  /** Null while it lasts. */
  readonly end: number | null;
  readonly parentId?: string | null;
}

/** What a run did, as spans in the order of their beginnings. */
export function timelineOf(parts: TimelineParts): TimelineDto {
  const { run } = parts;
  const subagents = subagentSpans(parts);
  const spans = [
    ...queueSpans(run),
    ...stepSpans(parts, subagents),
    ...phaseSpans(parts),
    ...subagents,
    ...recoverySpans(parts.events),
    ...interruptSpans(parts.interrupts),
  ];
  spans.push(...currentSpan(parts, spans));
  spans.sort((one, other) => one.start - other.start);
  return {
    runId: run.runId,
    status: run.state,
    startedAt: isoTime(run.createdAt),
    endedAt: isoTimeOrNull(run.finishedAt),
    spans: spans.map(({ start, end, parentId = null, ...span }) =>
      Object.assign(span, { parentId, startedAt: isoTime(start), endedAt: isoTimeOrNull(end) }),
    ),
  };
}

/** The time before the run was started, if it had to wait. */
function queueSpans({ state, createdAt, startedAt, finishedAt }: RunDetails): readonly Span[] {
  const end = startedAt ?? finishedAt;
  if (end === createdAt) return [];
  const status = end === null ? 'running' : startedAt === null && state !== 'completed' ? 'canceled' : 'completed';
  return [{ id: 'queue', kind: 'queue', name: 'queue', status, start: createdAt, end }];
}

/** The steps of the journal: model calls, tool calls, and the agent's own. */
function stepSpans({ run, steps }: TimelineParts, subagents: readonly Span[]): readonly Span[] {
  const names = toolNames(steps);
  return steps.map((step) => {
    const { key, status, updatedAt = run.createdAt, startedAt } = step;
    const [, part, kind = '', rest = ''] = /^([0-9a-f]{16}\/)?(?:(model|tool):)?(.*)$/su.exec(key) ?? [];
    const start = startedAt ?? updatedAt;
    // A step that a lost worker has begun, and that nobody finished, ended with its run.
    const end = status === 'finished' ? updatedAt : run.finishedAt;
    const parentId = part === undefined ? null : containing(subagents, start, end);
    const place = { start, end, parentId };
    const isOver = end === null ? 'running' : status === 'finished' ? 'completed' : 'failed';
    if (kind === 'model')
      return { id: key, ...place, kind, name: `model call ${Number(rest) + 1}`, status: isOver, ...modelParts(step) };
    if (kind !== 'tool') return { id: key, ...place, kind: 'step' as const, name: key, status: isOver };
    const failure = step.output?.['failure'];
    const name = nameOf(step.output?.['name']) ?? names.get(rest) ?? 'tool call';
    const isFailed = step.output?.['isError'] === true;
    return {
      id: key,
      ...place,
      kind,
      name,
      callId: rest,
      status: isFailed ? 'failed' : isOver,
      ...(typeof failure === 'string' && { details: { failure } }),
    };
  }) satisfies readonly Span[];
}

/**
 * What a run does now when none of its steps is open: model calls are in the journal once they have finished. Of a run
 * that has not called a model yet, it is not known whether it is doing so.
 */
function currentSpan({ run, steps }: TimelineParts, spans: readonly Span[]): readonly Span[] {
  const { state, startedAt, createdAt } = run;
  const isOpen = spans.some(({ kind, end }) => end === null && STEP_KINDS.has(kind));
  if (state !== 'running' || isOpen) return [];
  const calls = steps.filter(({ key }) => /^(?:[0-9a-f]{16}\/)?model:/.test(key)).length;
  const start = Math.max(startedAt ?? createdAt, ...spans.map(({ end }) => end ?? 0));
  const common = { id: 'current', status: 'running', start, end: null } as const;
  if (calls === 0) return [{ ...common, kind: 'agent', name: run.agentType }];
  return [{ ...common, kind: 'model', name: `model call ${calls + 1}` }];
}

/** What a model call adds to its span. */
function modelParts({ output }: JournalStep): Pick<Span, 'usage' | 'details'> {
  if (!output) return {};
  const usage = output['usage'] as unknown as Usage | null | undefined;
  const toolCalls = callsOf(output).map(({ name }) => name);
  return {
    ...(usage && { usage: tokenUsage(usage) }),
    details: { finishReason: output['finishReason'] ?? null, toolCalls },
  };
}

/** The names of the tools that models have called, by the id of the call. */
function toolNames(steps: readonly JournalStep[]): ReadonlyMap<string, string> {
  return new Map(
    steps.flatMap(({ output }) => (output ? callsOf(output).map(({ id, name }) => [id, name] as const) : [])),
  );
}

function callsOf(output: JsonObject): readonly { readonly id: string; readonly name: string }[] {
  const calls = output['toolCalls'];
  return Array.isArray(calls) ? (calls as unknown as { id: string; name: string }[]) : [];
}

/** Phases that the agent announces, each until its end, or that of the run. */
function phaseSpans({ run, events }: TimelineParts): readonly Span[] {
  const open = new Map<string, Span[]>();
  const spans: Span[] = [];
  for (const { event, seq, at } of events) {
    if (event.object !== 'step') continue;
    const { name, status, subagent_id: parentId = null } = event;
    const key = JSON.stringify([name, parentId]);
    if (status === 'started') {
      const span: Span = {
        id: `phase:${seq}`,
        kind: 'phase',
        name,
        status: 'running',
        start: at,
        end: null,
        parentId,
        seq,
      };
      open.set(key, [...(open.get(key) ?? []), span]);
      continue;
    }
    const begun = open.get(key)?.pop();
    if (begun) spans.push({ ...begun, status: 'completed', end: at });
  }
  return [...spans, ...[...open.values()].flat().map((span) => endedWith(span, run))];
}

/** The parts of the run that subagents carried out. */
function subagentSpans({ run, events }: TimelineParts): readonly Span[] {
  const spans = new Map<string, Span>();
  for (const { event, seq, at } of events) {
    if (event.object !== 'subagent') continue;
    const { id, status } = event;
    const begun = spans.get(id);
    if (status !== 'started') {
      if (begun) spans.set(id, { ...begun, status: status === 'finished' ? 'completed' : 'failed', end: at });
      continue;
    }
    // A recovered run announces its subagents again.
    if (begun) continue;
    const { name, parent_id: parentId = null, call_id: callId } = event;
    const call = callId === undefined ? {} : { callId };
    spans.set(id, { id, kind: 'subagent', name, status: 'running', start: at, end: null, parentId, seq, ...call });
  }
  return [...spans.values()].map((span) => (span.end === null ? endedWith(span, run) : span));
}

function recoverySpans(events: readonly LoggedEvent[]): readonly Span[] {
  return events.flatMap(({ event, seq, at }): Span[] => {
    if (event.object !== 'custom' || event.name !== RUN_RECOVERED) return [];
    const details = event.value as JsonObject;
    const { attempt } = event.value as unknown as RunRecovered;
    const name = `attempt ${attempt}`;
    return [{ id: `recovery:${seq}`, kind: 'recovery', name, status: 'completed', start: at, end: at, seq, details }];
  });
}

/** The waits for people that began with this run. */
function interruptSpans(interrupts: readonly InterruptView[]): readonly Span[] {
  return interrupts.map(({ id, kind, status, toolName, callId, createdAt, answeredAt, expiresAt, message }) => {
    const isOpen = status === 'pending';
    const isRefused = status === 'denied' || status === 'cancelled' || status === 'expired';
    return {
      id: `${kind}:${id}`,
      kind,
      name: toolName ?? message ?? kind,
      status: isOpen ? 'running' : isRefused ? 'canceled' : 'completed',
      start: createdAt,
      end: isOpen ? null : (answeredAt ?? expiresAt ?? createdAt),
      interruptId: id,
      ...(callId !== null && { callId }),
      details: { status },
    };
  });
}

/** A span that nothing has ended: it ends with its run. */
function endedWith(span: Span, { finishedAt, state }: RunDetails): Span {
  if (finishedAt === null) return span;
  return { ...span, end: finishedAt, status: state === 'completed' ? 'completed' : 'canceled' };
}

/** The only subagent during which something happened; null if there are several. */
function containing(subagents: readonly Span[], start: number, end: number | null): string | null {
  const found = subagents.filter((one) => one.start <= start && (one.end === null || (end !== null && end <= one.end)));
  const inner = found.filter(({ id }) => !found.some(({ parentId }) => parentId === id));
  return inner.length === 1 ? (inner[0]?.id ?? null) : null;
}

function nameOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

import { isoTime, isoTimeOrNull, type JsonObject } from '../../../common/index.js';
import { type LoggedEvent, RUN_RECOVERED, type RunRecovered, type UpstreamRecovered } from '../../../events/index.js';
import { type InterruptView, isEdited } from '../../../agent/interrupt/index.js';
import type { JournalStep, RunDetails } from '../../../run/index.js';
import type { SpanStatus, TimelineDto } from '../dto/log.dto.js';
import type { Span } from './span.js';
import { outcomeOf, stepSpans } from './step-spans.js';

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

/** What a run did, as spans in the order of their beginnings. */
export function timelineOf(parts: TimelineParts): TimelineDto {
  const { run } = parts;
  const subagents = subagentSpans(parts);
  const others = [
    ...queueSpans(run),
    ...phaseSpans(parts),
    ...subagents,
    ...recoverySpans(parts.events),
    ...interruptSpans(parts.interrupts),
  ];
  const spans = [...others, ...stepSpans(parts, others, subagents)];
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
    const value = event.value as unknown as RunRecovered | UpstreamRecovered;
    const name = 'upstream' in value ? 'remote agent' : `attempt ${value.attempt}`;
    return [{ id: `recovery:${seq}`, kind: 'recovery', name, status: 'completed', start: at, end: at, seq, details }];
  });
}

/** The waits for people that began with this run. */
function interruptSpans(interrupts: readonly InterruptView[]): readonly Span[] {
  return interrupts.map((view) => {
    const { id, kind, status, toolName, callId, createdAt, answeredAt, expiresAt, message } = view;
    const isOpen = status === 'pending';
    return {
      id: `${kind}:${id}`,
      kind,
      name: toolName ?? message ?? kind,
      status: waitOutcome(view),
      start: createdAt,
      end: isOpen ? null : (answeredAt ?? expiresAt ?? createdAt),
      interruptId: id,
      ...(callId !== null && { callId }),
      details: { status },
    };
  });
}

function waitOutcome(view: InterruptView): SpanStatus {
  const { status } = view;
  if (status === 'pending') return 'running';
  if (status === 'cancelled') return 'unanswered';
  return status === 'approved' && isEdited(view) ? 'edited' : status;
}

/** A span that nothing has ended: it ends with its run. */
function endedWith(span: Span, { finishedAt, state }: RunDetails): Span {
  if (finishedAt === null) return span;
  return { ...span, end: finishedAt, status: outcomeOf(state) };
}

import { json } from '../api/client.js';
import type { Span, Timeline } from '../api/types.js';
import { isObject } from '../lib/format.js';
import type { LiveRun } from './live-run.js';
import { callIdOf, type Entry, type EntryOf } from './transcript.js';

/**
 * Says how a run went, once it has ended: the wires have different words for it, or none. How each call ended, that the
 * run was stopped, and that the server continued it after a crash are read from its timeline, so that they are the same
 * whichever wire brought the answer. Nothing happens if the credential may not read it.
 */
export async function settle(run: LiveRun): Promise<void> {
  if (run.id === undefined) return;
  const path = `api/v1/runs/${encodeURIComponent(run.id)}`;
  const { signal } = run;
  const timeline = await json<Timeline>(`${path}/timeline`, { signal }).catch(() => undefined);
  if (!timeline) return;
  showOutcomes(run, timeline);
  if (!timeline.spans.some(({ kind }) => kind === 'recovery')) return;
  const response = await json<unknown>(`${path}/response`, { signal }).catch(() => undefined);
  dropDiscarded(run, response);
}

/**
 * Removes what a recovered run wrote before, and then again: not every wire says what was discarded.
 *
 * @param response of the run, as the Agent API has it. Nothing is removed if none of its texts is shown
 */
export function dropDiscarded({ transcript, id }: LiveRun, response: unknown): void {
  const kept = new Set(textsIn(response));
  const isOwn = (entry: Entry): entry is EntryOf<'text'> => entry.kind === 'text' && entry.run === id;
  const isKept = ({ text }: EntryOf<'text'>): boolean => kept.has(text.trim());
  if (!transcript.current.some((entry) => isOwn(entry) && isKept(entry))) return;
  transcript.remove((entry) => isOwn(entry) && !isKept(entry));
}

/** The texts in the output of a response. */
function textsIn(response: unknown): readonly string[] {
  const listIn = (value: unknown, name: string): readonly Record<string, unknown>[] => {
    const list: unknown = isObject(value) ? value[name] : undefined;
    return Array.isArray(list) ? list.filter(isObject) : [];
  };
  return listIn(response, 'output')
    .flatMap((message) => listIn(message, 'content'))
    .flatMap(({ text, refusal }) => [text, refusal])
    .flatMap((text) => (typeof text === 'string' ? [text.trim()] : []));
}

/** As `settle`, with a timeline that has been read. */
export function showOutcomes(run: LiveRun, { status, spans }: Pick<Timeline, 'status' | 'spans'>): void {
  const { transcript, id: runId } = run;
  const calls = transcript.current.filter(isCall);
  const own = calls.filter(({ run: of }) => of === runId);
  const open = new Set([...own, ...calls.filter((call) => call.run !== runId && isOpen(call))]);
  for (const span of spans) {
    if (span.kind !== 'tool' || span.status === 'running') continue;
    const entry = entryOf([...open], span);
    if (!entry) continue;
    open.delete(entry);
    transcript.change(entry.id, 'call', () => ({ outcome: span.status, done: true }));
  }
  if (spans.some(({ kind }) => kind === 'recovery'))
    run.say('info', 'The server continued this run after a crash.', `recovered-${runId}`);
  if (status !== 'canceled') return;
  // Some wires report a run that was stopped as an error.
  transcript.remove((entry) => entry.kind === 'notice' && entry.tone === 'error' && entry.run === runId);
  run.say('info', 'Stopped.', `stopped-${runId}`);
}

/** Whether it is not known yet how a call ended. */
function isOpen({ outcome }: EntryOf<'call'>): boolean {
  return outcome === undefined || outcome === 'approved';
}

function isCall(entry: Entry): entry is EntryOf<'call'> {
  return entry.kind === 'call';
}

/** Responses has items with ids of their own instead of calls: the first one of the tool is meant. */
function entryOf(entries: readonly EntryOf<'call'>[], { callId, name }: Span): EntryOf<'call'> | undefined {
  return entries.find((entry) => callIdOf(entry) === callId) ?? entries.find((entry) => entry.name === name);
}

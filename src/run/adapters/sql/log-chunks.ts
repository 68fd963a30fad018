import { LoggedEvent } from '../../../events/index.js';

/** Events of one run, stored as one row: those of one commit, or after compaction those of many. */
export interface ChunkRow {
  readonly first_seq: number;
  /** JSON texts, one per line. */
  readonly body: string;
  /** When the first event was committed, in milliseconds since the epoch; a string from PostgreSQL. */
  readonly created_at: number | string;
  /** When the events of several commits were committed, as `count:time` separated by commas; null for one commit. */
  readonly times: string | null;
}

/** A row to write. */
export interface Segment {
  readonly firstSeq: number;
  readonly count: number;
  readonly body: string;
  readonly createdAt: number;
  readonly times: string | null;
}

/** Events of a segment: enough that compression pays, few enough that a page of a stream does not read much too much. */
export const SEGMENT_EVENTS = 256;

/** One event as it is stored. */
export interface LogLine {
  readonly seq: number;
  readonly json: string;
  /** When it was committed, in milliseconds since the epoch. */
  readonly at: number;
}

/** The events of a chunk from a number on. */
export function eventsOf(chunk: ChunkRow, fromSeq: number): LoggedEvent[] {
  return linesOf(chunk, fromSeq).map(({ seq, json, at }) => new LoggedEvent(seq, json, undefined, at));
}

/** As `eventsOf`, without looking into the events. */
export function linesOf(chunk: ChunkRow, fromSeq: number): LogLine[] {
  const timeOf = chunk.times === null ? constant(Number(chunk.created_at)) : stepwise(chunk.times);
  const lines: LogLine[] = [];
  for (const [index, json] of chunk.body.split('\n').entries()) {
    const at = timeOf();
    const seq = chunk.first_seq + index;
    if (seq >= fromSeq) lines.push({ seq, json, at });
  }
  return lines;
}

/**
 * Fewer, longer chunks with the same events. The last event has a segment of its own: it stays when the others are
 * removed.
 *
 * @param lines a whole log, in order
 */
export function segmentsOf(lines: readonly LogLine[]): readonly Segment[] {
  const segments: Segment[] = [];
  const last = lines.length - 1;
  for (let from = 0; from < last; from += SEGMENT_EVENTS) {
    segments.push(segmentOf(lines.slice(from, Math.min(from + SEGMENT_EVENTS, last))));
  }
  return last < 0 ? [] : [...segments, segmentOf(lines.slice(last))];
}

function segmentOf(lines: readonly LogLine[]): Segment {
  const [first] = lines;
  if (!first) throw new Error('a segment has at least one event');
  const steps: { count: number; readonly at: number }[] = [];
  for (const { at } of lines) {
    const step = steps.at(-1);
    if (step?.at === at) step.count += 1;
    else steps.push({ count: 1, at });
  }
  return {
    firstSeq: first.seq,
    count: lines.length,
    body: lines.map(({ json }) => json).join('\n'),
    createdAt: first.at,
    times: steps.length === 1 ? null : steps.map(({ count, at }) => `${count}:${at}`).join(','),
  };
}

function constant(at: number): () => number {
  return () => at;
}

/** Returns the times of the events, one with each call. */
function stepwise(times: string): () => number {
  const steps = times.split(',').map((step) => step.split(':').map(Number) as [count: number, at: number]);
  let index = 0;
  let left = steps[0]?.[0] ?? 0;
  return () => {
    while (left === 0 && index < steps.length - 1) left = steps[(index += 1)]?.[0] ?? 0;
    left -= 1;
    return steps[index]?.[1] ?? 0;
  };
}

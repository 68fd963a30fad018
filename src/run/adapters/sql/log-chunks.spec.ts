import fc from 'fast-check';
import { type ChunkRow, eventsOf, type LogLine, linesOf, SEGMENT_EVENTS, segmentsOf } from './log-chunks.js';

/** Logs of several commits: how many events each has, and when it was. */
const commits = fc.array(
  fc.record({ count: fc.integer({ min: 1, max: 90 }), at: fc.integer({ min: 0, max: 2_000_000_000_000 }) }),
  { maxLength: 30 },
);

function logOf(parts: readonly { count: number; at: number }[]): LogLine[] {
  return parts
    .flatMap(({ count, at }) => Array.from({ length: count }, () => at))
    .map((at, seq) => ({ seq, json: `{"n":${seq}}`, at }));
}

function rowsOf(log: readonly LogLine[]): ChunkRow[] {
  return segmentsOf(log).map(({ firstSeq, body, createdAt, times }) => ({
    first_seq: firstSeq,
    body,
    created_at: String(createdAt),
    times,
  }));
}

describe('the segments of a log', () => {
  it('have the same events with the same numbers and times', () => {
    fc.assert(
      fc.property(commits, (parts) => {
        const log = logOf(parts);
        expect(rowsOf(log).flatMap((row) => linesOf(row, 0))).toEqual(log);
      }),
    );
  });

  it('are full, but for the last event, which has one of its own', () => {
    fc.assert(
      fc.property(commits, (parts) => {
        const log = logOf(parts);
        const counts = segmentsOf(log).map(({ count }) => count);
        if (log.length > 0) expect(counts.at(-1)).toBe(1);
        expect(counts.length).toBe(log.length === 0 ? 0 : Math.ceil((log.length - 1) / SEGMENT_EVENTS) + 1);
      }),
    );
  });

  it('are read from any number on', () => {
    const log = logOf([
      { count: 2, at: 10 },
      { count: 3, at: 20 },
      { count: 1, at: 30 },
    ]);
    const [row] = rowsOf(log);
    const read = eventsOf(row as ChunkRow, 1).map(({ seq, json, at }) => ({ seq, json, at }));
    expect(read).toEqual(log.slice(1, 5));
  });
});

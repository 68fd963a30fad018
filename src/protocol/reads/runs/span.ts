import type { SpanDto } from '../dto/log.dto.js';

/** A span with times that can be compared. */
export interface Span extends Omit<SpanDto, 'startedAt' | 'endedAt' | 'parentId'> {
  /** In milliseconds since the epoch, as `end`. */
  readonly start: number;
  /** Null while it lasts. */
  readonly end: number | null;
  readonly parentId?: string | null;
}

/** The only subagent during which something happened; null if there are several. */
export function containing(subagents: readonly Span[], start: number, end: number | null): string | null {
  const found = subagents.filter((one) => one.start <= start && (one.end === null || (end !== null && end <= one.end)));
  const inner = found.filter(({ id }) => !found.some(({ parentId }) => parentId === id));
  return inner.length === 1 ? (inner[0]?.id ?? null) : null;
}

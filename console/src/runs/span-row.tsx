import type { ReactNode } from 'react';
import type { Span } from '../api/types.js';
import { count, duration } from '../lib/format.js';

interface Props {
  readonly span: Span;
  /** The time that the axis begins with. */
  readonly begin: number;
  readonly end: number;
}

/** The least width of a bar, in percent of the axis. */
const LEAST_WIDTH = 0.5;

/** One span of a timeline: what, when and how long, with its tokens. */
export function SpanRow({ span, begin, end }: Props): ReactNode {
  const { kind, name, status, usage, parentId } = span;
  const from = Date.parse(span.startedAt);
  const to = span.endedAt === null ? end : Date.parse(span.endedAt);
  const whole = end - begin;
  const left = Math.min(((from - begin) / whole) * 100, 100 - LEAST_WIDTH);
  const width = Math.min(Math.max(LEAST_WIDTH, ((to - from) / whole) * 100), 100 - left);
  const took = span.endedAt === null ? 'in progress' : kind === 'recovery' ? undefined : duration(to - from);
  const facts = [`+${duration(from - begin)}`, took, usage && `${count(usage.totalTokens)} tokens`].filter(Boolean);
  return (
    <li className={parentId === null ? 'span' : 'span nested'}>
      <span className="span-name">
        <span className={`kind ${kind}`}>{kind}</span> {name}
        {status !== 'completed' && <span className={`badge ${status}`}>{status}</span>}
      </span>
      <span className="span-track" aria-hidden="true">
        <span className={`span-bar ${kind} ${status}`} style={{ left: `${left}%`, width: `${width}%` }} />
      </span>
      <span className="muted span-time">{facts.join(', ')}</span>
    </li>
  );
}

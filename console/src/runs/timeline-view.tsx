import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { json } from '../api/client.js';
import type { Span, Timeline } from '../api/types.js';
import { count, duration } from '../lib/format.js';
import { Problem } from '../ui/problem.js';

/** The waterfall of a run: what took how long, and what waited for what. */
export function TimelineView({ id, path }: { readonly id: string; readonly path: string }): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['run', id, 'timeline'],
    queryFn: () => json<Timeline>(`${path}/timeline`),
  });
  if (error) return <Problem error={error} />;
  if (!data) return <p className="muted">Loading…</p>;
  const begin = Math.min(Date.parse(data.startedAt), ...data.spans.map(({ startedAt }) => Date.parse(startedAt)));
  const ends = data.spans.map(({ endedAt, startedAt }) => Date.parse(endedAt ?? startedAt));
  const end = Math.max(begin + 1, Date.parse(data.endedAt ?? data.startedAt), ...ends);
  if (data.spans.length === 0) return <p className="muted">Nothing of this run is left but its result.</p>;
  return (
    <ol className="waterfall" aria-label="Timeline">
      {data.spans.map((span) => (
        <SpanRow key={span.id} span={span} begin={begin} end={end} />
      ))}
    </ol>
  );
}

function SpanRow({
  span,
  begin,
  end,
}: {
  readonly span: Span;
  readonly begin: number;
  readonly end: number;
}): ReactNode {
  const from = Date.parse(span.startedAt);
  const to = span.endedAt === null ? end : Date.parse(span.endedAt);
  const whole = end - begin;
  const left = ((from - begin) / whole) * 100;
  const width = Math.max(0.5, ((to - from) / whole) * 100);
  const took = span.endedAt === null ? 'in progress' : duration(to - from);
  return (
    <li className={span.parentId === null ? 'span' : 'span nested'}>
      <span className="span-name">
        {span.name} <span className={`badge ${span.status}`}>{span.kind}</span>
      </span>
      <span className="span-track" aria-hidden="true">
        <span
          className={`span-bar ${span.kind} ${span.status}`}
          style={{ left: `${Math.min(left, 99.5)}%`, width: `${Math.min(width, 100 - left)}%` }}
        />
      </span>
      <span className="muted span-time">
        +{duration(from - begin)}, {took}
        {span.usage && `, ${count(span.usage.totalTokens)} tokens`}
      </span>
    </li>
  );
}

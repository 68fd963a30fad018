import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { json } from '../api/client.js';
import type { Timeline } from '../api/types.js';
import { duration } from '../lib/format.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { ticks } from './axis.js';
import { SpanRow } from './span-row.js';

/** The waterfall of a run: what took how long, and what waited for what. */
export function TimelineView({ id, path }: { readonly id: string; readonly path: string }): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['run', id, 'timeline'],
    queryFn: () => json<Timeline>(`${path}/timeline`),
  });
  if (error) return <ErrorNotice error={error} />;
  if (!data) return <p className="muted">Loading…</p>;
  const begin = Math.min(Date.parse(data.startedAt), ...data.spans.map(({ startedAt }) => Date.parse(startedAt)));
  const ends = data.spans.map(({ endedAt, startedAt }) => Date.parse(endedAt ?? startedAt));
  const end = Math.max(begin + 1, Date.parse(data.endedAt ?? data.startedAt), ...ends);
  if (data.spans.length === 0) return <p className="muted">Nothing of this run is left but its result.</p>;
  return (
    <div className="timeline">
      <Axis length={end - begin} />
      <ol className="waterfall" aria-label="Timeline">
        {data.spans.map((span) => (
          <SpanRow key={span.id} span={span} begin={begin} end={end} />
        ))}
      </ol>
    </div>
  );
}

/** Times since the beginning of the run; each span names its own. */
function Axis({ length }: { readonly length: number }): ReactNode {
  return (
    <div className="span axis" aria-hidden="true">
      <span />
      <span className="axis-track">
        {ticks(length).map((time) => (
          <span key={time} className="tick" style={{ left: `${(time / length) * 100}%` }}>
            {duration(time)}
          </span>
        ))}
      </span>
      <span />
    </div>
  );
}

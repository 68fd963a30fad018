import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { json } from '../api/client.js';
import type { Page, RunDetail, RunRequest, Step, Timeline } from '../api/types.js';
import { duration, time } from '../lib/format.js';
import { go, hrefOf, usePlace } from '../lib/router.js';
import { useNow } from '../lib/use-now.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { ticks } from './axis.js';
import { SpanRow } from './span-row.js';
import { StepPanel } from './step-panel.js';

/** The waterfall of a run: what took how long, and what waited for what. Each span opens what is known of it. */
export function TimelineView({ run, path }: { readonly run: RunDetail; readonly path: string }): ReactNode {
  const { id, eventsRemovedAt } = run;
  const { query } = usePlace();
  const opened = query.get('step') ?? undefined;
  const { data, error, refetch } = useQuery({
    queryKey: ['run', id, 'timeline'],
    queryFn: () => json<Timeline>(`${path}/timeline`),
  });
  const parts = useParts(id, path, opened !== undefined);
  const now = useNow(data?.endedAt === null ? 1000 : undefined);
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <p className="muted">Loading…</p>;
  const begin = Math.min(Date.parse(data.startedAt), ...data.spans.map(({ startedAt }) => Date.parse(startedAt)));
  const ends = data.spans.map(({ endedAt, startedAt }) => Date.parse(endedAt ?? startedAt));
  const isOpen = data.spans.some(({ endedAt }) => endedAt === null);
  const last = data.endedAt === null ? now : Date.parse(data.endedAt);
  const end = Math.max(begin + 1, last, ...ends, ...(isOpen ? [now] : []));
  const show = (step: string | undefined): void => go(hrefOf(['runs', id], { step }), { replace: true });
  return (
    <div className="timeline">
      {eventsRemovedAt !== null && (
        <p className="muted">
          The events of this run were removed {time(eventsRemovedAt)}: its result is left, its steps are not.
        </p>
      )}
      {data.spans.length === 0 && <p className="muted">This run has not begun.</p>}
      {data.spans.length > 0 && <Axis length={end - begin} />}
      <ol className="waterfall" aria-label="Timeline">
        {data.spans.map((span) => (
          <SpanRow
            key={span.id}
            span={span}
            begin={begin}
            end={end}
            isOpen={span.id === opened}
            onToggle={() => show(span.id === opened ? undefined : span.id)}
          >
            <StepPanel span={span} spans={data.spans} run={run} {...parts} />
          </SpanRow>
        ))}
      </ol>
    </div>
  );
}

/** What the journal and the request have of the spans; read once a span is opened. */
function useParts(
  id: string,
  path: string,
  enabled: boolean,
): { readonly steps: readonly Step[] | undefined; readonly request: RunRequest | undefined; readonly error: unknown } {
  const steps = useQuery({
    queryKey: ['run', id, 'Steps'],
    queryFn: () => json<Page<Step>>(`${path}/steps`),
    enabled,
  });
  const request = useQuery({
    queryKey: ['run', id, 'Request'],
    queryFn: () => json<RunRequest>(`${path}/request`),
    enabled,
  });
  return { steps: steps.data?.data, request: request.data, error: steps.error ?? request.error };
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

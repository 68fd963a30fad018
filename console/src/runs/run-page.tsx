import { Tabs } from '@base-ui/react/tabs';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { json, live, ParleyError } from '../api/client.js';
import type { RunDetail } from '../api/types.js';
import { count, duration, time } from '../lib/format.js';
import { go, hrefOf, Link, usePlace } from '../lib/router.js';
import { useTitle } from '../lib/use-title.js';
import { wireTitle } from '../lib/wires.js';
import { FramesPanel } from '../talk/frames-panel.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { JsonTree } from '../ui/json-tree.js';
import { Outcome, stateOf } from '../ui/outcome.js';
import { Fact } from '../ui/facts.js';
import { EventsView } from './events-view.js';
import { RunActions } from './run-actions.js';
import { isOver } from './is-over.js';
import { TimelineView } from './timeline-view.js';
import { TurnStrip } from './turn-strip.js';

const TABS = ['Timeline', 'Events', 'Steps', 'Request', 'Response', 'Watch'] as const;

/** One run: the same page whichever wire began it. */
export function RunPage({ id }: { readonly id: string }): ReactNode {
  const { query } = usePlace();
  const path = `api/v1/runs/${encodeURIComponent(id)}`;
  const { data: run, error, refetch } = useQuery({ queryKey: ['run', id], queryFn: () => json<RunDetail>(path) });
  useWatch(id, path, run !== undefined && !isOver(run.status));
  const title = run && (run.input ?? run.turn?.input ?? run.id);
  useTitle(title && `Run: ${title}`);
  const tab = TABS.find((name) => name.toLowerCase() === query.get('tab')) ?? 'Timeline';
  const show = (name: string): void =>
    go(hrefOf(['runs', id], { tab: name === 'Timeline' ? undefined : name.toLowerCase() }), { replace: true });
  if (error && !run)
    return (
      <div className="page">
        <Crumbs />
        {error instanceof ParleyError && error.status === 404 ? (
          <div className="empty">
            <h1>Run not found</h1>
            <p>
              There is no run <code>{id}</code>, or your credential may not read it.
            </p>
          </div>
        ) : (
          <ErrorNotice error={error} onRetry={() => void refetch()} />
        )}
      </div>
    );
  if (!run) return <p className="page muted">Loading…</p>;
  return (
    <div className="page">
      <Crumbs />
      <header className="run-header">
        <h1 className="run-title">{title}</h1>
        <Outcome state={stateOf(run)} />
        <RunActions run={run} path={path} />
      </header>
      {run.error && (
        <p className="notice error">
          <code>{run.error.code}</code> {run.error.message}
        </p>
      )}
      <TurnStrip run={run} />
      <Facts run={run} />
      <Tabs.Root value={tab} onValueChange={(name) => show(String(name))} className="run-parts">
        <Tabs.List className="tabs" aria-label="Parts of the run">
          {TABS.map((name) => (
            <Tabs.Tab key={name} value={name} className="tab">
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="Timeline" className="panel">
          <TimelineView run={run} path={path} />
        </Tabs.Panel>
        <Tabs.Panel value="Events" className="panel">
          <EventsView id={id} path={path} />
        </Tabs.Panel>
        {(['Steps', 'Request', 'Response'] as const).map((name) => (
          <Tabs.Panel key={name} value={name} className="panel">
            <Document id={id} path={`${path}/${name.toLowerCase()}`} label={name} />
          </Tabs.Panel>
        ))}
        <Tabs.Panel value="Watch" className="panel watch">
          <FramesPanel runId={id} />
        </Tabs.Panel>
      </Tabs.Root>
    </div>
  );
}

function Crumbs(): ReactNode {
  return (
    <nav aria-label="Above" className="crumbs">
      <Link to={hrefOf(['runs'])}>← Runs</Link>
    </nav>
  );
}

function Facts({ run }: { readonly run: RunDetail }): ReactNode {
  const { startedAt, endedAt, usage, takeovers, queuePosition } = run;
  // A phone shows the timeline first.
  const [isWide] = useState(() => matchMedia('(min-width: 45rem)').matches);
  const took = startedAt && endedAt ? duration(Date.parse(endedAt) - Date.parse(startedAt)) : '–';
  return (
    <>
      <dl className="facts">
        <Fact name="Agent">{run.agent}</Fact>
        <Fact name="Model">{modelOf(run)}</Fact>
        <Fact name="Wire">{wireTitle(run.wire)}</Fact>
        <Fact name="User">{run.userId}</Fact>
        <Fact name="Created">{time(run.createdAt)}</Fact>
        <Fact name="Took">{took}</Fact>
        <Fact name="Tokens">{usage ? `${count(usage.inputTokens)} in, ${count(usage.outputTokens)} out` : '–'}</Fact>
        {queuePosition !== null && <Fact name="Position in the queue">{queuePosition}</Fact>}
      </dl>
      <details className="more-facts" open={isWide}>
        <summary>More of this run</summary>
        <dl className="facts">
          {run.model !== null && run.model !== run.answeredBy && <Fact name="Model of the request">{run.model}</Fact>}
          <Fact name="Events">{count(run.eventCount)}</Fact>
          <Fact name="Attempts">
            {takeovers.length === 0 ? run.attempt : `${run.attempt}, recovered ${time(takeovers.at(-1)?.at)}`}
          </Fact>
          <Fact name="Session" isWide>
            <Link to={hrefOf(['sessions', run.sessionId])}>{run.sessionId}</Link>
          </Fact>
          <Fact name="Run" isWide>
            <code>{run.id}</code>
          </Fact>
        </dl>
      </details>
    </>
  );
}

/** The model that has answered; of a run that has not ended, the one that its request names. */
function modelOf({ answeredBy, model, status }: RunDetail): ReactNode {
  if (answeredBy !== null) return answeredBy;
  if (isOver(status)) return <span className="muted">none has answered</span>;
  return model ?? <span className="muted">the one of the agent</span>;
}

interface DocumentProps {
  readonly id: string;
  readonly path: string;
  readonly label: string;
}

function Document({ id, path, label }: DocumentProps): ReactNode {
  const { data, error, refetch } = useQuery({ queryKey: ['run', id, label], queryFn: () => json<unknown>(path) });
  if (error && data === undefined) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  return data === undefined ? <p className="muted">Loading…</p> : <JsonTree value={data} label={label} />;
}

/** While a run is in progress, what is shown of it is read again when its log grows, at most once a second. */
function useWatch(id: string, path: string, isLive: boolean): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (!isLive) return undefined;
    const aborter = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = (): void => {
      timer = undefined;
      void queries.invalidateQueries({ queryKey: ['run', id] });
      // Events that were searched for.
      void queries.invalidateQueries({ queryKey: [`${path}/events`] });
    };
    const follow = async (): Promise<void> => {
      for await (const _ of live().events(id, { signal: aborter.signal })) timer ??= setTimeout(refresh, 1000);
      refresh();
    };
    follow().catch(() => undefined);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [queries, id, path, isLive]);
}

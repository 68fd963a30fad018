import { Tabs } from '@base-ui/react/tabs';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { json, request, stream } from '../api/client.js';
import type { RunDetail } from '../api/types.js';
import { count, duration, time } from '../lib/format.js';
import { hrefOf, Link } from '../lib/router.js';
import { FramesPanel } from '../talk/frames-panel.js';
import { Json } from '../ui/json.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { EventsView } from './events-view.js';
import { isOver } from './run-status.js';
import { TimelineView } from './timeline-view.js';

const TABS = ['Timeline', 'Events', 'Steps', 'Request', 'Response', 'Watch'] as const;

/** One run: the same page whichever wire began it. */
export function RunPage({ id }: { readonly id: string }): ReactNode {
  const path = `api/v1/runs/${encodeURIComponent(id)}`;
  const { data: run, error } = useQuery({ queryKey: ['run', id], queryFn: () => json<RunDetail>(path) });
  useWatch(id, path, run !== undefined && !isOver(run.status));
  if (error)
    return (
      <div className="page">
        <ErrorNotice error={error} />
      </div>
    );
  if (!run) return <p className="page muted">Loading…</p>;
  return (
    <div className="page">
      <header>
        <h1 className="run-title">{run.input ?? run.id}</h1>
        <span className={`badge ${run.status}`}>{run.status}</span>
        <Actions run={run} path={path} />
      </header>
      {run.error && (
        <p className="notice error">
          {run.error.message} ({run.error.code})
        </p>
      )}
      <Facts run={run} />
      <Tabs.Root defaultValue="Timeline" className="run-parts">
        <Tabs.List className="tabs" aria-label="Parts of the run">
          {TABS.map((name) => (
            <Tabs.Tab key={name} value={name} className="tab">
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="Timeline" className="panel">
          <TimelineView id={id} path={path} />
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

function Actions({ run, path }: { readonly run: RunDetail; readonly path: string }): ReactNode {
  const [error, setError] = useState<unknown>();
  const cancel = (): void => {
    request(`${path}/cancel`, { method: 'POST', body: {} }).catch(setError);
  };
  const download = (): void => {
    save(`${path}/events.jsonl`, `${run.id}.jsonl`).catch(setError);
  };
  return (
    <div className="row">
      {!isOver(run.status) && (
        <button type="button" className="danger" onClick={cancel}>
          Cancel the run
        </button>
      )}
      <Link to={hrefOf(['talk'], { session: run.sessionId })} className="button">
        Open in Talk
      </Link>
      <button type="button" onClick={download}>
        Download JSONL
      </button>
      <ErrorNotice error={error} />
    </div>
  );
}

/** Saves an answer as a file. It is fetched, because a link could not carry the credential. */
async function save(path: string, name: string): Promise<void> {
  const url = URL.createObjectURL(await (await request(path)).blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

function Facts({ run }: { readonly run: RunDetail }): ReactNode {
  const { startedAt, endedAt, usage, takeovers, queuePosition } = run;
  const took = startedAt && endedAt ? duration(Date.parse(endedAt) - Date.parse(startedAt)) : '–';
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['Id', <code key="id">{run.id}</code>],
    [
      'Session',
      <Link key="session" to={hrefOf(['sessions', run.sessionId])}>
        {run.sessionId}
      </Link>,
    ],
    ['User', run.userId],
    ['Wire', run.wire],
    ['Agent', run.agent],
    ['Created', time(run.createdAt)],
    ['Took', took],
    ...(queuePosition === null ? [] : [['Position in the queue', queuePosition] as const]),
    ['Tokens', usage ? `${count(usage.inputTokens)} in, ${count(usage.outputTokens)} out` : '–'],
    ['Events', count(run.eventCount)],
    ['Attempts', takeovers.length === 0 ? run.attempt : `${run.attempt}, recovered ${time(takeovers.at(-1)?.at)}`],
  ];
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name} className={name === 'Id' || name === 'Session' ? 'wide' : undefined}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface DocumentProps {
  readonly id: string;
  readonly path: string;
  readonly label: string;
}

function Document({ id, path, label }: DocumentProps): ReactNode {
  const { data, error } = useQuery({ queryKey: ['run', id, label], queryFn: () => json<unknown>(path) });
  if (error) return <ErrorNotice error={error} />;
  return data === undefined ? <p className="muted">Loading…</p> : <Json value={data} label={label} />;
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
      for await (const _ of stream(`${path}/events/stream`, { signal: aborter.signal }))
        timer ??= setTimeout(refresh, 1000);
      refresh();
    };
    follow().catch(() => undefined);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [queries, id, path, isLive]);
}

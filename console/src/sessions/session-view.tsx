import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { json } from '../api/client.js';
import type { SessionDetail } from '../api/types.js';
import { ago, count, time } from '../lib/format.js';
import { hrefOf, Link, usePlace } from '../lib/router.js';
import { useNow } from '../lib/use-now.js';
import { useTitle } from '../lib/use-title.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { UserName } from '../user-data/user-name.js';
import { MessageList } from './message-list.js';
import { StateView } from './state-view.js';

const MINUTE_MS = 60_000;
const TABS = [
  ['messages', 'Messages'],
  ['state', 'State'],
] as const;

/** One session: its messages, oldest first, and its shared state. */
export function SessionView({ id }: { readonly id: string }): ReactNode {
  const path = `api/v1/sessions/${encodeURIComponent(id)}`;
  const place = usePlace().path[2];
  const tab = TABS.some(([name]) => name === place) ? place : 'messages';
  const now = useNow(MINUTE_MS);
  const { data, error, refetch } = useQuery({ queryKey: [path], queryFn: () => json<SessionDetail>(path) });
  const title = data?.title ?? `Session ${id}`;
  useTitle(data && title);
  if (error)
    return (
      <div className="page">
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      </div>
    );
  return (
    <div className="page session">
      <header>
        <h1 className="run-title">{title}</h1>
        <div className="row">
          <Link to={hrefOf(['talk'], { session: id })} className="button">
            Open in Talk
          </Link>
          <Link to={hrefOf(['runs'], { session: id })} className="button">
            Its runs
          </Link>
        </div>
      </header>
      {data && (
        <p className="muted">
          <code>{id}</code> · <UserName id={data.userId} /> · {count(data.messageCount)} messages · begun{' '}
          <span title={time(data.createdAt)}>{ago(data.createdAt, now)}</span>, changed{' '}
          <span title={time(data.updatedAt)}>{ago(data.updatedAt, now)}</span>
        </p>
      )}
      <nav className="tabs" aria-label="Parts of the session">
        {TABS.map(([name, words]) => (
          <Link
            key={name}
            to={hrefOf(name === 'messages' ? ['sessions', id] : ['sessions', id, name])}
            className="tab"
            data-active={name === tab ? '' : undefined}
            aria-current={name === tab ? 'page' : undefined}
          >
            {words}
          </Link>
        ))}
      </nav>
      {tab === 'state' ? <StateView path={path} /> : <MessageList id={id} path={path} />}
    </div>
  );
}

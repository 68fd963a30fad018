import type { ReactNode } from 'react';
import type { Session } from '../api/types.js';
import { ago, count, time } from '../lib/format.js';
import { hrefOf, Link, usePlace } from '../lib/router.js';
import { useNow } from '../lib/use-now.js';
import { usePages } from '../lib/use-pages.js';
import { wireTitle } from '../lib/wires.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { Outcome, stateOfLast } from '../ui/outcome.js';
import { ShownCount } from '../ui/shown-count.js';
import { VirtualList } from '../ui/virtual-list.js';
import { SessionView } from './session-view.js';

const MINUTE_MS = 60_000;

/** All sessions, the last changed first, or one of them. */
export function SessionsPage(): ReactNode {
  const id = usePlace().path[1];
  return id === undefined ? <SessionList /> : <SessionView key={id} id={id} />;
}

function SessionList(): ReactNode {
  const { rows, error, isLoading, hasMore, more, retry } = usePages<Session>('api/v1/sessions', { limit: 50 });
  const now = useNow(MINUTE_MS);
  return (
    <div className="page filled">
      <header>
        <h1>Sessions</h1>
        <ShownCount {...{ rows, isLoading, hasMore, error }} />
      </header>
      <ErrorNotice error={error} onRetry={retry} />
      {!isLoading && rows.length === 0 && !error && <p className="empty">No session yet. Begin one in Talk.</p>}
      <VirtualList
        count={rows.length}
        label="Sessions, the last changed first"
        rowHeight={64}
        onEnd={hasMore && !error ? more : undefined}
        row={(index) => {
          const session = rows[index];
          return session && <SessionRow session={session} now={now} />;
        }}
      />
    </div>
  );
}

function SessionRow({ session, now }: { readonly session: Session; readonly now: number }): ReactNode {
  const { id, userId, title, updatedAt, messageCount, lastRun } = session;
  const facts = [
    userId,
    lastRun?.agent,
    lastRun && wireTitle(lastRun.wire),
    `${count(messageCount)} ${messageCount === 1 ? 'message' : 'messages'}`,
  ].filter((fact) => fact);
  return (
    <Link to={hrefOf(['sessions', id])} className="session-row">
      <span className="session-title">{title ?? lastRun?.input ?? id}</span>
      <span className="session-state">{lastRun && <Outcome state={stateOfLast(lastRun)} />}</span>
      <span className="session-facts muted">{facts.join(' · ')}</span>
      <span className="session-time muted" title={time(updatedAt)}>
        {ago(updatedAt, now)}
      </span>
    </Link>
  );
}

import { type ReactNode, useEffect, useRef } from 'react';
import type { SessionMessage } from '../api/types.js';
import { hrefOf, Link, usePlace } from '../lib/router.js';
import { usePages } from '../lib/use-pages.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { MessageRow } from './message-row.js';

const PAGE = 50;

/** The messages of a session in their order: from the oldest on, or the newest with those before them on request. */
export function MessageList({ id, path }: { readonly id: string; readonly path: string }): ReactNode {
  const fromEnd = usePlace().query.get('from') === 'newest';
  return <Messages key={String(fromEnd)} id={id} path={path} fromEnd={fromEnd} />;
}

function Messages({
  id,
  path,
  fromEnd,
}: {
  readonly id: string;
  readonly path: string;
  readonly fromEnd: boolean;
}): ReactNode {
  const query = { order: fromEnd ? 'desc' : 'asc', limit: PAGE };
  const { rows, error, isLoading, hasMore, more, retry } = usePages<SessionMessage>(`${path}/messages`, query);
  const end = useRef<HTMLDivElement>(null);
  const isRead = !isLoading && rows.length > 0;
  useEffect(() => {
    if (fromEnd && isRead) end.current?.scrollIntoView({ block: 'end' });
  }, [fromEnd, isRead]);
  const shown = fromEnd ? [...rows].reverse() : rows;
  const others = hasMore && (
    <button type="button" onClick={more}>
      {fromEnd ? 'Earlier messages' : 'Later messages'}
    </button>
  );
  return (
    <section className="messages" aria-label={fromEnd ? 'Messages, up to the newest' : 'Messages, oldest first'}>
      <div className="row messages-tools">
        {fromEnd ? (
          <Link to={hrefOf(['sessions', id])} className="button">
            To the oldest
          </Link>
        ) : (
          <Link to={hrefOf(['sessions', id], { from: 'newest' })} className="button">
            To the newest
          </Link>
        )}
        {fromEnd && others}
      </div>
      <ErrorNotice error={error} onRetry={retry} />
      {isLoading && <p className="muted">Loading…</p>}
      {!isLoading && !error && rows.length === 0 && <p className="empty">It has no messages.</p>}
      <ol>
        {shown.map((message) => (
          <MessageRow key={message.seq} message={message} />
        ))}
      </ol>
      {!fromEnd && others}
      <div ref={end} />
    </section>
  );
}

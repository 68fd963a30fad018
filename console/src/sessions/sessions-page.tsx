import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { json } from '../api/client.js';
import type { Session, SessionMessage, SessionState } from '../api/types.js';
import { count, time } from '../lib/format.js';
import { hrefOf, Link, usePlace } from '../lib/router.js';
import { usePages } from '../lib/use-pages.js';
import { Json } from '../ui/json.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { Outcome } from '../ui/outcome.js';
import { VirtualList } from '../ui/virtual-list.js';

/** All sessions, the last changed first, or one of them. */
export function SessionsPage(): ReactNode {
  const id = usePlace().path[1];
  return id === undefined ? <SessionList /> : <SessionView key={id} id={id} />;
}

function SessionList(): ReactNode {
  const { rows, error, isLoading, hasMore, more, retry } = usePages<Session>('api/v1/sessions', { limit: 50 });
  return (
    <div className="page filled">
      <header>
        <h1>Sessions</h1>
        <span className="muted" role="status">
          {isLoading ? 'Loading…' : `${count(rows.length)}${hasMore ? '+' : ''} shown`}
        </span>
      </header>
      <ErrorNotice error={error} onRetry={retry} />
      <VirtualList
        count={rows.length}
        label="Sessions, the last changed first"
        rowHeight={64}
        onEnd={hasMore && !error ? more : undefined}
        row={(index) => {
          const session = rows[index];
          return session && <SessionRow session={session} />;
        }}
      />
    </div>
  );
}

function SessionRow({
  session: { id, userId, updatedAt, messageCount, lastRun },
}: {
  readonly session: Session;
}): ReactNode {
  return (
    <Link to={hrefOf(['sessions', id])} className="run-row">
      {lastRun && <Outcome state={lastRun.status} />}
      <span className="run-input">{lastRun?.input ?? id}</span>
      <span className="muted">
        {userId} · {time(updatedAt)} · {count(messageCount)} {messageCount === 1 ? 'message' : 'messages'}
      </span>
    </Link>
  );
}

function SessionView({ id }: { readonly id: string }): ReactNode {
  const path = `api/v1/sessions/${encodeURIComponent(id)}`;
  const session = useQuery({ queryKey: [path], queryFn: () => json<Session>(path) });
  const state = useQuery({ queryKey: [path, 'state'], queryFn: () => json<SessionState>(`${path}/state`) });
  const messages = usePages<SessionMessage>(`${path}/messages`, { limit: 50 });
  if (session.error)
    return (
      <div className="page">
        <ErrorNotice error={session.error} />
      </div>
    );
  return (
    <div className="page">
      <header>
        <h1 className="run-title">Session {id}</h1>
        <Link to={hrefOf(['talk'], { session: id })} className="button">
          Open in Talk
        </Link>
        <Link to={hrefOf(['runs'], { session: id })} className="button">
          Its runs
        </Link>
      </header>
      {session.data && (
        <p className="muted">
          {session.data.userId} · created {time(session.data.createdAt)} · changed {time(session.data.updatedAt)}
        </p>
      )}
      <section className="panel" aria-labelledby="state">
        <h2 id="state">State</h2>
        <ErrorNotice error={state.error} />
        {state.data && <Json value={state.data.state} label="State" />}
        {state.data?.data.map(({ runId, seq, at, kind, initial, snapshot, patch }) => (
          <details key={`${runId}-${seq}`}>
            <summary>
              {time(at)} <span className="badge">{initial ? 'initial' : kind}</span>
            </summary>
            <Json value={patch ?? snapshot} label={`Change of ${time(at)}`} />
          </details>
        ))}
      </section>
      <section className="panel" aria-labelledby="messages">
        <h2 id="messages">Messages, newest first</h2>
        <ErrorNotice error={messages.error} />
        {messages.rows.map(({ seq, runId, createdAt, message }) => (
          <details key={seq}>
            <summary>
              {time(createdAt)} <code>{summaryOf(message)}</code>
            </summary>
            {runId !== null && <Link to={hrefOf(['runs', runId])}>Its run</Link>}
            <Json value={message} label={`Message ${seq}`} />
          </details>
        ))}
        {messages.hasMore && (
          <button type="button" onClick={messages.more}>
            Earlier messages
          </button>
        )}
      </section>
    </div>
  );
}

/** The beginning of a message: who, what kind, and its first words. */
function summaryOf(message: unknown): string {
  const { role, type, content } = message as { role?: string; type?: string; content?: readonly { text?: string }[] };
  const words = content?.find(({ text }) => text)?.text ?? '';
  return `${role ?? ''} ${type ?? ''} ${words.slice(0, 120)}`.trim();
}

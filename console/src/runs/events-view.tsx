import { useQueries } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { json } from '../api/client.js';
import type { EventPage, LoggedEvent } from '../api/types.js';
import { count, time } from '../lib/format.js';
import { usePages } from '../lib/use-pages.js';
import { Json } from '../ui/json.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { VirtualList } from '../ui/virtual-list.js';

const TYPES = ['response', 'message', 'content', 'state', 'step', 'activity', 'custom', 'raw', 'subagent', 'interrupt'];
const PAGE = 200;

/** The events of a run, with search. */
export function EventsView({ id, path }: { readonly id: string; readonly path: string }): ReactNode {
  const [text, setText] = useState('');
  const [draft, setDraft] = useState('');
  const [type, setType] = useState('');
  const isFiltered = text !== '' || type !== '';
  return (
    <>
      <form
        className="filters"
        role="search"
        aria-label="Events"
        onSubmit={(event) => {
          event.preventDefault();
          setText(draft);
        }}
      >
        <label className="wide">
          Text in the event
          <input
            type="search"
            value={draft}
            onChange={({ target }) => setDraft(target.value)}
            onBlur={() => setText(draft)}
          />
        </label>
        <label>
          Type
          <select value={type} onChange={({ target }) => setType(target.value)}>
            <option value="">All</option>
            {TYPES.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
      </form>
      {isFiltered ? (
        <FoundEvents path={`${path}/events`} text={text} type={type} />
      ) : (
        <AllEvents id={id} path={`${path}/events`} />
      )}
    </>
  );
}

/** Events are numbered without gaps, so any part of the log can be read by its position. */
function AllEvents({ id, path }: { readonly id: string; readonly path: string }): ReactNode {
  const [shown, setShown] = useState({ first: 0, last: 0 });
  const from = Math.floor(shown.first / PAGE);
  const to = Math.max(from, Math.floor(shown.last / PAGE));
  // The first page is always asked for: the number of events is known before those in view are there.
  const numbers = [...new Set([0, ...Array.from({ length: to - from + 1 }, (_, index) => from + index)])];
  const pages = useQueries({
    queries: numbers.map((page) => ({
      queryKey: ['run', id, 'events', page],
      queryFn: () => json<EventPage>(path, { query: { after: page * PAGE - 1, limit: PAGE } }),
      gcTime: 60_000,
    })),
  });
  const total = Math.max(0, ...pages.map(({ data }) => data?.total ?? 0));
  const error = pages.find((page) => page.error)?.error;
  const eventAt = (index: number): LoggedEvent | undefined =>
    pages[numbers.indexOf(Math.floor(index / PAGE))]?.data?.data[index % PAGE];
  const retry = (): void => {
    for (const page of pages) if (page.error) void page.refetch();
  };
  if (error) return <ErrorNotice error={error} onRetry={retry} />;
  if (pages.every(({ isLoading }) => isLoading)) return <p className="muted">Loading…</p>;
  return (
    <>
      <p className="muted" role="status">
        {count(total)} events
      </p>
      <VirtualList
        count={total}
        label="Events"
        rowHeight={40}
        onShown={(first, last) => {
          if (first !== shown.first || last !== shown.last) setShown({ first, last });
        }}
        row={(index) => <EventRow event={eventAt(index)} index={index} />}
      />
    </>
  );
}

function FoundEvents({
  path,
  text,
  type,
}: {
  readonly path: string;
  readonly text: string;
  readonly type: string;
}): ReactNode {
  const { rows, error, isLoading, hasMore, more, retry } = usePages<LoggedEvent>(
    path,
    { text, type, limit: PAGE },
    'after',
  );
  if (error) return <ErrorNotice error={error} onRetry={retry} />;
  return (
    <>
      <p className="muted" role="status">
        {isLoading ? 'Searching…' : `${count(rows.length)}${hasMore ? '+' : ''} found`}
      </p>
      {hasMore && (
        <button type="button" onClick={more}>
          Search further
        </button>
      )}
      <VirtualList
        count={rows.length}
        label="Events found"
        rowHeight={40}
        onEnd={hasMore ? more : undefined}
        row={(index) => <EventRow event={rows[index]} index={index} />}
      />
    </>
  );
}

function EventRow({ event, index }: { readonly event: LoggedEvent | undefined; readonly index: number }): ReactNode {
  if (!event) return <span className="muted">{index} …</span>;
  const text = JSON.stringify(event.event);
  return (
    <details className="event">
      <summary>
        <span className="seq">{event.seq}</span> <span className="badge">{event.type}</span>{' '}
        <code>{text.length > 160 ? `${text.slice(0, 160)}…` : text}</code>
      </summary>
      <p className="muted">{time(event.at)}</p>
      <Json value={event.event} label={`Event ${event.seq}`} />
    </details>
  );
}

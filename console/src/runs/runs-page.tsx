import { type ReactNode, useEffect, useEffectEvent } from 'react';
import type { Run } from '../api/types.js';
import { hrefOf, Link, usePlace } from '../lib/router.js';
import { useNow } from '../lib/use-now.js';
import { usePages } from '../lib/use-pages.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { ShownCount } from '../ui/shown-count.js';
import { VirtualList } from '../ui/virtual-list.js';
import { RunFilters } from './run-filters.js';
import { RunPage } from './run-page.js';
import { RunHead, TurnRow } from './run-row.js';
import { turnsOf } from './turns.js';
import { useLiveRuns } from './use-live-runs.js';

const FILTERS = ['text', 'status', 'wire', 'agent', 'user', 'since', 'until', 'session'] as const;
/** How often relative times are written again. */
const TIMES_MS = 30_000;
/** How often rows are read again while one of them waits for somebody: time may pass, or it is withdrawn. */
const WAITING_MS = 15_000;

/** All runs, newest first and live, or one of them. */
export function RunsPage(): ReactNode {
  const { path } = usePlace();
  const id = path[1];
  return id === undefined ? <RunList /> : <RunPage key={id} id={id} />;
}

function RunList(): ReactNode {
  const { query } = usePlace();
  const filters = Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? '']));
  const { since, until } = filters;
  const asked = { ...filters, since: instant(since), until: instant(until), limit: 50 };
  const { rows, error, isLoading, hasMore, more, refresh, retry } = usePages<Run>('api/v1/runs', asked);
  useLiveRuns('api/v1/runs', asked);
  const now = useNow(TIMES_MS);
  const turns = turnsOf(rows);
  const isWaiting = turns.some(({ newest }) => newest.waitsFor !== null);
  const again = useEffectEvent(refresh);
  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = setInterval(() => again(), WAITING_MS);
    return () => clearInterval(timer);
  }, [isWaiting]);
  const isFiltered = FILTERS.some((name) => filters[name] !== '');
  return (
    <div className="page filled">
      <header>
        <h1>Runs</h1>
        <ShownCount {...{ rows, isLoading, hasMore, error }} />
      </header>
      <RunFilters filters={filters} />
      <ErrorNotice error={error} onRetry={retry} />
      {!isLoading && rows.length === 0 && !error && <Nothing isFiltered={isFiltered} />}
      {rows.length > 0 && (
        <div className="run-list">
          <RunHead />
          <VirtualList
            count={turns.length}
            label="Runs, newest first"
            rowHeight={56}
            onEnd={hasMore && !error ? more : undefined}
            row={(index) => {
              const turn = turns[index];
              return turn && <TurnRow turn={turn} now={now} />;
            }}
          />
        </div>
      )}
    </div>
  );
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  return (
    <div className="empty">
      <p>{isFiltered ? 'No run matches these filters.' : 'There are no runs yet.'}</p>
      {isFiltered ? (
        <Link to={hrefOf(['runs'])} className="button">
          Clear the filters
        </Link>
      ) : (
        <Link to={hrefOf(['talk'])} className="button">
          Start one in Talk
        </Link>
      )}
    </div>
  );
}

/** A time of a form as an instant; the server takes RFC 3339 only. */
function instant(local: string | undefined): string | undefined {
  return local ? new Date(local).toISOString() : undefined;
}

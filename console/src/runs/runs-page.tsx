import type { ReactNode } from 'react';
import type { Run } from '../api/types.js';
import { count } from '../lib/format.js';
import { usePlace } from '../lib/router.js';
import { usePages } from '../lib/use-pages.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { VirtualList } from '../ui/virtual-list.js';
import { RunFilters } from './run-filters.js';
import { RunPage } from './run-page.js';
import { RunHead, RunRow } from './run-row.js';
import { useLiveRuns } from './use-live-runs.js';

const FILTERS = ['text', 'status', 'wire', 'agent', 'user', 'since', 'until', 'session'] as const;

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
  const { rows, error, isLoading, hasMore, more, retry } = usePages<Run>('api/v1/runs', asked);
  useLiveRuns('api/v1/runs', asked);
  return (
    <div className="page filled">
      <header>
        <h1>Runs</h1>
        <span className="muted" role="status">
          {isLoading ? 'Loading…' : `${count(rows.length)}${hasMore ? '+' : ''} shown`}
        </span>
      </header>
      <RunFilters filters={filters} />
      <ErrorNotice error={error} onRetry={retry} />
      {!isLoading && rows.length === 0 && !error && <p className="muted">No run matches. Start one in Talk.</p>}
      <RunHead />
      <VirtualList
        count={rows.length}
        label="Runs, newest first"
        rowHeight={40}
        onEnd={hasMore && !error ? more : undefined}
        row={(index) => {
          const run = rows[index];
          return run && <RunRow run={run} />;
        }}
      />
    </div>
  );
}

/** A time of a form as an instant; the server takes RFC 3339 only. */
function instant(local: string | undefined): string | undefined {
  return local ? new Date(local).toISOString() : undefined;
}

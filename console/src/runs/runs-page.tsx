import { type ReactNode, useState } from 'react';
import type { Run } from '../api/types.js';
import { count, duration, time } from '../lib/format.js';
import { go, hrefOf, Link, usePlace } from '../lib/router.js';
import { usePages } from '../lib/use-pages.js';
import { Problem } from '../ui/problem.js';
import { VirtualList } from '../ui/virtual-list.js';
import { RunPage } from './run-page.js';
import { useLiveRuns } from './use-live-runs.js';

const STATUSES = ['queued', 'running', 'completed', 'incomplete', 'failed', 'canceled', 'interrupted'];
const WIRES = ['agent-api', 'responses', 'ag-ui', 'copilotkit', 'ag-kit', 'runs'];
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
  const { rows, error, isLoading, hasMore, more } = usePages<Run>('api/v1/runs', asked);
  useLiveRuns('api/v1/runs', asked);
  return (
    <div className="page filled">
      <header>
        <h1>Runs</h1>
        <span className="muted" role="status">
          {isLoading ? 'Loading…' : `${count(rows.length)}${hasMore ? '+' : ''} shown`}
        </span>
      </header>
      <Filters filters={filters} />
      {error && <Problem error={error} />}
      {!isLoading && rows.length === 0 && !error && <p className="muted">No run matches. Start one in Talk.</p>}
      <VirtualList
        count={rows.length}
        label="Runs, newest first"
        rowHeight={64}
        onEnd={hasMore ? more : undefined}
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

function Filters({ filters }: { readonly filters: Readonly<Record<string, string>> }): ReactNode {
  const [text, setText] = useState(filters['text'] ?? '');
  const set = (change: Readonly<Record<string, string>>): void =>
    go(hrefOf(['runs'], { ...filters, ...change }), { replace: true });
  const choice = (name: string, title: string, values: readonly string[]): ReactNode => (
    <label>
      {title}
      <select value={filters[name]} onChange={({ target }) => set({ [name]: target.value })}>
        <option value="">All</option>
        {values.map((value) => (
          <option key={value}>{value}</option>
        ))}
      </select>
    </label>
  );
  const field = (name: string, title: string, type: string): ReactNode => (
    <label>
      {title}
      <input type={type} value={filters[name]} onChange={({ target }) => set({ [name]: target.value })} />
    </label>
  );
  return (
    <form
      className="filters"
      role="search"
      aria-label="Filters"
      onSubmit={(event) => {
        event.preventDefault();
        set({ text });
      }}
    >
      <label className="wide">
        Text
        <input
          type="search"
          value={text}
          placeholder="Words of the request, or an id"
          onChange={({ target }) => setText(target.value)}
          onBlur={() => set({ text })}
        />
      </label>
      {choice('status', 'Status', STATUSES)}
      {choice('wire', 'Wire', WIRES)}
      {field('agent', 'Agent', 'text')}
      {field('user', 'User', 'text')}
      {field('since', 'Since', 'datetime-local')}
      {field('until', 'Until', 'datetime-local')}
      <button type="submit">Search</button>
      <Link to={hrefOf(['runs'])} className="button">
        Clear
      </Link>
    </form>
  );
}

function RunRow({ run }: { readonly run: Run }): ReactNode {
  const { id, input, status, queuePosition, wire, agent, userId, createdAt, startedAt, endedAt, usage } = run;
  const took = startedAt && endedAt ? duration(Date.parse(endedAt) - Date.parse(startedAt)) : undefined;
  return (
    <Link to={hrefOf(['runs', id])} className="run-row">
      <span className={`badge ${status}`}>{queuePosition === null ? status : `${status} (${queuePosition}.)`}</span>
      <span className="run-input">{input ?? id}</span>
      <span className="muted">
        {[wire, agent, userId, time(createdAt), took, usage && `${count(usage.totalTokens)} tokens`]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </Link>
  );
}

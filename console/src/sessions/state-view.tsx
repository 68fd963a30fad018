import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { json } from '../api/client.js';
import type { SessionState } from '../api/types.js';
import { time } from '../lib/format.js';
import { hrefOf, Link } from '../lib/router.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { JsonTree } from '../ui/json-tree.js';

/** The shared state of a session, and how runs have changed it. */
export function StateView({ path }: { readonly path: string }): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: [path, 'state'],
    queryFn: () => json<SessionState>(`${path}/state`),
  });
  return (
    <section className="panel" aria-labelledby="state">
      <h2 id="state">State now</h2>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!data && !error && <p className="muted">Loading…</p>}
      {data && <JsonTree value={data.state} label="State" />}
      {data && <h2>Changes, newest first</h2>}
      {data?.data.length === 0 && <p className="muted">No run has changed it, or their events were removed.</p>}
      {data?.data.map(({ runId, seq, at, kind, initial, snapshot, patch }) => (
        <details key={`${runId}-${seq}`}>
          <summary>
            {time(at)} <span className="badge">{initial ? 'initial' : kind}</span>
          </summary>
          <p>
            <Link to={hrefOf(['runs', runId])}>Its run</Link>
          </p>
          <JsonTree value={patch ?? snapshot} label={`Change of ${time(at)}`} />
        </details>
      ))}
    </section>
  );
}

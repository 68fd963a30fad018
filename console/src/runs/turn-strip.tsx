import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { json } from '../api/client.js';
import type { Page, Run, RunDetail } from '../api/types.js';
import { hrefOf, Link } from '../lib/router.js';
import { Outcome, stateOf } from '../ui/outcome.js';
import { answeredFor } from './turns.js';

/** The runs of the turn that a run belongs to, with what was asked between them; nothing if it is the only one. */
export function TurnStrip({ run }: { readonly run: RunDetail }): ReactNode {
  const { id, userId, turn } = run;
  const mayHaveOthers = turn !== null || run.status === 'interrupted';
  const { data } = useQuery({
    queryKey: ['run', id, 'turn'],
    queryFn: () => json<Page<Run>>(`api/v1/runs/${encodeURIComponent(id)}/turn`, { query: { user: userId } }),
    enabled: mayHaveOthers,
  });
  const runs = data?.data ?? [];
  if (runs.length < 2) return null;
  return (
    <nav aria-label="Runs of this turn" className="turn-strip">
      <ol>
        {runs.map((one) => (
          <li key={one.id}>
            <Link to={hrefOf(['runs', one.id])} aria-current={one.id === id ? 'page' : undefined} className="button">
              {one.turn === null ? 'Request' : answeredFor(one, runs)}
              <Outcome state={stateOf(one)} />
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  );
}

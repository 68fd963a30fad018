import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { json } from '../api/client.js';
import type { Page, Run, RunDetail } from '../api/types.js';
import { hrefOf, Link } from '../lib/router.js';
import { Outcome, stateOf } from '../ui/outcome.js';
import { answeredFor, turnsOf } from './turns.js';

/** How many runs of the session are looked at for those of the turn. */
const LOOKED_AT = 100;

/** The runs of the turn that a run belongs to, with what was asked between them; nothing if it is the only one. */
export function TurnStrip({ run }: { readonly run: RunDetail }): ReactNode {
  const { id, userId, sessionId, turn } = run;
  const query = { session: sessionId, user: userId, limit: LOOKED_AT };
  const mayHaveOthers = turn !== null || run.status === 'interrupted';
  const { data } = useQuery({
    queryKey: ['run', id, 'turn'],
    queryFn: () => json<Page<Run>>('api/v1/runs', { query }),
    enabled: mayHaveOthers,
  });
  const runs = turnsOf(data?.data ?? []).find((one) => one.id === (turn?.id ?? id))?.runs ?? [];
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

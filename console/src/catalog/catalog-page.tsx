import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { parley } from '../api/client.js';
import type { Agent } from '../api/types.js';
import { count } from '../lib/format.js';
import { hrefOf, Link } from '../lib/router.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { outcomeWord } from '../ui/outcome.js';

const PATH = 'api/v1/agents';

/** The agents of the server, and what each may use. */
export function CatalogPage(): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: [PATH],
    queryFn: () => parley().agents(),
    refetchInterval: 10_000,
  });
  return (
    <div className="page">
      <header>
        <h1>Agents</h1>
        <span className="muted" role="status">
          {data ? count(data.length) : error ? '' : 'Loading…'}
        </span>
      </header>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {data?.length === 0 && <p className="empty">There is no agent that you may run.</p>}
      <ul className="cards agents" aria-label="Agents">
        {data?.map((agent) => (
          <AgentCard key={agent.name} agent={agent} />
        ))}
      </ul>
    </div>
  );
}

function AgentCard({ agent }: { readonly agent: Agent }): ReactNode {
  const { name, description, isDefault, exposure, recovery, tools, model, modelOptions, maxSteps } = agent;
  const options = Object.entries(modelOptions).map(([option, value]) => `${option} ${JSON.stringify(value)}`);
  const facts: readonly (readonly [string, string])[] = [
    ['Model', [model, ...options].join(', ')],
    ['Tools', tools === null ? 'all' : tools.length === 0 ? 'none' : tools.join(', ')],
    ['Model calls per run', `${maxSteps} at most`],
    ['After a crash', outcomeWord(`recovery-${recovery}`)],
  ];
  return (
    <li className="panel">
      <h2>
        {name} {isDefault && <span className="badge">default</span>}
      </h2>
      <p>{description}</p>
      <dl>
        {facts.map(([title, text]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      {(isDefault || exposure === 'public') && (
        <Link
          to={hrefOf(['talk'], { agent: isDefault ? undefined : name, wire: isDefault ? undefined : 'ag-ui' })}
          className="button"
        >
          Talk to {name}
        </Link>
      )}
    </li>
  );
}

import type { ReactNode } from 'react';
import { parley } from '../api/client.js';
import type { Agent } from '../api/types.js';
import { count } from '../lib/format.js';
import { hrefOf, Link } from '../lib/router.js';
import { useRefreshed } from '../lib/use-refreshed.js';
import { Facts } from '../ui/facts.js';
import { ListPage } from '../ui/list-page.js';
import { outcomeWord } from '../ui/outcome.js';

const PATH = 'api/v1/agents';

/** The agents of the server, and what each may use. */
export function CatalogPage(): ReactNode {
  const { data, error, refetch } = useRefreshed(PATH, () => parley().agents());
  return (
    <ListPage title="Agents" count={data && count(data.length)} error={error} onRetry={() => void refetch()}>
      {data?.length === 0 && <p className="empty">There is no agent that you may run.</p>}
      <ul className="cards agents" aria-label="Agents">
        {data?.map((agent) => (
          <AgentCard key={agent.name} agent={agent} />
        ))}
      </ul>
    </ListPage>
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
      <Facts facts={facts} />
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

import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { json } from '../api/client.js';
import type { Agent, Page } from '../api/types.js';
import { hrefOf, Link } from '../lib/router.js';
import { ErrorNotice } from '../ui/error-notice.js';

/** The agents of the server. */
export function CatalogPage(): ReactNode {
  const agents = useList<Agent>('api/v1/agents');
  return (
    <div className="page">
      <header>
        <h1>Agents</h1>
      </header>
      <Section title="Agents" list={agents}>
        {({ name, description, isDefault, recovery, ...shape }) => (
          <li key={name} className="panel">
            <h3>
              {name} {isDefault && <span className="badge">default</span>}
            </h3>
            <p>{description}</p>
            <AgentShape {...shape} />
            <p className="muted">After a crash: {recovery}</p>
            <Link to={hrefOf(['talk'], { agent: name, wire: 'ag-ui' })}>Talk to {name}</Link>
          </li>
        )}
      </Section>
    </div>
  );
}

/** What an agent may use. */
function AgentShape({
  tools,
  model,
  modelOptions,
  maxSteps,
}: Pick<Agent, 'tools' | 'model' | 'modelOptions' | 'maxSteps'>): ReactNode {
  const options = Object.entries(modelOptions).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return (
    <>
      <p className="muted">Tools: {tools === null ? 'all' : tools.length === 0 ? 'none' : tools.join(', ')}</p>
      <p className="muted">Model: {[model ?? 'that of the server', ...options].join(', ')}</p>
      <p className="muted">Model calls per run: {maxSteps} at most</p>
    </>
  );
}

function useList<T>(path: string): UseQueryResult<Page<T>> {
  return useQuery({ queryKey: [path], queryFn: () => json<Page<T>>(path), refetchInterval: 10_000 });
}

interface SectionProps<T> {
  readonly title: string;
  readonly list: UseQueryResult<Page<T>>;
  readonly children: (one: T) => ReactNode;
}

function Section<T>({ title, list: { data, error }, children }: SectionProps<T>): ReactNode {
  return (
    <section aria-label={title} className="stack">
      <h2>{title}</h2>
      <ErrorNotice error={error} />
      {data?.data.length === 0 && <p className="muted">There are none.</p>}
      <ul className="cards">{data?.data.map(children)}</ul>
    </section>
  );
}

import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { json } from '../api/client.js';
import type { Agent, McpServer, Page, PolicyAnswer, Tool } from '../api/types.js';
import { SchemaForm } from '../schema/schema-form.js';
import { defaultOf } from '../schema/schema-values.js';
import { duration } from '../lib/format.js';
import { hrefOf, Link } from '../lib/router.js';
import { Json } from '../ui/json.js';
import { ErrorNotice } from '../ui/error-notice.js';

/** The agents, the tools and the MCP servers of the server. */
export function CatalogPage(): ReactNode {
  const agents = useList<Agent>('api/v1/agents');
  const tools = useList<Tool>('api/v1/tools');
  const servers = useList<McpServer>('api/v1/mcp-servers');
  return (
    <div className="page">
      <header>
        <h1>Agents and tools</h1>
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
      <Section title="Tools" list={tools}>
        {(tool) => <ToolCard key={tool.name} tool={tool} />}
      </Section>
      <Section title="MCP servers" list={servers}>
        {({ label, state, required, tools: names }) => (
          <li key={label} className="panel">
            <h3>
              {label}{' '}
              <span className={`badge ${state === 'up' ? 'success' : state === 'down' ? 'error' : ''}`}>{state}</span>{' '}
              {required && <span className="badge">required</span>}
            </h3>
            <p className="muted">{names.length === 0 ? 'No tools' : names.join(', ')}</p>
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

function ToolCard({ tool }: { readonly tool: Tool }): ReactNode {
  const { name, description, parameters, effects, server, timeoutMs, mayAsk } = tool;
  return (
    <li className="panel">
      <h3>
        <code>{name}</code> <span className="badge">effects: {effects}</span> <span className="badge">{server}</span>{' '}
        {mayAsk && <span className="badge warning">may ask</span>}
      </h3>
      <p>{description}</p>
      <p className="muted">Time limit {duration(timeoutMs)}</p>
      <details>
        <summary>Schema of the arguments</summary>
        <Json value={parameters} label={`Schema of ${name}`} />
      </details>
      <details>
        <summary>Would this ask?</summary>
        <PolicyQuestion tool={tool} />
      </details>
    </li>
  );
}

/** Asks the policy about a call. Nothing is called. */
function PolicyQuestion({ tool: { name, parameters } }: { readonly tool: Tool }): ReactNode {
  const [value, setValue] = useState<unknown>(() => defaultOf(parameters) ?? {});
  const [answer, setAnswer] = useState<PolicyAnswer>();
  const [error, setError] = useState<unknown>();
  const ask = (): void => {
    setError(undefined);
    json<PolicyAnswer>(`api/v1/tools/${encodeURIComponent(name)}/policy`, { body: { arguments: value } }).then(
      setAnswer,
      setError,
    );
  };
  return (
    <form
      className="stack"
      aria-label={`Policy for ${name}`}
      onSubmit={(event) => {
        event.preventDefault();
        ask();
      }}
    >
      <SchemaForm id={`policy-${name}`} schema={parameters} value={value} label="Arguments" onChange={setValue} />
      <button type="submit">Ask the policy</button>
      {answer && (
        <p role="status">
          <span
            className={`badge ${answer.decision === 'allow' ? 'success' : answer.decision === 'ask' ? 'warning' : 'error'}`}
          >
            {answer.decision}
          </span>{' '}
          {answer.reason ?? ''} {answer.rule === null ? '' : `(rule ${answer.rule})`}
        </p>
      )}
      <ErrorNotice error={error} />
    </form>
  );
}

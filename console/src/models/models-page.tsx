import type { ReactNode } from 'react';
import { json } from '../api/client.js';
import type { ModelServer, Page } from '../api/types.js';
import { useRefreshed } from '../lib/use-refreshed.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { Facts } from '../ui/facts.js';
import { Json } from '../ui/json.js';
import { ModelFailures } from './model-failures.js';
import { MODELS_PATH } from './models-path.js';
import { ModelTrial } from './model-trial.js';

/** The models: how they are called, what they refused, what failed, and whether they work. */
export function ModelsPage(): ReactNode {
  const { data, error, refetch } = useRefreshed(MODELS_PATH, () => json<Page<ModelServer>>(MODELS_PATH));
  return (
    <div className="page">
      <header>
        <h1>Models</h1>
      </header>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!data && !error && <p className="muted">Loading…</p>}
      {data?.data.map((server) => (
        <Model key={`${server.isDefault} ${server.name}`} server={server} />
      ))}
    </div>
  );
}

function Model({ server }: { readonly server: ModelServer }): ReactNode {
  const { name, model, isDefault, agents, kind, address, reason, profile, failures } = server;
  const facts = {
    Model: model,
    'Called as': kind,
    Address: address ?? 'That of its provider',
    'Chosen by': reason,
    ...(agents && { 'Only for': agents.length === 0 ? 'no agent' : agents.join(', ') }),
    ...(profile && { Profile: `${profile.name}, chosen by ${profile.reason}` }),
  };
  return (
    <section className="panel" aria-label={name}>
      <h2>
        {name} {isDefault && <span className="badge">default</span>}
      </h2>
      {kind === 'offline' ? (
        <p className="notice info">
          No model is configured: a built-in demo answers. Set <code>LLM_BASE_URL</code>, <code>LLM_PROVIDER</code> or
          the key of a provider, such as <code>OPENAI_API_KEY</code>.
        </p>
      ) : (
        <>
          <Facts facts={Object.entries(facts)} />
          {profile && <Repairs profile={profile} />}
          <ModelFailures failures={failures} />
          <ModelTrial id={isDefault ? 'default' : name} name={isDefault ? undefined : name} />
        </>
      )}
    </section>
  );
}

/** What the server refused, what is sent instead, and the setting that makes it unnecessary. */
function Repairs({
  profile: { repairs, overrides },
}: {
  readonly profile: NonNullable<ModelServer['profile']>;
}): ReactNode {
  return (
    <section aria-label="Repairs" className="stack">
      <h3>Repairs</h3>
      {repairs.length === 0 ? (
        <p className="muted">The server has refused no form of a request since this process started.</p>
      ) : (
        <>
          <p>Requests are now sent</p>
          <ul>
            {repairs.map(({ kind, says, sentence }) => (
              <li key={kind}>
                {says}, because the server said: <q>{sentence}</q>
              </li>
            ))}
          </ul>
          <p>
            With this value of <code>LLM_COMPAT</code> they are so from the first request:
          </p>
          <Json value={overrides} label="LLM_COMPAT" />
        </>
      )}
    </section>
  );
}

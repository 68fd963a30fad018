import type { ReactNode } from 'react';
import { json } from '../api/client.js';
import type { Page, RemoteAgent } from '../api/types.js';
import { count, time } from '../lib/format.js';
import { hrefOf, Link } from '../lib/router.js';
import { useRefreshed } from '../lib/use-refreshed.js';
import { Facts } from '../ui/facts.js';
import { ListPage } from '../ui/list-page.js';
import { Outcome, outcomeWord } from '../ui/outcome.js';

const PATH = 'api/v1/remote-agents';

/** The agents that run elsewhere: where they are, and how they are as this process sees them. */
export function RemoteAgentsPage(): ReactNode {
  const { data, error, refetch } = useRefreshed(PATH, () => json<Page<RemoteAgent>>(PATH));
  const total = data && count(data.data.length);
  return (
    <ListPage title="Remote agents" count={total} error={error} onRetry={() => void refetch()}>
      {data?.data.length === 0 && (
        <div className="empty">
          <p>No agent of this server runs elsewhere.</p>
          <p className="muted">
            An entry in <code>REMOTE_AGENTS</code> makes an agent of another server one of this server.
          </p>
        </div>
      )}
      {data?.data.map((agent) => (
        <RemoteAgentPanel key={agent.name} agent={agent} />
      ))}
    </ListPage>
  );
}

function RemoteAgentPanel({ agent }: { readonly agent: RemoteAgent }): ReactNode {
  const { name, description, exposure, kind, address, required, onLoss, state, inFlight, reattachments } = agent;
  const facts = {
    Protocol: kind,
    Address: address,
    Exposure: exposure,
    'Exchanges in progress': count(inFlight),
    'Re-attachments': count(reattachments),
    'After a lost connection or process': outcomeWord(`loss-${onLoss}`),
  };
  return (
    <section className="panel" aria-label={name}>
      <h2>
        {name} <Outcome state={`remote-${state}`} /> {required && <span className="badge">required</span>}
      </h2>
      {description !== '' && <p>{description}</p>}
      <Facts facts={Object.entries(facts)} />
      <LastFailure failure={agent.lastError} />
      <Link to={hrefOf(['runs'], { agent: name })} className="button">
        Runs of {name}
      </Link>
    </section>
  );
}

function LastFailure({ failure }: { readonly failure: RemoteAgent['lastError'] }): ReactNode {
  return (
    <section aria-label="Last failure" className="stack">
      <h3>Last failure</h3>
      {failure ? (
        <div className="notice error">
          <p>
            <strong>{failure.message}</strong> <code>{failure.code}</code>
          </p>
          <p>{time(failure.at)}</p>
        </div>
      ) : (
        <p className="muted">No exchange has failed since this process started.</p>
      )}
    </section>
  );
}

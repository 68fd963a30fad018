import { type ReactNode, useState } from 'react';
import { json } from '../api/client.js';
import type { Delivery, Webhook } from '../api/types.js';
import { time } from '../lib/format.js';
import { hrefOf, Link } from '../lib/router.js';
import { usePages } from '../lib/use-pages.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { useAction } from '../ui/use-action.js';

/** What the statuses are called. */
const WORDS = { waiting: 'Waits', sent: 'Delivered', failed: 'Failed' } as const;

interface Props {
  readonly webhook: Webhook;
  /** The route of the endpoint. */
  readonly path: string;
  /** True: nothing can be sent again. */
  readonly isFixed: boolean;
}

/** What was announced to an endpoint, newest first, with the attempts. */
export function DeliveryList({ webhook, path, isFixed }: Props): ReactNode {
  const [status, setStatus] = useState('');
  const list = `${path}/deliveries`;
  const { rows, error, isLoading, hasMore, more, refresh, retry } = usePages<Delivery>(list, { status, limit: 20 });
  const { error: actionError, isBusy, run } = useAction(list);
  const again = ({ id }: Delivery): void =>
    run(() => json(`${list}/${encodeURIComponent(id)}/redeliver`, { body: {} }));
  return (
    <section className="panel" aria-label="Deliveries">
      <h2>Deliveries to {webhook.url}</h2>
      <div className="filters">
        <label>
          Status
          <select value={status} onChange={({ target }) => setStatus(target.value)}>
            <option value="">All</option>
            {Object.entries(WORDS).map(([value, word]) => (
              <option key={value} value={value}>
                {word}
              </option>
            ))}
          </select>
        </label>
        <button type="button" onClick={refresh}>
          Refresh
        </button>
      </div>
      <ErrorNotice error={error ?? actionError} onRetry={retry} />
      {isLoading && <p className="muted">Loading…</p>}
      {!isLoading && rows.length === 0 && !error && <p className="empty">Nothing was announced yet.</p>}
      <ul className="plain" aria-label="Deliveries, newest first">
        {rows.map((delivery) => (
          <li key={delivery.id}>
            <details>
              <summary>
                <code>{delivery.type}</code> {WORDS[delivery.status]}, {time(delivery.createdAt)}
              </summary>
              <Attempts delivery={delivery} />
              <button type="button" disabled={isBusy || isFixed || !webhook.enabled} onClick={() => again(delivery)}>
                Send again
              </button>
            </details>
          </li>
        ))}
      </ul>
      {hasMore && (
        <button type="button" onClick={more}>
          Earlier deliveries
        </button>
      )}
    </section>
  );
}

function Attempts({ delivery }: { readonly delivery: Delivery }): ReactNode {
  const { runId, attempts, nextAttemptAt, body } = delivery;
  return (
    <>
      {runId !== null && (
        <p>
          <Link to={hrefOf(['runs', runId])}>The run</Link>
        </p>
      )}
      <ol>
        {attempts.map(({ at, status, durationMs, text }) => (
          <li key={at}>
            {time(at)}: {status ?? 'no answer'} after {durationMs} ms {text !== '' && <code>{text.slice(0, 200)}</code>}
          </li>
        ))}
      </ol>
      {nextAttemptAt !== null && <p className="muted">Next attempt: {time(nextAttemptAt)}</p>}
      <pre>{body}</pre>
    </>
  );
}
